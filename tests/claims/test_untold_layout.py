"""Claims about models of pictures that tell neither layout nor which FP32: most run torch's own defaults."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import ClaimEntry
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from tests.claims.judged import assert_judged, assert_readable
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    "text",
    ["3090 ResNet-50 AMP batch 256: 800 images/s", "A100 ResNet-50 AMP batch 256: 1500 images/s"],
)
def test_a_rate_of_torchs_usual_layout_is_plausible_where_none_is_told(text: str) -> None:
    answer = check_claim(text, real_predictor())
    assert answer.verdict == "plausible"
    assert "claim-usual-layout" in {reason.code for reason in answer.reasons}
    assert_readable(answer)
    assert_judged(f"{text}, channels_last", "below_expected", "claim-below")


def test_a_rate_of_channels_last_is_plausible_too() -> None:
    answer = check_claim("A100 ResNet-50 AMP batch 256: 2300 images/s", real_predictor())
    assert answer.verdict == "plausible"
    assert "claim-usual-layout" not in {reason.code for reason in answer.reasons}


def test_what_is_too_slow_in_either_layout_is_told_by_the_slower_one() -> None:
    slow = "3090 ResNet-50 AMP batch 256: 300 images/s"
    answer, of_nhwc = (check_claim(text, real_predictor()) for text in (slow, f"{slow}, channels_last"))
    assert answer.verdict == of_nhwc.verdict == "below_expected"
    assert answer.expected_step_s is not None
    assert of_nhwc.expected_step_s is not None
    assert answer.expected_step_s.value > of_nhwc.expected_step_s.value


def test_fp32_of_convolutions_may_be_torchs_default_and_strict_fp32_is_not() -> None:
    told = "ResNet-50 on a 3090 in FP32 batch 64: 430 images/s"
    assert check_claim(told, real_predictor()).verdict == "plausible"
    strict = check_claim(told.replace("FP32", "strict FP32"), real_predictor())
    assert strict.verdict == "plausible_only_with"
    fields = ClaimEntry(gpu="rtx3090", workload="resnet50", precision="fp32", batch_size=64, samples_per_s=430.0)
    # A field says what it means: torch's default has a word of its own.
    assert check_claim(fields, real_predictor()).verdict == "plausible_only_with"


def test_what_amp_gains_over_fp32_holds_torchs_default_too() -> None:
    wide = check_claim("AMP made U-Net 2x faster on an A100", real_predictor())
    assert wide.verdict == "plausible"
    assert "claim-fp32-by-default" in {reason.code for reason in wide.reasons}
    narrow = check_claim("AMP made U-Net 2x faster on an A100 than strict FP32", real_predictor())
    assert (narrow.verdict, narrow.reasons[0].code) == ("plausible_only_with", "claim-only-over-tf32")


def test_the_number_of_cards_that_stands_before_a_rate_is_its_own() -> None:
    text = "双卡3090加NVLink跑DDP，ViT-B训练吞吐从单卡的310张/s到600张/s"
    claim = parse_claim(text, spec_table())
    assert (claim.count, claim.reference_count, claim.reference_interconnect) == (2, 1, None)
    assert claim.speed_up_ratio == pytest.approx(600 / 310)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "With mixed precision my RTX 3060 trains ResNet-50 at 380 images per second versus 210 in full precision",
            {"precision": "fp16_amp", "reference_precision": "fp32", "speed_up_ratio": pytest.approx(380 / 210)},
        ),
        (
            "Switching from fp16 to bf16 on A100 changed nothing in speed",
            {"precision": "bf16_amp", "reference_precision": "fp16_amp", "speed_up_ratio": 1.0},
        ),
        (
            "Switching to 8bit Adam slowed training by 5% for GPT-2 on a 4090",
            {"switched": "optimizer_8bit", "speed_up_ratio": pytest.approx(1 / 1.05)},
        ),
        (
            "AMP only gives me 1.3x on ResNet-50 with my 3090",
            {"precision": "fp16_amp", "reference_precision": "fp32", "speed_up_ratio": 1.3},
        ),
    ],
)
def test_changes_are_read_as_people_tell_them(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert {name: getattr(claim, name) for name in fields} == fields
