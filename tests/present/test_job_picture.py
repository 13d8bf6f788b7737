"""The picture's rows and axis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.present.job_picture import axis_ticks, job_picture, tick_text
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


@pytest.mark.parametrize(
    ("time_s", "text"), [(0.02, "20 ms"), (5, "5 s"), (120, "2 min"), (36_000, "10 h"), (172_800, "2 d")]
)
def test_a_tick_is_a_whole_number_of_its_unit(time_s: float, text: str) -> None:
    assert tick_text(time_s) == text
