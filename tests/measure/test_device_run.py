"""One device's part of a run: how far the whole job is, what its workers' deaths are called, and devices left out."""

from __future__ import annotations

import time

import msgspec
import pytest

from advisor.core.sentences import Reason
from advisor.hardware.machine import Reading
from advisor.measure.device_run import DeviceRun
from advisor.measure.events import DeviceEnded, DeviceStarted, PhaseStarted, RunProgress
from advisor.measure.plan import make_plan
from advisor.protocol.messages import Progress
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

BUDGET_S = 1000.0
STEPS = Progress(phase="steps", fraction=0.5, detail="8")


class NoReadings:
    def readings(self) -> list[Reading]:
        return []


def device_run(*, left_s: float = BUDGET_S, share: tuple[float, float] = (0.0, 1.0), **changes: object) -> DeviceRun:
    found = machine()
    plan = make_plan(load_workload("iris_mlp"), found, budget_s=30, devices=["cpu"])
    device = msgspec.structs.replace(plan.devices[0], budget_s=BUDGET_S, **changes)
    return DeviceRun(plan, device, found, NoReadings(), time.monotonic() + left_s, {}, share=share)


def progress(run: DeviceRun) -> float:
    phase, told, event = run._relay(STEPS)
    assert isinstance(phase, PhaseStarted)
    assert isinstance(told, RunProgress)
    assert event is STEPS
    assert (phase.phase, told.phase, told.detail) == ("steps", "steps", "8")
    return told.fraction


@pytest.mark.parametrize(("share", "fraction"), [((0.0, 1.0), 0.475), ((0.5, 0.5), 0.7125), ((0.2, 0.4), 0.38)])
def test_half_way_through_its_time_a_device_has_done_half_of_its_share(
    share: tuple[float, float], fraction: float
) -> None:
    assert progress(device_run(left_s=BUDGET_S / 2, share=share)) == pytest.approx(fraction, abs=0.01)


def test_progress_stays_within_the_devices_share_and_never_goes_back() -> None:
    run = device_run(left_s=-1.0, share=(0.25, 0.5))
    assert progress(run) == pytest.approx(0.95 * 0.75)
    run._requests.deadline_s += 2 * BUDGET_S  # a trace put the end off
    assert progress(run) == pytest.approx(0.95 * 0.75)
    assert progress(device_run(left_s=3 * BUDGET_S, share=(0.25, 0.5))) == pytest.approx(0.95 * 0.25)


def test_a_device_that_is_left_out_starts_nothing_and_says_why() -> None:
    why = Reason.of("measure-cancelled")
    started, ended = device_run(skipped=why).run()
    assert isinstance(started, DeviceStarted)
    assert isinstance(ended, DeviceEnded)
    assert ended.exit_kind == "finished"
    assert ended.measurement.steps == ()
    assert ended.measurement.verdict.reason == why
