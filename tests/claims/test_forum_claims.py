"""Claims as they stand in forums: plurals of cards, arrows, weights alone, and what a claim leaves open."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError, say
from tests.claims.judged import assert_judged, assert_readable
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize("text", ["Two 3090s are faster than one 4090", "3090s beat V100s for ResNet-50"])
def test_the_plural_of_a_card_is_no_time(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.job_s, claim.epoch_s, claim.step_s, claim.is_faster) == (None, None, None, True)


@pytest.mark.parametrize(
    "text", ["a ResNet-50 epoch in 5 minutes on 4 4090", "a ViT-B/16 epoch takes 5 minutes on a V100 SXM2 16GB"]
)
def test_the_end_of_a_models_name_counts_no_epochs(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.epoch_s, claim.job_s) == (300.0, None)


@pytest.mark.parametrize(
    ("text", "sizes", "ratio"),
    [
        ("batch size 32 -> 64 doubles throughput on a 3080", (64, 32), 2.0),
        ("batch size 32 → 64 doubles throughput on a 3080", (64, 32), 2.0),
        ("batch 32 to 64 doubles throughput on a 3080", (64, 32), 2.0),
        ("batch size 从 16 加到 64，每秒样本数只多了 20%", (64, 16), 1.2),
        ("批大小 16→64，吞吐涨了 20%", (64, 16), 1.2),
    ],
)
def test_a_batch_that_became_another_is_read_with_what_that_brought(
    text: str, sizes: tuple[int, int], ratio: float
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.batch_size, claim.reference_batch_size) == sizes
    assert claim.speed_up_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("a 13B model needs 26GB just for weights in fp16", "plausible"),
        ("the weights of a 7B model take 14 GB", "plausible"),
        ("a 7B model in fp32 needs 28 GB for the weights alone", "plausible"),
        ("7B 模型 4bit 权重只要 3.5GB", "plausible"),
        ("13B 的权重 fp16 要 26GB", "plausible"),
        ("the weights of a 7B model in fp32 take 14 GB", "impossible"),
    ],
)
def test_weights_alone_are_held_against_their_own_bytes(text: str, verdict: Verdict) -> None:
    answer = check_claim(text, real_predictor())
    assert answer.verdict == verdict
    assert_readable(answer)


def test_a_training_is_no_matter_of_weights_alone() -> None:
    assert parse_claim("QLoRA of a 7B with 4-bit weights needs 6 GB", spec_table()).mode == "training"
    assert parse_claim("training a 7B takes 14 GB for the weights", spec_table()).mode == "training"


def test_a_time_between_two_precisions_is_too_slow_for_the_faster_one() -> None:
    """Something may have slowed the run; nothing can have sped it up."""
    answer = check_claim("Llama 3 8B with LoRA trains at 1200 tokens/s on an H100 SXM", real_predictor())
    assert answer.verdict == "below_expected"
    assert answer.expected_step_s is not None
    assert answer.claimed_step_s is not None
    assert answer.claimed_step_s > answer.expected_step_s.high
    assert "claim-too-fast-in" in {reason.code for reason in answer.reasons}
    assert_readable(answer)


def test_a_rate_that_only_a_batch_below_the_usual_one_has_is_plausible_with_that_alone() -> None:
    claim = "finetuning bert-base on 50k samples takes 6 minutes per epoch on a 4090"
    assert_judged(claim, "plausible_only_with", "claim-only-with-small-batch")
    assert_judged(f"{claim} at batch 32", "below_expected", "claim-below")


def test_what_several_cards_cannot_do_is_told_of_all_of_them() -> None:
    answer = check_claim("4 x 4090 train ResNet-50 at 200000 images/s", real_predictor())
    assert answer.verdict == "impossible"
    assert "4 × RTX 4090 has a peak of 661 TFLOP/s" in say(answer.reasons[0], "en")


def test_two_cards_whose_range_holds_either_order_are_not_told_as_one() -> None:
    answer = check_claim("two 3090s are faster than one 4090", real_predictor())
    assert answer.reasons[0].code == "claim-order-open"
    assert answer.expected_ratio is not None
    assert answer.expected_ratio.low < 1 < answer.expected_ratio.high


@pytest.mark.parametrize("model", ["gpt2", "vit_base", "resnet50"])
def test_sharding_is_also_held_against_copies_with_the_same_operators(model: str) -> None:
    """Shards cast to 16 bits run norms in them: without that, sharding is no quicker."""
    answer = check_claim(f"FSDP is as fast as DDP for {model} on 8 A100 SXM 80GB", real_predictor())
    assert answer.verdict == "plausible"
    assert answer.expected_ratio is not None
    assert answer.expected_ratio.holds(1.0)
    assert "claim-why-sharded" in {reason.code for reason in answer.reasons}


@pytest.mark.parametrize(
    ("card", "keys"),
    [
        ("A100 80G", {"a100-pcie-80", "a100-sxm4-80"}),
        ("A100-40G", {"a100-pcie-40", "a100-sxm4-40"}),
        ("A100 SXM 80G", {"a100-sxm4-80"}),
        ("A100 80G PCIe", {"a100-pcie-80"}),
        ("A100 400G", {"a100-pcie-40", "a100-pcie-80", "a100-sxm4-40", "a100-sxm4-80"}),
    ],
)
def test_gigabytes_behind_a_card_tell_which_it_is(card: str, keys: set[str]) -> None:
    assert set(parse_claim(f"{card} trains ResNet-50 at 2000 images/s", spec_table()).gpus) == keys


@pytest.mark.parametrize(
    ("text", "tokens_per_s"),
    [
        ("training a 70B on 15T tokens takes 6.4M H100 hours", 15e12 / 6.4e6 / 3600),
        ("7B 预训练 2T token 用了 184320 A100 卡时", 2e12 / 184320 / 3600),
        ("Llama 2 7B used 184,320 A100 GPU-hours for 2T tokens", 2e12 / 184320 / 3600),
    ],
)
def test_hours_of_cards_are_a_rate_of_each(text: str, tokens_per_s: float) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.per_card, claim.count, claim.fits) == (True, None, None)
    assert claim.tokens_per_s == pytest.approx(tokens_per_s)


def test_hours_of_cards_without_tokens_are_refused_as_that() -> None:
    with pytest.raises(SaidError) as refused:
        parse_claim("training BERT-base took 100 GPU hours on V100", spec_table())
    assert refused.value.reasons[0].code == "claim-card-hours"


def test_many_cards_and_a_time_are_no_hours_of_cards() -> None:
    assert parse_claim("8 卡时速度是单卡的 7 倍", spec_table()).speed_up_ratio == 7.0
    assert parse_claim("8 A100 train ResNet-50 in 24 hours", spec_table()).job_s == 86400.0


@pytest.mark.parametrize(
    ("text", "ratio"), [("混合精度在 T4 上快 2.5 倍", 2.5), ("V100 上 fp16 没有加速", 1.0), ("T4 上 fp16 快三成", 1.3)]
)
def test_a_precision_and_its_card_in_chinese_are_one_change(text: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.precision, claim.reference_precision, claim.speed_up_ratio) == ("fp16_amp", "fp32", ratio)


def test_tenths_are_read_as_per_cent() -> None:
    claim = parse_claim("AdamW 换成 8bit 显存少了 3 成", spec_table())
    assert claim.switched == "optimizer_8bit"
    assert claim.memory_ratio == pytest.approx(0.7)


def test_samples_of_a_length_are_tokens_in_chinese_too() -> None:
    claim = parse_claim("用 3 张 A100 40G 微调 13B LoRA 一个 epoch 2 小时，5 万条 512 长度", spec_table())
    assert (claim.passed_tokens, claim.epoch_s) == (50_000 * 512.0, 7200.0)


def test_a_claim_without_a_length_says_which_one_it_is_judged_at() -> None:
    answer = check_claim("my T4 needs 2h for 1 epoch of BERT on 25k samples", real_predictor())
    assert answer.reasons[-1].code == "claim-length-of-model"
    named = check_claim("my T4 needs 2h for 1 epoch of BERT on 25k samples of length 128", real_predictor())
    assert "claim-length-of-model" not in {reason.code for reason in named.reasons}


def test_phrases_in_a_chinese_sentence_have_no_spaces_between_them() -> None:
    answer = check_claim("梯度检查点让训练慢了 30%", real_predictor())
    assert "完整的激活检查点相对不用检查点预期" in say(answer.reasons[0], "zh")


@pytest.mark.parametrize(
    "text",
    [
        "GPT-2 124M on 8 A100, 300k iters took 4 days at 0.5M tokens per step",
        "GPT-2 124M on 8 A100: 1.152 s per step, batch size of 500000 tokens",
        "GPT-2 在 8 张 A100 上训练，每步 50 万词元，每步 1.152 秒",
        "a 0.5M-token batch takes 1.152 s per step for GPT-2 on 8 A100",
    ],
)
def test_the_tokens_of_a_step_make_a_rate_of_its_time_and_are_no_length(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.step_s, claim.sequence_length, claim.batch_size, claim.trained_tokens) == (None, None, None, None)
    assert claim.tokens_per_s == pytest.approx(500_000 / 1.152)
    assert (claim.workload, claim.count) == ("gpt2_small", 8)
