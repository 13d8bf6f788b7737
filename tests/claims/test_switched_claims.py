"""Claims of one switch told alone, of what a change does to memory in shares and bytes, and of bare figures."""

from __future__ import annotations

import dataclasses

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Verdict
from advisor.claims.judge import check_claim
from advisor.claims.more_cards import LINEAR_SLACK
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_judged, assert_readable
from tests.recommend.real_predictor import real_predictor

SWITCHES: list[tuple[str, str, float]] = [
    ("channels_last gave 20 %", "channels_last", 1.2),
    ("channels last made ResNet-50 20% faster", "channels_last", 1.2),
    ("开启 channels_last 提升 20%", "channels_last", 1.2),
    ("without channels_last ResNet-50 is 20 % slower", "channels_last", 1.25),
    ("fused Adam 5 % faster", "fused_optimizer", 1.05),
    ("fused AdamW 让 GPT-2 快 5%", "fused_optimizer", 1.05),
    ("8-bit Adam is 10 % slower", "optimizer_8bit", 0.9),
]


@pytest.mark.parametrize(("text", "switch", "ratio"), SWITCHES)
def test_a_switch_told_alone_is_held_against_the_same_without_it(text: str, switch: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.switched == switch
    assert claim.speed_up_ratio == pytest.approx(ratio)


PRECISIONS: list[tuple[str, str, float]] = [
    ("TF32 made it 2x", "tf32", 2.0),
    ("U-Net 从 99 ms 降到 42 ms 因为 TF32", "tf32", 99 / 42),
    ("U-Net went from 99 ms to 42 ms with TF32 on A100", "tf32", 99 / 42),
    ("ResNet-50 is 2.4x faster with AMP on a V100", "fp16_amp", 2.4),
    ("用 TF32 后 BERT 快了 2 倍 A100", "tf32", 2.0),
]


@pytest.mark.parametrize(("text", "precision", "ratio"), PRECISIONS)
def test_a_precision_told_as_the_cause_is_held_against_fp32(text: str, precision: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.precision, claim.reference_precision) == (precision, "fp32")
    assert claim.speed_up_ratio == pytest.approx(ratio)


def test_a_change_on_several_cards_is_held_against_as_many() -> None:
    claim = parse_claim("bf16 made training 2x faster on 8 A100", spec_table())
    assert (claim.count, claim.reference_count, claim.reference_precision) == (8, 8, "fp32")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("torch.compile on 8 A100: 1.3x", 8),
        ("torch.compile on 8 cards = 1.3x", 8),
        ("8 张 A100 上 torch.compile：1.3 倍", 8),
        ("torch.compile on 8 A100: +30%", 8),
    ],
)
def test_a_change_told_as_a_heading_is_held_against_as_many_without_it(text: str, count: int) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.compile, claim.count, claim.reference_count) == (True, count, count)
    assert claim.speed_up_ratio == pytest.approx(1.3)


def test_other_changes_told_as_a_heading_are_no_scaling() -> None:
    assert parse_claim("bf16 on 8 A100: 2x", spec_table()).reference_precision == "fp32"
    assert parse_claim("flash attention on 4 H100: 1.5x", spec_table()).reference_attention == "eager"
    assert parse_claim("channels_last on 4 A100: +10%", spec_table()).switched == "channels_last"


@pytest.mark.parametrize(
    "text",
    ["4 GPUs with compile gave 3.2x", "4 GPUs made it 3.2x faster with AMP", "4 A100 with bf16: 3.2x"],
)
def test_cards_that_are_the_subject_are_held_against_one(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.count, claim.reference_count, claim.reference_precision) == (4, 1, None)


