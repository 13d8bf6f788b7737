"""How a worker shares its time out among batch sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.worker.train.time_shares import extrapolated, first_share_s, foreseen_s


def test_figures_are_extended_along_the_last_two_points() -> None:
    assert extrapolated([], 4) is None
    assert extrapolated([(2, 10.0)], 4) == 20.0
    assert extrapolated([(2, 10.0)], 1) == 10.0
    assert extrapolated([(1, 10.0), (2, 12.0)], 4) == 16.0
    assert extrapolated([(1, 10.0), (2, 9.0)], 4) == 9.0


def test_after_one_size_the_parents_estimates_say_how_the_time_grows() -> None:
    estimates = {1: 0.010, 32: 0.015}
    assert foreseen_s([(1, 0.020)], 32, estimates) == pytest.approx(0.030)
    assert foreseen_s([(1, 0.020)], 64, estimates) == pytest.approx(0.020 * 64)
    assert foreseen_s([(1, 0.020), (32, 0.025)], 63, estimates) == pytest.approx(0.030)
    assert foreseen_s([], 32, estimates) is None


def test_a_size_that_does_not_fit_does_not_starve_the_sizes_before_it() -> None:
    with_it = first_share_s(20.0, [0.014, 0.5, 3.0, 23.0, 184.0])
    assert with_it == 3.0


def test_short_steps_are_given_the_time_to_settle_where_there_is_time() -> None:
    assert first_share_s(25.0, [0.015, 0.02, 0.03, 0.2, 1.8]) >= 3.0


def test_the_only_size_left_gets_all_that_is_left() -> None:
    assert first_share_s(2.0, [5.0]) == 2.0


@given(st.floats(0.1, 100.0), st.lists(st.floats(0.0, 200.0), min_size=1, max_size=5).map(sorted))
def test_a_share_is_never_more_than_what_is_left(left_s: float, step_s: list[float]) -> None:
    assert 0.0 < first_share_s(left_s, step_s) <= left_s
