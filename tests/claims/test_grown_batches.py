"""Claims of a batch that is so many times as large, of which neither size is said, are judged over the likely ones."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.changes import batches_before
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_judged, assert_readable
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "grown"),
    [
        ("batch doubled, speed doubled", 2),
        ("doubling the batch size doubles throughput on A100", 2),
        ("batch 翻倍 速度翻倍", 2),
        ("batch 加倍 训练时间 减半", 2),
        ("quadrupling the batch made BERT-base 1.3x faster on a V100", 4),
        ("ResNet-50 with 4x the batch is 2 times faster on an A100", 4),
        ("批大小扩大到 4 倍，GPT-2 训练快 1.2 倍", 4),
    ],
)
def test_how_many_times_as_large_a_batch_became_is_read_and_is_no_speed_up(text: str, grown: float) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.batch_ratio, claim.batch_size, claim.reference_batch_size) == (grown, None, None)
    assert claim.speed_up_ratio != grown or grown == 2


def test_a_batch_that_grew_is_judged_from_one_sample_to_several_times_the_usual() -> None:
    answer = check_claim("doubling the batch size made ResNet-50 1.9x faster on a 4090", real_predictor())
    assert answer.verdict == "plausible"
    (by_size,) = [reason for reason in answer.reasons if reason.code == "claim-growth-by-size"]
    assert by_size.numbers["small_ratio"] == pytest.approx(2.0, rel=0.1), "one sample leaves a 4090 idle"
    assert by_size.numbers["large_ratio"] == pytest.approx(1.0, rel=0.1), "256 samples do not"
    assert (by_size.numbers["least"], by_size.numbers["most"]) == (256, 256)
    assert answer.expected_ratio is not None
    assert answer.expected_ratio.high == 2.0
    assert_readable(answer)


def test_a_batch_gains_no_more_than_it_grew() -> None:
    assert_judged("doubling the batch made training 2.6x faster", "impossible", "claim-change-impossible")
    assert_judged(
        "batch 64 is 3 times as fast as batch 32 on a 4090, ResNet-50", "impossible", "claim-change-impossible"
    )


@pytest.mark.parametrize("text", ["4x on 4 GPUs", "DDP 3x with 4 cards", "DataParallel 4x on 4 V100 for BERT"])
def test_a_whole_number_before_x_is_a_ratio_where_cards_follow(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.speed_up_ratio, claim.count) == (float(text.partition("x")[0][-1]), 4)


def test_an_hour_and_no_minutes_is_a_time_and_no_seconds_are_none() -> None:
    assert parse_claim("ResNet-50 takes 1 h 0 min per epoch on a V100", spec_table()).epoch_s == 3600
    with pytest.raises(SaidError) as refused:
        parse_claim("ResNet-50 takes 0 seconds per epoch on a V100", spec_table())
    assert refused.value.reasons[0].code == "claim-number-negative"


@pytest.mark.parametrize("name", ["iris_mlp", "resnet50", "llama_8b"])
def test_tried_batches_begin_with_one_sample_and_end_above_the_workloads_own(name: str) -> None:
    sizes = batches_before(name)
    assert sizes[0] == 1
    assert list(sizes) == sorted(set(sizes))
    assert sizes[-1] > 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("num_workers=8 doubles memory", "claim-memory-without-change"),
        ("预取让显存翻倍", "claim-memory-without-change"),
        ("pin_memory made it 2x faster", "claim-change-unjudged"),
        ("gradient accumulation of 4 makes training 4x faster", "claim-change-unjudged"),
        ("adding num_workers from 0 to 8 made training 5x faster", "claim-change-unjudged"),
        ("梯度累积让训练快 2 倍", "claim-change-unjudged"),
    ],
)
def test_what_is_no_speed_up_or_none_that_is_predicted_is_refused_by_what_it_is_about(text: str, code: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == code