MEMORY: list[tuple[str, Verdict, str]] = [
    ("bf16 halves memory", "plausible", "claim-memory-plausible"),
    ("bf16 halved the memory of GPT-2", "plausible_only_with", "claim-memory-above"),
    ("混合精度让显存省一半", "plausible", "claim-memory-plausible"),
    ("fp16 训练显存减半", "plausible", "claim-memory-plausible"),
    ("4 A100 SXM 80GB with DDP are 1.5x faster than 4 A100 SXM 80GB with DP", "plausible", "claim-change-plausible"),
    ("DDP on 2 GPUs takes 60 % of the time", "plausible", "claim-efficiency-plausible"),
    ("8 GPUs scale 7.2x with NVLink", "plausible", "claim-efficiency-plausible"),
    ("bf16 on an A100 SXM 80GB made BERT 3x faster", "plausible", "claim-change-plausible"),
    ("channels_last makes ViT 30% faster", "plausible_only_with", "claim-change-above"),
    ("FSDP halves memory on 2 GPUs", "plausible", "claim-memory-plausible"),
    ("8-bit AdamW cut memory by 30 %", "plausible", "claim-memory-plausible"),
    ("gradient checkpointing cut memory by 60 %", "plausible", "claim-memory-plausible"),
    ("doubling the batch doubles memory", "plausible", "claim-memory-plausible"),
    ("batch 64 needs twice the memory of batch 32 for ResNet-50", "below_expected", "claim-memory-below"),
    ("flash attention 省 10 倍显存", "plausible_only_with", "claim-memory-above"),
    ("flash attention saves 10x memory", "plausible_only_with", "claim-memory-above"),
    ("用 ZeRO-3 后显存降到原来的一半，8 卡", "plausible", "claim-memory-plausible"),
    ("batch size 从 32 提到 128，ResNet-50 在 V100 上速度提升 20%", "plausible", "claim-change-plausible"),
    ("MFU 从 35% 提到 52%，8 张 A100，7B", "plausible", "claim-mfu-expected"),
    ("QLoRA fits a 70B in 48 GB", "plausible", "claim-size-fits"),
    ("8-bit Adam saved 40 GB on llama 8B", "plausible", "claim-saved-plausible"),
    ("8-bit Adam on 7B saved 45GB", "plausible", "claim-saved-plausible"),
    ("8-bit Adam saved 6 GB on llama 8B", "below_expected", "claim-saved-below"),
    ("8 位 Adam 在 llama 8B 上省了 40 GB 显存", "plausible", "claim-saved-plausible"),
    ("8-bit Adam saved 200 GB on llama 8B", "plausible_only_with", "claim-saved-above"),
    ("gradient checkpointing saved 10 GB on BERT-large", "plausible", "claim-saved-plausible"),
    ("gradient checkpointing saved 100 GB on BERT-large at batch 4", "impossible", "claim-saved-impossible"),
    ("channels_last gave 20 %", "plausible", "claim-change-plausible"),
    ("compile gave 30%", "plausible", "claim-change-plausible"),
    ("fused Adam makes GPT-2 3x faster", "plausible_only_with", "claim-change-above"),
]


@pytest.mark.parametrize(("text", "verdict", "code"), MEMORY, ids=[text for text, _, _ in MEMORY])
def test_what_a_change_saves_is_judged_by_what_both_sides_hold(text: str, verdict: Verdict, code: str) -> None:
    predictor = dataclasses.replace(real_predictor(), solves_memory=True, _tables={})
    answer = check_claim(text, predictor)
    assert (answer.verdict, answer.reasons[0].code) == (verdict, code)
    assert_readable(answer)


def test_eight_bit_states_save_six_bytes_a_parameter_or_two_beside_pure_bf16() -> None:
    answer = check_claim("8-bit Adam saved 40 GB on llama 8B", real_predictor())
    expected, parameters = answer.expected_saved_bytes, 8.03e9
    assert expected is not None
    assert expected.low < 6 * parameters < expected.high


REFUSED = [
    ("flash attention saves 10 GB", "claim-saved-without-model"),
    ("gradient checkpointing saved 400 GB on a 70B", "claim-saved-without-model"),
    ("8-bit Adam saves 75% of optimizer memory", "claim-memory-of-a-part"),
    ("8 位 Adam 让优化器显存减少 75%", "claim-memory-of-a-part"),
    ("FSDP halves memory", "claim-strategies-without-count"),
    ("4 A100 with NVLink are 1.5x faster than 4 A100 with PCIe", "claim-change-unjudged"),
    ("4 A100 in Docker are 1.1x slower than 4 A100 on bare metal", "claim-same-cards"),
    ("NVLink 比 PCIe 快 1.8 倍", "claim-change-unjudged"),
    ("Unsloth is 2x faster", "claim-change-unjudged"),
    ("int8 inference is 2x faster", "claim-change-unjudged"),
    ("gradient accumulation gave 20 % on 8 A100", "claim-change-unjudged"),
    ("channels_last gave 2x for BERT", "claim-layout-without-pictures"),
    ("larger num_workers gave 30 %", "claim-change-unjudged"),
]


@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_what_cannot_be_judged_is_refused_by_what_is_missing(text: str, code: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == code


def test_cards_that_gain_more_than_their_number_stay_impossible() -> None:
    assert_judged("8 A100 in bf16 are 12x as fast as one in fp32", "impossible", "claim-more-than-linear")


@pytest.mark.parametrize(
    "text",
    [
        "bf16 gave me 3x on a 4090 for ResNet-50",
        "TF32 is 3x faster than FP32 on a 3090 for ResNet-50",
        "bf16 gave me 60x on a 4090 for ResNet-50",
        "bf16 is 60x faster than fp32 on an A100 SXM 40GB for BERT-base",
    ],
)
def test_nothing_is_called_impossible_by_a_bound_that_the_prediction_itself_passes(text: str) -> None:
    answer = check_claim(text, real_predictor())
    assert answer.expected_ratio is not None
    assert answer.verdict == "impossible" or answer.bound_ratio is None
    assert answer.bound_ratio is None or answer.expected_ratio.value <= LINEAR_SLACK * answer.bound_ratio
