"""A change that is said to make the same cards faster or slower, by how much is not said; and kinds that are one."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.overlooked.otherwise import left_out
from advisor.claims.reading.reader import parse_claim
from tests.claims.judged import assert_judged, assert_readable, assert_refused
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("torch.compile is slower than eager for LSTM on a 3090", {"compile": True, "told_as": "most"}),
        (
            "bf16 is faster than fp32 on a 3090 for bert-large",
            {"precision": "bf16_amp", "reference_precision": "fp32", "told_as": "least"},
        ),
        (
            "DDP is faster than DataParallel on 4x 3090 for resnet50",
            {"strategy": "ddp", "reference_strategy": "dp", "count": 4, "told_as": "least"},
        ),
        (
            "bf16比fp16慢，3090，ResNet50",
            {"precision": "bf16_amp", "reference_precision": "fp16_amp", "told_as": "most"},
        ),
    ],
)
def test_a_change_is_faster_or_slower_without_a_figure(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.speed_up_ratio == 1.0
    assert {name: getattr(claim, name) for name in fields} == fields
    answer = check_claim(text, real_predictor())
    assert answer.verdict == "plausible"
    assert_readable(answer)


def test_an_order_that_contradicts_what_is_expected_is_not_plausible() -> None:
    assert_judged("bf16 is slower than fp32 on a 3090 for bert-large", "below_expected", "claim-bound-not-slower")


@pytest.mark.parametrize(
    "text", ["FA3 over FA2 gives 1.5x on H100", "xformers attention is 20% faster than SDPA on a 4090 for GPT-2"]
)
def test_two_kernels_that_are_predicted_as_one_are_not_held_against_each_other(text: str) -> None:
    assert_refused(text, "claim-change-unjudged")


def test_weights_of_four_bits_are_trained_by_adapters() -> None:
    claim = parse_claim("4bit 13B training on 16GB works", spec_table())
    assert (claim.weights_bits, claim.trainable) == (4, "lora")
    assert parse_claim("my 3090 does 45 tok/s on a 4bit 13B", spec_table()).trainable is None


@pytest.mark.parametrize(
    ("text", "form", "other", "ratio"),
    [
        ("H100 PCIe trains our 7B at 80% of the SXM speed", "h100-pcie", "h100-sxm", 0.8),
        ("A100 SXM vs PCIe: SXM is 15% faster for bert-large", "a100-sxm4-80", "a100-pcie-80", 1.15),
        ("A100 PCIe is 12% slower than the SXM version on GPT-2", "a100-pcie-80", "a100-sxm4-80", 0.88),
    ],
)
def test_two_forms_of_a_card_are_two_cards(text: str, form: str, other: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert form in claim.gpus
    assert other in claim.reference_gpus
    assert claim.speed_up_ratio == pytest.approx(ratio)


def test_a_link_of_the_same_cards_is_no_form_of_them() -> None:
    claim = parse_claim("8 x A100 over PCIe are 30% slower than with NVLink for bert-large", spec_table())
    assert (claim.interconnect, claim.reference_interconnect) == ("without NVLink", "NVLink")
    assert (claim.count, claim.reference_count, claim.reference_gpus) == (8, 8, ())


def test_a_word_that_stands_twice_is_tried_at_both_places() -> None:
    claim = parse_claim("Kaggle P100 or T4 x2? The T4 x2 is about 1.4x faster with AMP", spec_table())
    assert (claim.count, claim.reference_count) == (2, 1)
    assert left_out(claim, spec_table()) == ("kaggle",)
