"""What we measured ourselves is fitted as it was recorded, and as far as the card decided it."""

from __future__ import annotations

import statistics
from collections import defaultdict

import pytest

from advisor.cost.efficiencies import efficiencies
from advisor.evaluate.run_rows import read_run_rows
from tests.accuracy.fitted_steps import scored
from tests.accuracy.own_runs import MEASURED_STEPS, OWN, own_steps
from tests.accuracy.recorded_runs import PUBLISHED_STEPS
from tools.fitting.fit import StepSet
from tools.measured_by_us import recordings

_OUTSIDE = "outside the suite"


def test_every_row_of_the_suite_has_the_time_that_its_recording_has() -> None:
    kept = defaultdict(list)
    for recording in recordings():
        for step in () if recording.made_up else recording.steps:
            if not step.change and step.layer_limit is None:
                kept[step.workload, step.precision, step.batch_size].append(step)
    rows = [row for row in read_run_rows(MEASURED_STEPS) if _OUTSIDE not in row.source]
    assert len(rows) > 50
    for row in rows:
        assert row.precision is not None
        assert row.batch_size is not None
        assert row.measured_s is not None
        recorded = kept[row.workload, row.precision, row.batch_size]
        step = next(step for step in recorded if step.median_s == pytest.approx(row.measured_s, rel=0.001))
        if row.peak_bytes is not None:
            assert step.peak_allocated_bytes is not None
            assert abs(row.peak_bytes / step.peak_allocated_bytes - 1.0) < 0.001


def test_what_waited_for_its_host_or_ran_unpacked_is_kept_and_not_fitted() -> None:
    rows = read_run_rows(MEASURED_STEPS)
    left = [row for row in rows if not row.scored]
    assert {row.workload for row in left} >= {"iris_mlp", "rnn_characters", "lstm_classifier", "llama_1b_qlora"}
    assert len(own_steps()) == len(rows) - len(left)


def test_four_of_five_of_our_own_runs_lie_inside_their_range_and_none_is_far_off() -> None:
    steps, figures = own_steps(), efficiencies()
    predicted_s = StepSet(steps, figures).predicted_s(figures.fitted)
    found = scored(steps, predicted_s, figures)
    assert sum(one.low_s <= one.measured_s <= one.high_s for one in found) >= 0.8 * len(found)
    errors = [abs(one.predicted_s / one.measured_s - 1.0) for one in found]
    assert statistics.median(errors) < 0.07
    assert max(errors) < 0.25


def test_published_runs_and_our_own_are_told_apart_by_their_source() -> None:
    assert {step.source for step in own_steps()} == {"own-h200-2026-11"}
    assert not any(row.source.startswith(OWN) for row in read_run_rows(PUBLISHED_STEPS))
