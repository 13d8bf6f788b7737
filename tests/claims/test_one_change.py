"""Claims of one card against itself: a precision over another, torch.compile, a batch size, and what fits."""

from __future__ import annotations

import dataclasses

import pytest

from advisor.claims.claim import Verdict
from advisor.claims.judge import check_claim
from advisor.claims.predictor import Predictor
from advisor.claims.reading.reader import parse_claim
from advisor.core.errors import InputError
from tests.recommend.fakes import SPECS
from tests.recommend.real_predictor import real_predictor


def predictor_with_memory() -> Predictor:
    return dataclasses.replace(real_predictor(), solves_memory=True, _tables={})


@pytest.mark.parametrize(
    ("text", "after", "before", "ratio"),
    [
        ("bf16 is 2x faster than fp32 on an A100 for BERT-base", "bf16_amp", "fp32", 2.0),
        ("going from fp32 to tf32 made ResNet-50 1.5 times faster on an A100", "tf32", "fp32", 1.5),
        ("在 A100 上 bf16 比 fp32 快 2 倍", "bf16_amp", "fp32", 2.0),
        ("mixed precision made ResNet-50 2.4 times faster on a V100", "fp16_amp", "fp32", 2.4),
        ("FP8 is twice as fast as BF16 on an H100 for llama_8b", "fp8", "bf16_amp", 2.0),
    ],
)
def test_two_precisions_are_read_as_after_and_before(text: str, after: str, before: str, ratio: float) -> None:
    claim = parse_claim(text, SPECS)
    assert (claim.precision, claim.reference_precision, claim.speed_up_ratio) == (after, before, ratio)


@pytest.mark.parametrize("words", ["is 3x as fast as batch", "instead of", "rather than"])
def test_two_batch_sizes_are_read_as_after_and_before(words: str) -> None:
    claim = parse_claim(f"batch 64 {words} 32 is 3x as fast on a V100 for ResNet-50", SPECS)
    assert (claim.batch_size, claim.reference_batch_size) == (64, 32)


def test_a_change_to_a_precision_that_the_card_lacks_is_refused_by_it() -> None:
    with pytest.raises(InputError, match=r"V100 has no units for FP8"):
        check_claim("FP8 is twice as fast as BF16 on a V100 for BERT-base", real_predictor())


def test_an_efficiency_behind_a_colon_is_no_number_of_cards() -> None:
    claim = parse_claim("2 GPUs: 90% scaling efficiency", SPECS)
    assert (claim.count, claim.reference_count, claim.speed_up_ratio) == (2, 1, 1.8)


def test_a_ratio_by_a_sign_is_read() -> None:
    claim = parse_claim("DataParallel 7.9× on 8 GPUs", SPECS)
    assert (claim.count, claim.strategy, claim.speed_up_ratio) == (8, "dp", 7.9)


@pytest.mark.parametrize("text", ["-3 times faster with 2 GPUs", "2 GPUs made it 0 times faster", "0 ms on a V100"])
def test_a_figure_of_zero_or_below_is_refused_as_such(text: str) -> None:
    with pytest.raises(InputError, match="zero or below"):
        parse_claim(text, SPECS)


@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [
        ("bf16 is 3x faster than fp32 on an A100 SXM 40GB for BERT-base", "plausible", "claim-change-plausible"),
        ("bf16 is 60x faster than fp32 on an A100 SXM 40GB for BERT-base", "impossible", "claim-change-impossible"),
        ("torch.compile makes ResNet-50 9x faster on a 4090", "plausible_only_with", "claim-change-above"),
        (
            "batch 64 is 8x as fast as batch 32 on a V100 SXM2 32GB, ResNet-50",
            "impossible",
            "claim-change-impossible",
        ),
        ("bf16 is 1.01x faster than fp32 on an A100 SXM 40GB for BERT-large", "below_expected", "claim-change-below"),
        ("a full fine-tune of Llama 8B fits on one 4090", "plausible_only_with", "claim-fits-only-with"),
        ("a full fine-tune of Llama 8B fits on one RTX 3060 12GB", "impossible", "claim-fits-not"),
        ("a full fine-tune of Llama 8B fits on 8 A100 80GB", "plausible", "claim-fits"),
        ("ResNet-50 can be trained on one V100", "plausible", "claim-fits"),
        ("a full fine-tune of Llama 8B does not fit on one 4090", "plausible", "claim-fits-not"),
        ("Llama 8B QLoRA fits on one 4090", "plausible", "claim-fits"),
        ("一张 4090 放得下 BERT-base", "plausible", "claim-fits"),
    ],
)
def test_one_card_is_held_against_itself(text: str, verdict: Verdict, code: str) -> None:
    answer = check_claim(text, predictor_with_memory())
    assert (answer.verdict, answer.reasons[0].code) == (verdict, code)
