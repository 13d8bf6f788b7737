"""Claims as people tell them in passing: advice around the figure, hedges behind it, clauses apart, plurals."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.reading.reader import parse_claim
from tests.claims.judged import assert_judged

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
