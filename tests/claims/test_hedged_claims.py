"""Claims that hedge their figure: ranges, corrections of what was hoped for, bounds, and denials of a comparison."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.claims.reading.text.plain_text import corrected, normalised
from advisor.claims.reading.text.told_range import find_bound, find_ranges
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_judged, assert_readable
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("a 4090 is 2.5-3x faster than a 2080 Ti", ("2.5x", "3x")),
        ("2x-3x faster", ("2x", "3x")),
        ("ZeRO-3 slowed it down by 30-40%", ("30%", "40%")),
        ("速度慢了20%到30%", ("20%", "30%")),
        ("快了大约15%~25%", ("15%", "25%")),
        ("H100比A100快两三倍", ("2", "3")),
        ("somewhere between 1.5 and 2 times a V100", ("1.5 times", "2 times")),
        ("a step takes 300 to 400 ms", ("300 ms", "400 ms")),
        ("1,200-1,500 img/s", ("1200 img/s", "1500 img/s")),
        ("200-300k tok/s", ("200000 tok/s", "300000 tok/s")),
        ("a speedup of 1.7-1.8 on 2 GPUs", ("1.7", "1.8")),
    ],
)
def test_a_range_has_two_ends(text: str, ends: tuple[str, str]) -> None:
    (told,) = find_ranges(normalised(text))
    assert told.ends == ends


@pytest.mark.parametrize(
    "text",
    ["MFU went from 40% to 55%", "from 2x to 3x", "2-4x A100", "ViT-B/16 2x faster", "batch 64-128", "3 和 4 倍"],
)
def test_a_change_a_number_of_cards_and_a_name_are_no_range(text: str) -> None:
    assert find_ranges(normalised(text)) == ()


@pytest.mark.parametrize(
    ("text", "ratio", "verdict", "code"),
    [
        ("two 3090s are 1.6-1.8x as fast as one, resnet50", 1.8, "plausible", "claim-range-end"),
        ("two 3090s are 1.1-1.3x as fast as one, resnet50, batch 256", 1.3, "below_expected", "claim-range-end"),
        ("two 3090s are 2.5-3x as fast as one, resnet50", 2.5, "impossible", "claim-range-end"),
        ("4张V100跑ResNet-50，相比单卡加速3.6到3.8倍", 3.8, "plausible", "claim-range-end"),
    ],
)
def test_a_range_is_judged_by_its_nearest_end(text: str, ratio: float, verdict: Verdict, code: str) -> None:
    answer = check_claim(text, real_predictor())
    assert (answer.claim.speed_up_ratio, answer.verdict, answer.claim.text) == (ratio, verdict, text)
    assert code in {reason.code for reason in answer.reasons}
    assert_readable(answer)


def test_a_range_that_holds_what_is_expected_is_judged_by_its_middle() -> None:
    answer = check_claim("an A100 is 2 to 9 times as fast as a T4 for bert-base in fp16", real_predictor())
    assert answer.verdict == "plausible"
    assert "claim-range-middle" in {reason.code for reason in answer.reasons}


CORRECTED = [
    ("Going from 1 to 2 3090s doesn't give you 2x, more like 1.7x on BERT-large.", "2x", 1.7),
    ("With 8 A100s we see not 8x but 7.4x scaling on ResNet-50.", "8x", 7.4),
    ("LoRA isn't 2x faster, I only see 1.3x on a 7B with A100s.", "2x", 1.3),
    ("LoRA isnt twice as fast, just 30% faster on a 7B", "twice", 1.3),
    ("We got 1.85x instead of 2x from two A100", "2x", 1.85),
    ("the speedup on 2 V100 is 1.85x, not 2x", "2x", 1.85),
    ("speedup 1.6x vs the theoretical 2x on two 4090", "2x", 1.6),
    ("people say H100 is 3x A100 but in our bf16 runs it's closer to 2.1x", "3x", 2.1),
    ("H100并不比A100快3倍，实际只有1.8倍左右", "3倍", 1.8),
    ("两张3090训练速度并没有翻倍，只有1.75倍左右", "翻倍", 1.75),
]


@pytest.mark.parametrize(("text", "denied", "ratio"), CORRECTED)
def test_a_denied_figure_gives_way_to_the_one_told_for_it(text: str, denied: str, ratio: float) -> None:
    told = corrected(text)
    assert told is not None
    assert told.figure == denied
    assert parse_claim(text, spec_table()).speed_up_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(
    "text",
    [
        "not bad: a 3090 is 1.5x a 2080 Ti, a 4090 only 2x",
        "3 hours instead of 5 with bf16",
        "bf16 is 1.8x as fast as fp32 on a 3090, fp16 is not slower",
        "LoRA isn't 2x faster, only 30% on a 7B",
    ],
)
def test_two_figures_of_two_things_are_both_kept(text: str) -> None:
    assert corrected(text) is None


def test_what_was_hoped_for_is_said_not_to_be_judged() -> None:
    answer = check_claim("an epoch of ResNet-50 should take 20 min on a V100 but takes 45 min", real_predictor())
    assert answer.claim.epoch_s == 2700.0
    assert answer.reasons[-1].code in {"claim-corrected", "claim-all-variants"}
    assert "claim-corrected" in {reason.code for reason in answer.reasons}


@pytest.mark.parametrize(
    ("text", "side", "without"),
    [
        ("用bf16训练比fp32快不到2倍", "most", "用bf16训练比fp32快2倍"),
        ("H100 is not 3x faster than an A100", "most", "h100 is 3x faster than an a100"),
        ("H100并不比A100快3倍", "most", "h100比a100快3倍"),
        ("no more than 30% faster", "most", "30% faster"),
        ("the 4090 is more than twice as fast", "least", "the 4090 is twice as fast"),
    ],
)
def test_a_bound_is_told_from_its_figure(text: str, side: str, without: str) -> None:
    bound = find_bound(normalised(text))
    assert bound is not None
    assert (bound.side, bound.without) == (side, without)


@pytest.mark.parametrize("text", ["没有NVLink的两块4090，加速比1.6", "less than 10% slower", "2x faster, not slower"])
def test_a_word_of_something_else_makes_no_bound(text: str) -> None:
    assert find_bound(normalised(text)) is None


@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [
        ("H100 is not 3x faster than an A100", "plausible", "claim-bound-most"),
        ("the A100 is not 1.1x faster than a T4", "below_expected", "claim-bound-not"),
        ("4 GPUs are not 5x faster than one", "plausible", "claim-bound-possible"),
        ("an A100 is more than 1.1x as fast as a T4", "plausible", "claim-bound-least"),
        ("4 V100 with nn.DataParallel are slower than 1 for BERT-base", "plausible", "claim-bound-slower"),
        # A denial of a comparison is the other one, or none.
        ("A 4090 is not faster than an H100 for training bert in bf16", "plausible", "claim-order-ahead"),
        ("The A100 is not faster than the V100 for training BERT", "impossible", "claim-order-impossible"),
        ("A 3090 is not as fast as a 4090 for resnet50", "plausible", "claim-order-ahead"),
        ("3090并不比4090快", "plausible", "claim-order-ahead"),
        ("I don't think a 3090 is faster than a 4090", "plausible", "claim-order-ahead"),
        ("4x3090 > 1xA100 for ResNet-50", "plausible", "claim-order-ahead"),
        # What is no faster on the same cards is as fast.
        ("torch.compile doesn't make ResNet-50 any faster on an A100", "plausible", "claim-change-plausible"),
    ],
)
def test_bounds_and_denials_are_judged_as_they_are_told(text: str, verdict: Verdict, code: str) -> None:
    assert_judged(text, verdict, code)


def test_an_order_that_is_turned_round_says_so() -> None:
    answer = check_claim("A 4090 is not faster than an H100 for training bert in bf16", real_predictor())
    assert answer.reasons[-1].code == "claim-order-denied"
    assert_readable(answer)


def test_a_denied_figure_of_no_speed_up_is_asked_for() -> None:
    with pytest.raises(SaidError) as refused:
        check_claim("bf16 does not give 40% MFU with 7B on an H100", real_predictor())
    assert refused.value.reasons[0].code == "claim-figure-denied"
