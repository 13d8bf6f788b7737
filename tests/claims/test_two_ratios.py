"""Sentences of two ratios: both are judged, or it is said which was not; and prices beside speeds, which never are."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.gpu_names import find_gpus
from advisor.claims.judge import check_claim
from advisor.claims.reading.compared.several_ratios import separate_ratios
from advisor.claims.reading.reader import parse_claim
from advisor.claims.reading.text.plain_text import normalised
from advisor.core.sentences import Listed, say
from tests.claims.judged import assert_readable, assert_refused
from tests.recommend.real_predictor import real_predictor

PARTS: list[tuple[str, tuple[str, str]]] = [
    ("the 4090 is 2x the 3090 and 1.3x the A100", ("the 4090 is 2x the 3090", "the 4090 is 1.3x the a100")),
    ("4090是3090的2倍，是A100的1.3倍", ("4090是3090的2倍", "4090是a100的1.3倍")),
    (
        "the 4090 is 2x faster than the 3090 and 30% slower than the H100 for BERT",
        ("the 4090 is 2x faster than the 3090 for bert", "the 4090 is 30% slower than the h100 for bert"),
    ),
    (
        "ResNet-50 with DDP: 1.9x on 2 GPUs and 3.6x on 4 GPUs",
        ("resnet-50 with ddp: 1.9x on 2 gpus", "resnet-50 with ddp: 3.6x on 4 gpus"),
    ),
    ("2卡加速1.9倍，4卡3.7倍", ("2卡加速1.9倍", "4卡3.7倍")),
    (
        "a 4090 is 1.9x a 3090 on ResNet-50 and 1.6x on BERT",
        ("a 4090 is 1.9x a 3090 on resnet-50", "a 4090 is 1.6x a 3090 on bert"),
    ),
    (
        "a 4090 is 1.3x an A100 in fp32 and 0.9x in fp16 for BERT",
        ("a 4090 is 1.3x an a100 in fp32 for bert", "a 4090 is 0.9x an a100 in fp16 for bert"),
    ),
]
ONE: list[str] = [
    "A 4090 is 20% slower than an A100 in fp32 on bert",
    "bf16 instead of fp32 is 2x faster and needs 40% less memory on a 3090",
    "2-2.5x faster on a 4090 than on a 3090 with BERT",
    "8 GPUs are 1.9 times as fast as 4 GPUs",
]


@pytest.mark.parametrize(("text", "parts"), PARTS)
def test_each_ratio_has_a_sentence_of_its_own(text: str, parts: tuple[str, str]) -> None:
    plain = normalised(text)
    found = separate_ratios(plain, find_gpus(plain, spec_table()))
    assert tuple(" ".join(part.text.split()) for part in found) == parts


@pytest.mark.parametrize("text", ONE)
def test_one_ratio_or_two_of_one_thing_stay_one_sentence(text: str) -> None:
    plain = normalised(text)
    assert separate_ratios(plain, find_gpus(plain, spec_table())) == ()


@pytest.mark.parametrize(("text", "_parts"), PARTS)
def test_the_answer_names_both_with_their_verdicts(text: str, _parts: tuple[str, str]) -> None:
    answer = check_claim(text, real_predictor())
    assert answer.reasons[0].code == "claim-of-two-ratios"
    each = answer.reasons[0].numbers["each"]
    assert isinstance(each, Listed)
    assert len(each.reasons) == 2
    assert answer.claim.text == text
    assert_readable(answer)


def test_the_worse_of_two_verdicts_counts() -> None:
    answer = check_claim("ResNet-50 with DDP: 1.9x on 2 GPUs and 4.6x on 4 GPUs", real_predictor())
    assert answer.verdict == "impossible"
    assert "claim-more-than-linear" in {reason.code for reason in answer.reasons}


def test_a_ratio_that_cannot_be_judged_is_named_beside_the_other() -> None:
    answer = check_claim("the 4090 is 1.6x the 3090 and 1.3x the GTX 9990 for BERT", real_predictor())
    assert answer.reasons[0].code == "claim-of-two-ratios"
    assert '"1.3x the gtx 9990" is not judged' in say(answer.reasons[0], "en")
    assert "claim-unknown-card" in {reason.code for reason in answer.reasons}
    assert_readable(answer)


PRICED: list[tuple[str, tuple[float | None, float | None], str]] = [
    ("A100 costs twice as much but is 3x as fast as a V100 for BERT", (3.0, None), "costs twice as much"),
    ("the H100 is 2x more expensive than the A100 but only 1.5x faster for BERT", (1.5, None), "is 2x more expensive"),
    ("a 3090 at half the price of an A100 is 40% slower for BERT", (0.6, None), "at half the price"),
    ("the 4090 costs $1600 and trains ResNet-50 at 1300 img/s with AMP", (None, 1300.0), "costs $1600"),
    ("A100的价格是V100的两倍，但训练BERT快3倍", (3.0, None), "的价格是v100的两倍"),
    ("I rent an H100 for $2.5/h: BERT-base at 900 samples/s", (None, 900.0), "for $2.5/h"),
    ("租4090每小时2.5元，训练ResNet-50每秒1300张", (None, 1300.0), "每小时2.5元"),
]


@pytest.mark.parametrize(("text", "figures", "price"), PRICED)
def test_a_price_beside_a_speed_is_told_and_not_judged(
    text: str, figures: tuple[float | None, float | None], price: str
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.speed_up_ratio, claim.samples_per_s) == figures
    answer = check_claim(text, real_predictor())
    said = [reason for reason in answer.reasons if reason.code == "claim-price-unjudged"]
    assert [reason.numbers["price"] for reason in said] == [price]
    assert_readable(answer)


@pytest.mark.parametrize("text", ["A100 costs twice as much as a V100", "a 4090 is half the price of an A100"])
def test_a_price_alone_is_no_claim(text: str) -> None:
    assert_refused(text, "claim-other-quantity")


def test_what_checkpointing_costs_is_no_price() -> None:
    claim = parse_claim("gradient checkpointing costs 30% of the speed on gpt2 with a 3090", spec_table())
    assert claim.speed_up_ratio == pytest.approx(0.7)
