"""The accuracy of step times of vision models on torch 2: inference, compiled inference and training."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from advisor.cost.efficiencies import efficiencies
from advisor.evaluate.row_predictions import RowPredictor
from tests.accuracy.vision_runs import HOST_DECIDES, device_bound_steps, recorded_vision_tables, vision_questions
from tools.fitting.fit import MeasuredStep, StepSet

SYSTEMS = ("5090/WSL", "5090/Win11")
"""In a row's source, where the machine with an RTX 5090 ran Windows; Fedora where neither stands."""
Slice = Callable[[MeasuredStep], bool]


def errors(wanted: Slice) -> tuple[float, float, int]:
    """Mean and median of the absolute relative errors of a slice, and how many steps it has."""
    steps = [step for step in device_bound_steps() if wanted(step)]
    figures = efficiencies()
    relative = np.abs(StepSet(steps, figures).predicted_s(figures.fitted) / [step.measured_s for step in steps] - 1.0)
    return float(relative.mean()), float(np.median(relative)), len(steps)


@pytest.mark.parametrize(
    ("wanted", "count", "mean", "median"),
    [
        (lambda step: step.training.compile, 96, 0.11, 0.09),
        (lambda step: step.training.mode == "inference" and not step.training.compile, 208, 0.11, 0.10),
        (lambda step: step.training.mode == "training", 51, 0.11, 0.07),
    ],
    ids=["compiled", "inference", "training"],
)
def test_vision_steps_of_torch_2_are_right_within_the_gate(
    wanted: Slice, count: int, mean: float, median: float
) -> None:
    found = errors(wanted)
    assert found[2] == count
    assert found[0] <= mean
    assert found[1] <= median


def test_what_no_fused_kernel_took_before_torch_2_5_is_judged_by_a_trace_in_half() -> None:
    """Attention over five dimensions; traced as of today these steps would come out 56 to 86 % too slow."""
    earlier = [question for question in vision_questions() if question.half_fallback]
    assert {question.workload.name for question in earlier} == {"timm_nest_small"}
    assert len(earlier) == 7
    predictor = RowPredictor(recorded_vision_tables())
    for question in earlier:
        step, measured_s = predictor.answer(question).step_s, question.row.measured_s
        assert step is not None
        assert measured_s is not None
        assert abs(step.value / measured_s - 1.0) <= 0.15


def test_what_the_compiler_saves_is_told() -> None:
    """The speed-up of published pairs, compiled over not, against the predicted one: within a sixth in the middle."""
    figures = efficiencies()
    steps = device_bound_steps()
    predicted = StepSet(steps, figures).predicted_s(figures.fitted)
    rate = {
        (step.workload, step.spec.key, step.precision, step.training.compile): (
            step.batch_size / step.measured_s,
            step.batch_size / float(seconds),
        )
        for step, seconds in zip(steps, predicted, strict=True)
        if step.training.mode == "inference" and not step.training.channels_last
    }
    pairs = [(rate[key], rate[(*key[:3], False)]) for key in rate if key[3] and (*key[:3], False) in rate]
    assert len(pairs) >= 40
    off = [abs((fused[1] / plain[1]) / (fused[0] / plain[0]) - 1.0) for fused, plain in pairs]
    assert np.median(off) <= 1 / 6


class HostStep(NamedTuple):
    """One step of a small batch on a host that nobody named, and how we tell it."""

    source: str
    card: str
    amd: bool
    error: float
    inside: bool


@cache
def host_steps() -> tuple[HostStep, ...]:
    """Every step of the sources of batches of 12 and fewer."""
    predictor, found = RowPredictor(recorded_vision_tables()), []
    for question in vision_questions():
        if not question.row.source.startswith(HOST_DECIDES):
            continue
        step, measured_s = predictor.answer(question).step_s, question.row.measured_s
        assert step is not None
        assert measured_s is not None
        assert step.low is not None
        assert step.high is not None
        source, card = question.row.source, question.spec
        off, inside = step.value / measured_s - 1.0, step.low <= measured_s <= step.high
        found.append(HostStep(source, card.key, card.amdgpu_target is not None, off, inside))
    return tuple(found)


def test_cards_of_amd_are_predicted_as_users_get_them_and_nine_of_ten_runs_lie_inside() -> None:
    """Batches of 12 on hosts that nobody named; no figure but the width of the range was chosen by them."""
    amd = [step for step in host_steps() if step.amd]
    assert len(amd) == 96
    assert np.mean([abs(step.error) for step in amd]) <= 0.25
    assert 0.75 <= np.mean([step.inside for step in amd]) <= 0.95


def test_four_of_five_small_batches_lie_inside_and_three_of_five_of_each_source() -> None:
    """The ranges hold hosts half and twice as quick as the assumed one."""
    inside = {name: [step.inside for step in host_steps() if step.source.startswith(name)] for name in HOST_DECIDES}
    assert {name: len(steps) for name, steps in inside.items()} == {
        "matrixsp-bench": 244,
        "lamikr-amd-bench": 96,
        "ryujaehun-bench": 98,
        "fz-pytorch2-bench": 24,
    }
    assert 0.75 <= np.mean([one for steps in inside.values() for one in steps]) <= 0.92
    for name, steps in inside.items():
        assert np.mean(steps) >= 0.6, name


def test_small_batches_are_as_often_told_too_slow_as_too_fast() -> None:
    """Figures of servers and of desktops; with those of servers for all they come out 35 % off in the mean."""
    errors = np.array([step.error for step in host_steps()])
    assert abs(np.median(errors)) <= 0.05
    assert np.abs(errors).mean() <= 0.26
    assert np.median(np.abs(errors)) <= 0.18


def test_one_machine_is_three_hosts_by_its_system_and_the_quickest_lies_outside() -> None:
    """The same RTX 5090 under Fedora, WSL and Windows 11: no description says which."""
    by_system = {name: [s for s in host_steps() if s.card == "rtx5090" and name in s.source] for name in SYSTEMS}
    named = {step for steps in by_system.values() for step in steps}
    fedora = [step for step in host_steps() if step.card == "rtx5090" and step not in named]
    assert len(fedora) == len(by_system["5090/WSL"]) == len(by_system["5090/Win11"]) == 48
    for steps in by_system.values():
        assert np.mean([step.inside for step in steps]) >= 0.85
        assert abs(np.median([step.error for step in steps])) <= 0.1
    assert np.median([step.error for step in fedora]) > 0.2
