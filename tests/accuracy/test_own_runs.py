"""What we measured ourselves is fitted as it was recorded, and as far as the card decided it."""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from pathlib import Path

import pytest

from advisor.cost.efficiencies import efficiencies
from advisor.evaluate.run_rows import read_run_rows
from tests.accuracy.fitted_steps import scored
from tests.accuracy.own_runs import MEASURED_STEPS, OWN, own_steps
from tests.accuracy.recorded_runs import PUBLISHED_STEPS
from tools.fitting.fit import StepSet
from tools.measured_by_us import recordings

_OUTSIDE = "outside the suite"
_KERNELS = "kernels"
KERNELS = Path(__file__).parents[1] / "recorded" / "kernels" / "h200-sxm_2026-11.json"


def test_every_row_of_the_suite_has_the_time_that_its_recording_has() -> None:
    kept = defaultdict(list)
    for recording in recordings():
        for step in () if recording.made_up else recording.steps:
            if not step.change and step.layer_limit is None:
                kept[step.workload, step.precision, step.batch_size].append(step)
    rows = [row for row in read_run_rows(MEASURED_STEPS) if not row.source.endswith((_OUTSIDE, _KERNELS))]
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


def test_a_row_beside_the_profiler_has_the_median_of_its_recording_and_chose_its_convolutions_by_time() -> None:
    recorded = json.loads(KERNELS.read_text(encoding="utf-8"))
    assert recorded["cudnn_benchmark"] is True
    rows = [row for row in read_run_rows(MEASURED_STEPS) if row.source.endswith(_KERNELS)]
    assert len(rows) >= 4
    for row in rows:
        walls = recorded["steps"][f"{row.workload} {row.precision} {row.batch_size}"]["wall_s"]
        assert row.measured_s == pytest.approx(statistics.median(walls), rel=0.001)


def test_no_convolutional_step_is_fitted_that_left_the_choice_of_kernels_to_rules() -> None:
    fitted = [row for row in read_run_rows(MEASURED_STEPS) if row.scored and row.family == "cnn"]
    assert fitted
    assert all(row.source.endswith(_KERNELS) for row in fitted)


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
    assert max(errors) < 0.15


def test_published_runs_and_our_own_are_told_apart_by_their_source() -> None:
    assert {step.source for step in own_steps()} == {"own-h200-2026-11"}
    assert not any(row.source.startswith(OWN) for row in read_run_rows(PUBLISHED_STEPS))
