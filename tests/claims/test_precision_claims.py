"""Claims of FP8 against BF16, and of two cards that each compute in a precision of their own."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_judged
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("FP8 is 1.3x faster than BF16 on an H100 with 7B", "fp8", "bf16_amp"),
        ("FP8 doubles the speed on an H100 with 7B", "fp8", "bf16_amp"),
        ("FP8 made training 1.4 times faster on an H100 with 7B", "fp8", "bf16_amp"),
        ("在 H100 上 FP8 比 BF16 快 1.3 倍，7B", "fp8", "bf16_amp"),
        ("mixed precision made BERT-large 2.4 times faster on a V100", "fp16_amp", "fp32"),
        ("an H100 in FP8 is 4x faster than an A100 in BF16 with 7B", "fp8", "bf16_amp"),
        ("FP8 on an H100 is 4x faster than BF16 on an A100 with 7B", "fp8", "bf16_amp"),
        ("BERT-large on an A100 in BF16 is 15x faster than on a V100 in FP32", "bf16_amp", "fp32"),
        ("BERT-large: V100 in FP32 3 hours, A100 in BF16 1 hour", "bf16_amp", "fp32"),
        ("an H100 with FP8 is 4x faster than an A100 with 7B", "fp8", None),
        ("FP16 AMP made ResNet-50 on a V100 2.9x faster than FP32", "fp16_amp", "fp32"),
        ("BF16 AMP is 2.5x faster than FP32 for BERT-base on an A100", "bf16_amp", "fp32"),
        ("mixed precision (bf16) is 1.8x faster than TF32 for ViT-Base on an H100", "bf16_amp", "tf32"),
        ("ViT-Base 用 BF16 混合精度比 FP32 快 2.5 倍，A100", "bf16_amp", "fp32"),
        ("FP16 autocast is 1.1x faster than BF16 autocast on an A100 for BERT-base", "fp16_amp", "bf16_amp"),
        ("BERT-large in BF16: an H100 is 2x faster than an A100", "bf16_amp", None),
    ],
)
def test_each_side_has_the_precision_that_stands_beside_it(text: str, after: str, before: str | None) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.precision, claim.reference_precision) == (after, before)


JUDGED: list[tuple[str, Verdict, str]] = [
    ("FP8 is 1.3x faster than BF16 on an H100 SXM with 7B", "plausible", "claim-change-plausible"),
    ("FP8 is 5x faster than BF16 on an H100 SXM with 7B", "impossible", "claim-change-impossible"),
    ("an H100 SXM with FP8 is 2.5x faster than an A100 SXM 80GB with 7B", "plausible", "claim-ratio-each-plausible"),
    ("an H100 SXM in FP8 is 20x faster than an A100 SXM 80GB in BF16", "impossible", "claim-ratio-each-impossible"),
    ("an H100 SXM in FP8 is 1.0x as fast as an A100 SXM 80GB in BF16, 7B", "below_expected", "claim-ratio-each-below"),
    ("FP16 AMP made ResNet-50 on a V100 2.9x faster than FP32", "plausible", "claim-change-plausible"),
    ("7B in FP8 at 9000 tokens/s on one H100 SXM", "plausible_only_with", "claim-size-expected"),
    ("7B FP8 at 20% MFU on 8 H100 SXM", "plausible", "claim-mfu-expected"),
    ("H100 SXM 用 FP8 比 A100 SXM 80GB 用 BF16 快 2.5 倍，7B", "plausible", "claim-ratio-each-plausible"),
]


@pytest.mark.parametrize(("text", "verdict", "code"), JUDGED, ids=[text for text, _, _ in JUDGED])
def test_cards_and_precisions_are_judged_in_both_languages(text: str, verdict: Verdict, code: str) -> None:
    assert_judged(text, verdict, code)


def test_the_bound_of_two_precisions_is_that_of_their_data_sheets() -> None:
    answer = check_claim("an H100 SXM in FP8 is 20x faster than an A100 SXM 80GB in BF16", real_predictor())
    assert answer.bound_ratio == pytest.approx(1979e12 / 312e12 * 1.03, rel=0.01)


@pytest.mark.parametrize(
    "text",
    [
        "BF16 on a T4 trains BERT-base at 300 samples/s",
        "FP8 on an A100 trains Llama 3 8B at 4000 tokens/s",
        "7B in FP8 at 4000 tokens/s on an A100",
    ],
)
def test_a_precision_that_the_card_lacks_is_named_as_what_is_missing(text: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == "claim-card-lacks-precision"


@pytest.mark.parametrize("text", ["FP64 is as fast as FP32 on an RTX 4090", "A100 双精度训练 ResNet-50 每秒 100 张"])
def test_double_precision_is_said_not_to_be_predicted(text: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == "claim-double-precision"


def test_a_card_that_lacks_the_precision_of_a_ratio_is_said_to_compute_in_its_own() -> None:
    text = "H100 SXM is 12 times faster than V100 for BERT-large"
    (first, *_) = check_claim(parse_claim(text, spec_table()), real_predictor()).reasons
    assert first.numbers["precision"] == "TF32 / FP32"
    text = "H100 SXM is 12 times faster than A100 SXM 80GB for BERT-large"
    (first, *_) = check_claim(parse_claim(text, spec_table()), real_predictor()).reasons
    assert "/" not in str(first.numbers["precision"])
