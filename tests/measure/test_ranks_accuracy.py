"""A DDP step predicted from the measured single step and the measured link, against the measured DDP step.

Runs that were kept judge the prediction whatever the machine of the test does. Runs that are made here judge it where
the ranks had their cores to themselves, and that they say so where they had not: what others take of a core is theirs
to tell, and no bound on seconds holds for it.
"""

from __future__ import annotations

import statistics
import sys
import warnings
from pathlib import Path

import pytest

from tests.measure.rank_runs import FOLDER, MODELS, calm, errors_of, ranks_measured, read_kept, table_of

live = pytest.mark.skipif(sys.platform != "linux", reason="ranks are started by Linux means")

TOLERANCE = 0.2
"""Medians of the wide MLP lie within 12 % on EPYC hosts. On a Xeon of two virtual cores, whose neighbours nobody sees,
seven calm runs gave -22 % at one hour and -10 % at the next for a step that accumulates nothing, predicted too fast.
"""
RUNS, MOST_RUNS = 3, 7
KEPT = [(path, name) for path in sorted(FOLDER.glob("*.json")) for name in MODELS]


@pytest.mark.parametrize(("path", "name"), KEPT, ids=lambda given: given if isinstance(given, str) else given.stem)
def test_steps_of_two_ranks_that_were_kept_are_predicted_from_their_single_step_and_link(path: Path, name: str) -> None:
    table = table_of(name)
    runs = [errors_of(run.communication, table) for run in read_kept(path).runs if run.model == name]
    assert len(runs) >= RUNS
    assert all(sorted(run) == [1, 2, 4, 8] for run in runs)
    assert _within(TOLERANCE, _medians(runs)), _medians(runs)
    for wrong in (0.7, 1.4):
        assert not _within(TOLERANCE, {count: (1 + error) * wrong - 1 for count, error in _medians(runs).items()})


def test_only_calm_runs_were_kept() -> None:
    assert KEPT
    assert all(calm(run.communication) for path, _ in KEPT for run in read_kept(path).runs)


def _judge(name: str, budget_s: float) -> None:
    """Three of seven calm runs are within the tolerance; the first three do where their median is within half of it.

    Where fewer than three had the cores to themselves nothing is judged here but that they said so, with a warning.
    """
    table = table_of(name)
    calm_runs: list[dict[int, float]] = []
    for number in range(1, MOST_RUNS + 1):
        communication = ranks_measured(name, budget_s).communication
        calm_runs += [errors_of(communication, table)] if calm(communication) else []
        if len(calm_runs) >= RUNS and _within(TOLERANCE / 2, _medians(calm_runs)):
            return
        if number == RUNS and not calm_runs:
            break
    if len(calm_runs) >= RUNS:
        assert _within(TOLERANCE, _least_disturbed(calm_runs)), f"the third of {calm_runs}"
        return
    warnings.warn(f"{name}: {len(calm_runs)} runs had the cores to themselves, too few to judge", stacklevel=2)


def _least_disturbed(runs: list[dict[int, float]]) -> dict[int, float]:
    """The error of the third least disturbed run, by accumulation.

    What nobody sees, such as a virtual machine's neighbours, only ever makes the two ranks wait for each other, so that
    their step takes longer than predicted: a prediction that is wrong is wrong in all runs.
    """
    return {accumulation: sorted(run[accumulation] for run in runs)[-RUNS] for accumulation in runs[0]}


def test_neighbours_that_nobody_sees_are_told_from_a_wrong_prediction() -> None:
    seen = (-0.226, -0.095, -0.099, -0.252, -0.221, -0.125, -0.262)  # of two virtual cores, in one hour
    runs = [{1: error} for error in seen]
    assert _within(TOLERANCE, _least_disturbed(runs))
    for wrong in (0.8, 1.4):
        assert not _within(TOLERANCE, _least_disturbed([{1: (1 + error) * wrong - 1} for error in seen]))


def _within(tolerance: float, errors: dict[int, float]) -> bool:
    return all(abs(error) <= tolerance for error in errors.values())


def _judge_strictly(name: str, budget_s: float) -> None:
    """The median error of three runs on a calm machine; a machine that is never calm proves nothing and fails."""
    table = table_of(name)
    judged: list[dict[int, float]] = []
    for _ in range(2 * RUNS):
        communication = ranks_measured(name, budget_s).communication
        judged += [errors_of(communication, table)] if calm(communication) else []
        if len(judged) == RUNS:
            break
    assert len(judged) == RUNS, f"only {len(judged)} of {2 * RUNS} runs had the cores to themselves: run it alone"
    medians = _medians(judged)
    assert _within(TOLERANCE, medians), f"median over {RUNS} runs: {medians}"


def _medians(runs: list[dict[int, float]]) -> dict[int, float]:
    """The median error over the runs, by accumulation."""
    return {steps: statistics.median(errors[steps] for errors in runs) for steps in runs[0]}


@live
@pytest.mark.alone
def test_two_ranks_here_step_as_predicted_or_say_that_others_were_on_their_cores() -> None:
    _judge("wide MLP", 8.0)


@live
@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", list(MODELS))
def test_ddp_steps_of_three_models_are_predicted_within_a_fifth(name: str) -> None:
    _judge_strictly(name, 30.0)
