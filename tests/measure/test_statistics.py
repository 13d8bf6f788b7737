"""The robust figures: medians with intervals that hold what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from advisor.measure.statistics import (
    drift_bound_fraction,
    drift_ratio,
    half_width_fraction,
    interval_ranks,
    median_absolute_deviation,
    median_interval,
    quartiles,
    reaches_95,
    summarise,
)


def test_ranks_are_those_of_published_tables() -> None:
    # Conover, table of exact 95 % intervals of the median (ranks from 1): n = 9: 2 and 8; 15: 4 and 12; 20: 6 and 15.
    assert [interval_ranks(count) for count in (6, 9, 15, 20)] == [(0, 5), (1, 7), (3, 11), (5, 14)]


def test_the_interval_of_few_samples_is_all_of_them() -> None:
    assert [interval_ranks(count) for count in (1, 2, 3, 5)] == [(0, 0), (0, 1), (0, 2), (0, 4)]


def test_no_sample_has_no_interval() -> None:
    with pytest.raises(ValueError, match="at least one"):
        interval_ranks(0)


def test_only_from_six_samples_on_an_interval_can_cover_95_percent() -> None:
    assert [reaches_95(count) for count in (1, 5, 6, 100)] == [False, False, True, True]


@pytest.mark.parametrize("count", [6, 15, 40])
def test_the_interval_covers_the_true_median_in_at_least_95_percent_of_draws(count: int) -> None:
    draws = np.random.default_rng(count).exponential(size=(4000, count))
    hits = sum(low <= math.log(2) <= high for _, low, high in map(median_interval, draws))
    assert hits / len(draws) >= 0.94  # 95 % less two standard errors of 4000 draws


def test_an_outlier_moves_neither_median_nor_deviation_far() -> None:
    median, low, high = median_interval([1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 50.0])
    assert median == 1.0
    assert (low, high) == (0.9, 50.0)
    assert median_absolute_deviation([1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 50.0]) == pytest.approx(0.05)


def test_quartiles_interpolate() -> None:
    assert quartiles([1.0, 2.0, 3.0, 4.0]) == (1.75, 3.25)


def test_half_width_is_the_larger_arm() -> None:
    assert half_width_fraction([1.0, 1.0, 1.0, 1.0, 1.2]) == pytest.approx(0.2)
    assert half_width_fraction([0.7, 1.0, 1.0, 1.0, 1.2]) == pytest.approx(0.3)


def test_times_of_zero_are_infinitely_inexact() -> None:
    assert half_width_fraction([0.0, 0.0]) == math.inf


def test_drift_compares_last_and_first_third() -> None:
    assert drift_ratio([1.0, 1.0, 1.5, 1.5, 2.0, 2.0]) == 2.0
    assert drift_ratio([1.0] * 5) is None
    assert drift_ratio([0.0] * 6) is None


def test_the_drift_bound_is_small_for_a_long_quiet_series_and_large_for_a_drifting_one() -> None:
    noise = np.random.default_rng(1).normal(1.0, 0.005, 60)
    assert drift_bound_fraction(noise) < 0.02
    assert drift_bound_fraction(noise * np.linspace(1.0, 1.1, 60)) > 0.08


def test_the_drift_bound_of_too_few_or_empty_samples_is_infinite() -> None:
    assert drift_bound_fraction([1.0] * 5) == math.inf
    assert drift_bound_fraction([]) == math.inf
    assert drift_bound_fraction([0.0] * 8) == math.inf


def test_a_summary_says_median_interval_spread_and_why_it_ended() -> None:
    summary = summarise([1.0, 2.0, 3.0], duration_s=6.0, stop_reason="cap")
    assert summary is not None
    assert (summary.median_s, summary.low_s, summary.high_s) == (2.0, 1.0, 3.0)
    assert (summary.first_quartile_s, summary.third_quartile_s, summary.mad_s) == (1.5, 2.5, 1.0)
    assert (summary.sample_count, summary.duration_s, summary.stop_reason) == (3, 6.0, "cap")
    assert summary.drift_ratio is None


def test_no_sample_has_no_summary() -> None:
    assert summarise([], duration_s=0.0, stop_reason="cap") is None
