"""The picture's rows and axis."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.sentences import sentence
from advisor.present.job_picture import axis_ticks, job_picture, legend, tick_text
from advisor.present.set_ups import of_this_machine, tied_places
from tests.present import fakes


def test_each_row_lies_on_the_axis_and_the_advised_one_is_among_them() -> None:
    advice = fakes.advice()
    picture = job_picture(advice)
    assert picture is not None
    assert sum(row.advised for row in picture.rows) == 1
    for row in picture.rows:
        job = row.prediction.job_s
        if not row.refused and job is not None:
            assert 0 < picture.across(job.low) <= picture.across(job.value) <= picture.across(job.high) < 1


@given(low_s=st.floats(1e-3, 1e6), factor=st.floats(1.3, 1e5))
def test_ticks_are_few_rising_and_inside(low_s: float, factor: float) -> None:
    ticks = axis_ticks(low_s, low_s * factor)
    assert len(ticks) <= 8
    assert list(ticks) == sorted(ticks)
    assert all(low_s <= one <= low_s * factor for one in ticks)


@given(low_s=st.floats(1e-3, 1e6), factor=st.floats(1.3, 1e5))
def test_more_than_one_tick_tells_how_far_apart_times_are_that_lie_near_each_other(low_s: float, factor: float) -> None:
    ticks = axis_ticks(low_s, low_s * factor)
    assert len(ticks) >= 2
    assert len({tick_text(one) for one in ticks}) == len(ticks)


def test_times_within_a_few_hours_have_ticks_in_whole_hours() -> None:
    assert [tick_text(one) for one in axis_ticks(8.9 * 3600, 16.2 * 3600)] == ["10 h", "12 h", "14 h", "16 h"]
    assert [tick_text(one) for one in axis_ticks(0.95 * 86400, 1.25 * 86400)] == ["1 d", "1.1 d", "1.2 d"]


@pytest.mark.parametrize(
    ("time_s", "text"), [(0.02, "20 ms"), (5, "5 s"), (120, "2 min"), (36_000, "10 h"), (172_800, "2 d")]
)
def test_a_tick_is_a_whole_number_of_its_unit(time_s: float, text: str) -> None:
    assert tick_text(time_s) == text


def test_every_tick_from_milliseconds_to_centuries_has_one_digit_that_counts() -> None:
    texts = [tick_text(one) for low_s in (1e-3, 1.0, 1e3, 1e6, 1e8) for one in axis_ticks(low_s, 1000 * low_s)]
    assert {"5 h", "20 d", "1 yr", "20 yr"} <= set(texts)
    assert {text.partition(" ")[0].rstrip("0") for text in texts} <= {"1", "2", "3", "5"}


def test_what_several_devices_share_is_said_only_where_all_of_them_do() -> None:
    picture = job_picture(fakes.advice())
    assert picture is not None
    advised = next(row for row in picture.rows if row.advised)
    samples = advised.prediction.global_batch_size
    told = sentence("picture-legend-shared", "en", samples=f"{samples:,}")

    def with_several(of_samples: int) -> tuple[str, ...]:
        several = msgspec.structs.replace(advised.prediction, count=2, global_batch_size=of_samples)
        rows = (advised, msgspec.structs.replace(advised, prediction=several, advised=False))
        return legend(msgspec.structs.replace(picture, rows=rows), "en")

    assert told in with_several(samples)
    assert told not in with_several(2 * samples)
    assert told not in legend(msgspec.structs.replace(picture, rows=(advised,)), "en")


def test_the_answer_for_this_machine_has_a_picture_without_the_ties_of_the_other() -> None:
    advice = fakes.advice()
    best = advice.recommendation
    assert best is not None
    here = msgspec.structs.replace(best, tied_with=())
    tied = tuple(msgspec.structs.replace(one, tied=True) for one in advice.alternatives)
    both = msgspec.structs.replace(advice, recommendation_local=here, alternatives=tied)
    seen = of_this_machine(both)
    assert seen.recommendation is here
    assert tied_places(seen) == frozenset()
    assert of_this_machine(msgspec.structs.replace(both, recommendation_local=None)).recommendation is best
