from __future__ import annotations

import csv
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.accuracy.scaling_rows import DATA, ScalingRow, predict, read_rows

ROOT = Path(__file__).resolve().parents[2]


@cache
def _healthy() -> tuple[ScalingRow, ...]:
    return tuple(row for row in read_rows() if row.healthy)


def _truth() -> np.ndarray:
    return np.array([row.efficiency for row in _healthy()])


def test_published_efficiencies_are_met_within_three_points() -> None:
    error = np.abs(predict(_healthy())[:, 0] - _truth())
    print(f"{len(error)} rows: {100 * error.mean():.2f} points")
    assert len(error) == 268
    assert 100 * error.mean() <= 3.0


def test_ranges_hold_the_published_efficiency_as_often_as_they_say() -> None:
    rows = read_rows()
    found, truth = predict(rows), np.array([row.efficiency for row in rows])
    inside, healthy = (truth >= found[:, 1]) & (truth <= found[:, 2]), np.array([row.healthy for row in rows])
    print(f"{100 * inside.mean():.0f} % inside, {100 * inside[healthy].mean():.0f} % of healthy rows")
    assert 0.75 <= inside.mean() <= inside[healthy].mean() <= 0.92


def test_a_card_or_a_model_that_the_fit_has_not_seen_is_met_within_three_point_three_points() -> None:
    pytest.importorskip("scipy")
    sys.path.insert(0, str(ROOT))
    from advisor.cost.scaling.scaling_figures import scaling_figures
    from tools.fit_scaling import FitsBeside

    fits = FitsBeside(_healthy(), scaling_figures())
    errors = {key: np.abs(fits.left_out(key) - _truth()) for key in ("gpu_key", "workload")}
    print({key: f"{100 * error.mean():.2f} points" for key, error in errors.items()})
    assert all(100 * error.mean() <= 3.3 for error in errors.values())


def test_every_row_is_predicted_the_suspect_ones_too() -> None:
    rows = read_rows()
    with DATA.open(encoding="utf-8", newline="") as file:
        assert len(rows) == len(list(csv.DictReader(file))) == 325
    assert np.all(np.isfinite(predict(rows)))


def test_the_prediction_beats_an_efficiency_of_one_and_the_median_of_each_count() -> None:
    counts = np.array([row.count for row in _healthy()])
    medians = {count: np.median(_truth()[counts == count]) for count in set(counts.tolist())}
    ours = np.abs(predict(_healthy())[:, 0] - _truth()).mean()
    assert ours < np.abs(1.0 - _truth()).mean() / 2
    assert ours < np.abs(np.array([medians[count] for count in counts.tolist()]) - _truth()).mean() / 1.5


def test_sick_hosts_are_sick_beyond_any_range_of_a_healthy_one() -> None:
    twins = [row for row in read_rows() if row.suspect == "a twin on the same switch is faster"]
    found = predict(twins)
    assert np.mean(np.array([row.efficiency for row in twins]) < found[:, 1]) > 0.8
