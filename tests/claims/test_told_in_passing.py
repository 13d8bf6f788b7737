"""Claims as people tell them in passing: advice around the figure, hedges behind it, clauses apart, plurals."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import WITH_NVLINK, WITHOUT_NVLINK
from advisor.claims.judge import check_claim
from advisor.claims.overlooked.otherwise import left_out
from advisor.claims.reading.reader import parse_claim
from tests.claims.judged import assert_judged
from tests.recommend.real_predictor import real_predictor

V100 = ("v100-pcie-16", "v100-pcie-32", "v100-sxm2-16", "v100-sxm2-32")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("scaling from 1 to 8 V100s with DDP: 7.6x for resnet50", V100),
        ("4 v100s train ViT 3.7x as fast as one", V100),
        ("a V100S trains ResNet-50 at 400 images/s in fp16", ("v100s-pcie-32",)),
    ],
)
def test_several_of_a_card_are_none_of_another_name(text: str, keys: tuple[str, ...]) -> None:
    assert parse_claim(text, spec_table()).gpus == keys


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("Don't buy a T4, the 3090 is like 5 times faster for fine-tuning BERT", 5.0),
        ("skip the T4; a 3090 trains BERT 4x faster", 4.0),
        ("别买T4了，3090训练BERT快5倍", 5.0),
    ],
)
def test_a_card_whose_own_clause_tells_a_figure_is_its_subject(text: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.gpus, claim.reference_gpus) == (("rtx3090",), ("t4",))
    assert claim.speed_up_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("torch.compile did nothing for my ViT-B, maybe 3% at best", 1.03),
        ("on a 4090 throughput drops 20% with gradient checkpointing on gpt2", 0.8),
        ("my images/s decrease by 12% without channels_last on resnet50", 1 / 0.88),
        ("用bf16代替fp32，3090上训练GPT-2速度提升了1.8倍", 1.8),
    ],
)
def test_a_change_has_its_figure_wherever_its_verb_stands(text: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.speed_up_ratio == pytest.approx(ratio)


def test_a_run_that_ends_sooner_is_faster() -> None:
    claim = parse_claim("the A100 finishes ResNet-50 2x sooner than the V100", spec_table())
    assert claim.speed_up_ratio == 2
    assert claim.reference_gpus == V100


def test_two_numbers_of_cards_are_compared_whatever_is_advised_beside() -> None:
    text = "DataParallel on 4 GPUs is only 2.1x faster than one GPU for bert-base, switch to DDP"
    claim = parse_claim(text, spec_table())
    assert (claim.count, claim.reference_count, claim.strategy, claim.reference_strategy) == (4, 1, "dp", None)
    assert_judged(text, "plausible_only_with", "claim-efficiency-one-process")


@pytest.mark.parametrize(
    ("text", "workload"),
    [
        ("单卡3090微调LLaMA-8B，QLoRA，batch 1，每步1.2秒", "llama_8b_qlora"),
        ("Llama 3 8B on a 4090, with LoRA in bf16: 2,000 tokens/s at 2048", "llama_8b_lora"),
    ],
)
def test_adapters_belong_to_the_model_wherever_they_are_named(text: str, workload: str) -> None:
    assert parse_claim(text, spec_table()).workload == workload


@pytest.mark.parametrize(
    ("text", "strategy", "reference"),
    [
        ("Honestly don't bother with FSDP on two 3090s, DDP was 25% quicker for my GPT-2 runs", "ddp", "fsdp"),
        ("forget DP on 4 V100, DDP is 40% faster with BERT-base", "ddp", "dp"),
        ("4卡3090别用DP了，DDP快40%，BERT-base", "ddp", "dp"),
    ],
)
def test_a_strategy_whose_own_clause_tells_a_figure_is_held_against_the_other(
    text: str, strategy: str, reference: str
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.strategy, claim.reference_strategy) == (strategy, reference)


def test_a_strategy_that_is_named_beside_and_not_judged_is_told() -> None:
    text = "双卡3090做DP训练ResNet50，比单卡只快了20%，改成DDP之后快了85%"
    assert left_out(parse_claim(text, spec_table()), spec_table()) == ("DDP", "85%")


def test_the_unit_of_a_second_figure_is_that_of_the_first_which_is_no_card() -> None:
    claim = parse_claim(
        "batch size 256 instead of 64 improved throughput from 1050 to 1180 img/s (ResNet-50, A100, AMP)", spec_table()
    )
    assert (claim.unknown_gpus, claim.batch_size, claim.reference_batch_size) == ((), 256, 64)
    assert claim.speed_up_ratio == pytest.approx(1180 / 1050)


@pytest.mark.parametrize(
    "text",
    [
        "16 GPUs only 1.4x faster than 8 for BERT-large",
        "16 GPUs are 1.4x faster than 8 when training BERT-large",
    ],
)
def test_fewer_cards_are_counted_without_their_noun(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.count, claim.reference_count, claim.speed_up_ratio) == (16, 8, 1.4)


def test_a_card_that_is_called_another_one_is_as_fast() -> None:
    claim = parse_claim("The L40S is basically a 4090 with more memory, same training speed", spec_table())
    assert (claim.gpus, claim.reference_gpus, claim.speed_up_ratio) == (("l40s",), ("rtx4090",), 1.0)


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("mixed precision doesn't help on a 1080 Ti, I measured the same speed for ResNet-50", "fp16_amp"),
        ("bf16 did not make any difference for gpt2 on a 3090, same speed", "bf16_amp"),
    ],
)
def test_a_change_that_does_not_help_is_held_against_what_it_replaces(text: str, precision: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.precision, claim.reference_precision, claim.speed_up_ratio) == (precision, "fp32", 1.0)


@pytest.mark.parametrize(
    "text",
    ["关掉NVLink之后8卡A100训练BERT-large慢了一半", "disabling NVLink made BERT-large 2x slower on 8 A100"],
)
def test_a_link_that_is_switched_off_is_held_against_itself(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.interconnect, claim.reference_interconnect) == (WITHOUT_NVLINK, WITH_NVLINK)
    assert claim.speed_up_ratio == pytest.approx(0.5)


def test_memory_that_sinks_by_a_share_is_saved() -> None:
    claim = parse_claim("开了梯度检查点之后GPT-2训练显存降了30%", spec_table())
    assert claim.memory_ratio == pytest.approx(0.7)


def test_two_cards_without_a_batch_are_judged_at_large_ones_too() -> None:
    told = "H100 is 6x faster than V100 for BERT in bf16"
    assert_judged(told, "plausible", "claim-ratio-plausible")
    assert_judged(f"{told} at batch 8", "plausible_only_with", "claim-ratio-above")


def test_a_card_within_so_much_of_another_is_a_range_on_either_side() -> None:
    answer = check_claim("An RTX 6000 Ada is within 10% of an A100 for ViT training in bf16", real_predictor())
    assert answer.verdict == "plausible"
    assert [reason.numbers["range"] for reason in answer.reasons if reason.code == "claim-range-end"] == ["0.9-1.1x"]


def test_an_upgrade_is_told_of_the_card_that_it_leads_to() -> None:
    claim = parse_claim("T4 to L4 upgrade doubled my BERT fine-tuning throughput", spec_table())
    assert (claim.gpus, claim.reference_gpus, claim.speed_up_ratio) == (("l4",), ("t4",), 2.0)


@pytest.mark.parametrize(
    "text",
    [
        "batch size从32加到64，3090上BERT训练每秒样本数从180涨到210",
        "batch 64 instead of 32: throughput went from 180 to 210 for BERT on a 3090",
    ],
)
def test_rates_before_and_after_need_no_unit_behind_their_noun(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.batch_size, claim.reference_batch_size) == (64, 32)
    assert claim.speed_up_ratio == pytest.approx(210 / 180)


def test_two_links_of_one_sentence_are_each_judged() -> None:
    answer = check_claim("GPT-2 on 2x A100 over NVLink: 1.95x, over PCIe: 1.7x", real_predictor())
    assert answer.reasons[0].code == "claim-of-two-ratios"
