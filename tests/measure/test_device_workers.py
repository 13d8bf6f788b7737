"""Which process traces, which calibrates and which trains."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Machine
from advisor.measure.device_workers import DeviceWorkers
from advisor.measure.events import DeviceEnded, DeviceStarted
from advisor.measure.plan import make_plan
from advisor.measure.runner import run_measurements
from advisor.measure.worker_session import Cancelled
from advisor.protocol.messages import ImportRequest, MeasureRequest, MicrobenchmarkRequest, Sample
from tests.leftovers import children_of, needs_proc
from tests.measure.test_runner import WORKLOAD
from tests.persistence import growing_budgets

CALIBRATE = MicrobenchmarkRequest(device="cpu", budget_s=1.0)
TRAIN = MeasureRequest(workload=WORKLOAD, device="cpu", batch_sizes=(1,), budget_s=1.0, thread_count=1)
PART = MeasureRequest(workload=WORKLOAD, device="cpu", batch_sizes=(1,), budget_s=1.0, thread_count=1, layer_limit=1)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return detect_machine()


@pytest.fixture
def cancelled() -> threading.Event:
    return threading.Event()


@pytest.fixture
def workers(machine: Machine, cancelled: threading.Event) -> Iterator[DeviceWorkers]:
    plan = make_plan(WORKLOAD, machine, budget_s=8, devices=["cpu"])
    opened = DeviceWorkers(plan.devices[0], cancelled)
    yield opened
    opened.close(gently=False)


def test_the_whole_models_steps_go_to_a_process_that_only_imported(workers: DeviceWorkers) -> None:
    workers.start_trainer(ImportRequest(workload=WORKLOAD))
    calibrates = workers.for_request(CALIBRATE).pid
    list(workers.imports())
    trains = workers.for_request(TRAIN)
    assert trains.pid != calibrates
    assert workers.for_request(TRAIN) is trains
    assert workers.current is trains


def test_parts_of_a_model_stay_in_the_process_that_calibrated(workers: DeviceWorkers) -> None:
    workers.start_trainer(ImportRequest(workload=WORKLOAD))
    calibrates = workers.for_request(CALIBRATE)
    assert workers.for_request(PART) is calibrates


@needs_proc
def test_a_trainer_that_is_lost_is_replaced_by_another_fresh_process(workers: DeviceWorkers) -> None:
    before = set(children_of(os.getpid()))
    workers.start_trainer(ImportRequest(workload=WORKLOAD))
    (trainer,) = set(children_of(os.getpid())) - before
    calibrates = workers.for_request(CALIBRATE)
    os.kill(trainer, signal.SIGKILL)
    list(workers.imports())
    assert workers.for_request(TRAIN).pid not in {trainer, calibrates.pid}


def test_waiting_for_the_imports_can_be_cancelled(workers: DeviceWorkers, cancelled: threading.Event) -> None:
    workers.start_trainer(ImportRequest(workload=WORKLOAD))
    cancelled.set()
    with pytest.raises(Cancelled):
        list(workers.imports())


def test_a_worker_that_died_is_replaced(workers: DeviceWorkers) -> None:
    first = workers.for_request(CALIBRATE)
    os.kill(first.pid, signal.SIGKILL)
    deadline = time.monotonic() + 10.0
    while first.alive and time.monotonic() < deadline:
        time.sleep(0.01)
    assert workers.for_request(CALIBRATE).pid != first.pid


@needs_proc
def test_closing_leaves_no_process(workers: DeviceWorkers) -> None:
    before = set(children_of(os.getpid()))
    workers.start_trainer(ImportRequest(workload=WORKLOAD))
    workers.for_request(CALIBRATE)
    workers.close(gently=True)
    assert set(children_of(os.getpid())) <= before


def test_cancelling_as_the_device_starts_ends_the_run_in_order(machine: Machine, cancelled: threading.Event) -> None:
    plan = make_plan(WORKLOAD, machine, budget_s=8, devices=["cpu"])
    ended = []
    for event in run_measurements(plan, machine, trace=("fp32",), cancelled=cancelled):
        if isinstance(event, DeviceStarted):
            cancelled.set()
        if isinstance(event, DeviceEnded):
            ended.append(event.exit_kind)
    assert ended == ["cancelled"]


@needs_proc
def test_a_runs_steps_are_timed_after_the_calibrating_process_is_gone(machine: Machine) -> None:
    for budget_s in growing_budgets(8):  # where little time is left, parts of the model alone are timed
        before = set(children_of(os.getpid()))
        seen: dict[bool, set[int]] = {}
        measured: list[DeviceEnded] = []
        for event in run_measurements(
            make_plan(WORKLOAD, machine, budget_s=budget_s, devices=["cpu"]), machine, trace=("fp32",)
        ):
            if isinstance(event, Sample):
                seen.setdefault(event.series == "step", set(children_of(os.getpid())) - before)
            elif isinstance(event, DeviceEnded):
                measured.append(event)
        if any(step.layer_limit is None for ended in measured for step in ended.measurement.steps):
            break
    assert seen[True] < seen[False]
