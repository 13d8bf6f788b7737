"""Real workers, measured, cancelled, killed and misled."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from advisor.catalogue.precisions import TracePrecision
from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Machine, Reading
from advisor.measure.collection import calibration_key
from advisor.measure.events import DeviceEnded, DeviceStarted, PhaseStarted, RunnerEvent, RunProgress
from advisor.measure.measurement import Measurement, RateMeasurement, Verdict
from advisor.measure.plan import Plan, make_plan
from advisor.measure.runner import run_measurements
from advisor.optable.op_table import OpTable
from advisor.protocol.messages import Sample
from advisor.workload.workload import Data, PythonModel, TemplateModel, Training, Workload
from tests.persistence import growing_budgets, kill_moments

WORKLOAD = Workload(
    name="small perceptron",
    model=TemplateModel(template="mlp", layers=(4, 10, 3)),
    data=Data(samples=120),
    training=Training(precision="fp32", batch_size=16, optimizer="sgd"),
)
CHATTY = """
import sys
import torch

def build_model():
    print('{"type": "finished"}')
    return torch.nn.Linear(4, 2)

def make_batch(batch_size, length):
    print("a batch", flush=True)
    return torch.randn(batch_size, 4), torch.randint(0, 2, (batch_size,))
"""


@pytest.fixture(scope="module")
def machine() -> Machine:
    return detect_machine()


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def _run(plan: Plan, machine: Machine, cancelled: threading.Event | None = None) -> Iterator[RunnerEvent]:
    return run_measurements(plan, machine, cancelled=cancelled)


def _ended(events: list[RunnerEvent]) -> Measurement:
    return next(event for event in events if isinstance(event, DeviceEnded)).measurement


def _said(measurement: Measurement) -> set[str]:
    skipped = measurement.verdict.reason
    return {caveat.code for caveat in measurement.caveats} | ({skipped.code} if skipped is not None else set())


def _counted(events: list[RunnerEvent]) -> int:
    return sum(isinstance(event, Sample) and event.series == "step" for event in events)


def _kept(measurement: Measurement) -> int:
    return sum(len(step.samples) for step in measurement.steps)


def _python_workload(tmp_path: Path, source: str) -> Workload:
    (tmp_path / "model_file.py").write_text(source, encoding="utf-8")
    return Workload(
        name="own file",
        model=PythonModel(file="model_file.py"),
        data=Data(samples=100),
        training=Training(precision="fp32", batch_size=8, optimizer="sgd"),
        source_folder=str(tmp_path),
    )


def _worker_pids() -> list[int]:
    """Children of this process that are workers, zombies included."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        fields = stat.rsplit(")", 1)[1].split()
        if int(fields[1]) == os.getpid() and (b"advisor.worker" in command or fields[0] == "Z"):
            found.append(int(entry.name))
    return found


def _kill_workers() -> None:
    for pid in _worker_pids():
        os.kill(pid, signal.SIGKILL)


def test_a_small_model_is_measured_at_three_or_more_batch_sizes_with_raw_samples(machine: Machine) -> None:
    calibrated = {"host_overhead", "matmul", "elementwise", "launch"}
    for budget_s in growing_budgets(10):
        events = list(_run(make_plan(WORKLOAD, machine, budget_s=budget_s, devices=["cpu"]), machine))
        measurement = _ended(events)
        measured = [step for step in measurement.steps if step.summary is not None]
        kinds = {rate.kind for rate in measurement.rates if rate.summary is not None}
        # A first step that others hold up is not followed storage by storage: more time makes room for it.
        followed = all(step.memory and step.memory.how == "dispatch_tracked" for step in measured)
        if len(measured) >= 3 and followed and calibrated <= kinds:
            break
    assert len(measured) >= 3
    assert _kept(measurement) == _counted(events)
    for step in measured:
        assert any(sample.warm_up for sample in step.samples)
        assert set(step.parts_s) == {"copy", "forward", "backward", "optimizer"}
        assert step.memory is not None
        assert step.memory.how == "dispatch_tracked"
        assert step.thread_count == 1
    assert calibrated <= kinds
    assert measurement.environment is not None
    assert any(isinstance(event, Reading) for event in events)
    assert isinstance(events[0], DeviceStarted | Reading)
    assert {event.phase for event in events if isinstance(event, PhaseStarted)} >= {
        "measure-phase-calibrate",
        "measure-phase-load",
        "measure-phase-steps",
    }
    fractions = [event.fraction for event in events if isinstance(event, RunProgress)]
    assert fractions == sorted(fractions)
    assert _worker_pids() == []


def test_the_trace_made_in_the_same_worker_chooses_the_batch_sizes(machine: Machine) -> None:
    plan = make_plan(WORKLOAD, machine, budget_s=20, devices=["cpu"])
    tables: dict[TracePrecision, OpTable] = {}
    run = run_measurements(plan, machine, tables=tables, trace=("fp32",))
    measurement = _ended(list(run))
    assert set(tables) == {"fp32"}
    sizes = [step.batch_size for step in measurement.steps if step.summary is not None]
    assert sizes[0] == 1
    assert max(sizes) <= 120
    assert 16 in sizes


def test_an_earlier_calibration_is_used_instead_of_a_new_one(machine: Machine) -> None:
    figures = {"flop": 1e9, "threads": 1.0}
    rate = RateMeasurement(
        kind="matmul", precision="fp32", figures=figures, samples=(), summary=None, verdict=Verdict(kind="stable")
    )
    plan = make_plan(WORKLOAD, machine, budget_s=3, devices=["cpu"])
    measurement = _ended(list(run_measurements(plan, machine, known_rates={"cpu": (rate,)})))
    assert measurement.rates == (rate,)
    assert any(step.summary is not None for step in measurement.steps)
    assert calibration_key(machine, "cpu") == calibration_key(machine, "cpu")
    newer = msgspec.structs.replace(machine, software=msgspec.structs.replace(machine.software, torch="99"))
    assert calibration_key(newer, "cpu") != calibration_key(machine, "cpu")


def test_what_a_users_file_prints_never_reaches_the_events(machine: Machine, tmp_path: Path) -> None:
    workload = _python_workload(tmp_path, CHATTY)
    plan = make_plan(workload, machine, budget_s=3, devices=["cpu"], allow_code=True, calibrate=False)
    measurement = _ended(list(_run(plan, machine)))
    assert any(step.summary is not None for step in measurement.steps)
    assert "a batch" in measurement.log_tail


def test_a_file_that_raises_is_named_and_the_calibration_stays(machine: Machine, tmp_path: Path) -> None:
    workload = _python_workload(tmp_path, CHATTY.replace("torch.nn.Linear(4, 2)", "1 / 0"))
    plan = make_plan(workload, machine, budget_s=6, devices=["cpu"], allow_code=True)
    measurement = _ended(list(_run(plan, machine)))
    assert measurement.verdict.kind != "not_measured"
    assert any(rate.summary is not None for rate in measurement.rates)
    assert "worker-file-call-failed" in {caveat.code for caveat in measurement.caveats}
    assert any("division by zero" in str(caveat.numbers.get("error")) for caveat in measurement.caveats)


def test_a_worker_that_hangs_is_ended_and_named(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.measure.device_run._GRACE_S", 4.0)
    hangs = CHATTY.replace("    return torch.nn.Linear", "    while True: pass\n    return torch.nn.Linear")
    workload = _python_workload(tmp_path, hangs)
    plan = make_plan(workload, machine, budget_s=2, devices=["cpu"], allow_code=True, calibrate=False)
    measurement = _ended(list(_run(plan, machine)))
    assert [caveat.code for caveat in measurement.caveats] == ["measure-worker-hung-early"]
    assert measurement.verdict.kind == "not_measured"
    assert _worker_pids() == []


@pytest.mark.parametrize("after_s", [0.0, 0.3, 2.0, 5.0])
def test_cancelling_ends_the_measurement_early_says_so_and_keeps_every_sample(machine: Machine, after_s: float) -> None:
    plan = make_plan(WORKLOAD, machine, budget_s=30, devices=["cpu"], calibrate=False)
    cancelled = threading.Event()
    threading.Timer(after_s, cancelled.set).start()
    events = list(_run(plan, machine, cancelled))
    assert "measure-cancelled" in _said(_ended(events))
    assert _kept(_ended(events)) == _counted(events)
    assert _worker_pids() == []


@pytest.mark.parametrize("stubborn", ["", "    import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"])
def test_cancelling_a_hung_worker_ends_it_whether_it_listens_or_not(
    machine: Machine, tmp_path: Path, stubborn: str
) -> None:
    source = CHATTY.replace("    return torch.nn.Linear", f"{stubborn}    while True: pass\n    return torch.nn.Linear")
    plan = make_plan(
        _python_workload(tmp_path, source), machine, budget_s=20, devices=["cpu"], allow_code=True, calibrate=False
    )
    cancelled = threading.Event()
    events: list[RunnerEvent] = []
    for event in _run(plan, machine, cancelled):
        events.append(event)
        if isinstance(event, PhaseStarted) and event.phase == "measure-phase-load":
            time.sleep(0.5)
            cancelled.set()
    assert cancelled.is_set()
    assert "measure-cancelled" in _said(_ended(events))
    assert "measure-worker-hung" not in _said(_ended(events))
    assert _worker_pids() == []


def test_closing_the_generator_leaves_no_process(machine: Machine) -> None:
    run = run_measurements(make_plan(WORKLOAD, machine, budget_s=30, devices=["cpu"]), machine)
    for event in run:
        if isinstance(event, Sample):
            break
    run.close()
    assert _worker_pids() == []


@kill_moments
@pytest.mark.timeout(3600)
def test_a_worker_killed_at_any_moment_loses_no_acknowledged_sample(
    machine: Machine, moments: range, record_property: Callable[[str, object], None]
) -> None:
    acknowledged = 0
    for seed in moments:
        plan = make_plan(WORKLOAD, machine, budget_s=2, devices=["cpu"], calibrate=False)
        wait_s = random.Random(seed).uniform(0.0, 5.0)
        timer = threading.Timer(wait_s, _kill_workers)
        timer.start()
        events = list(_run(plan, machine))
        timer.cancel()
        timer.join()
        measurement = _ended(events)
        assert _kept(measurement) == _counted(events)
        assert _worker_pids() == []
        acknowledged += _counted(events)
    for budget_s in growing_budgets(2):
        events = list(_run(make_plan(WORKLOAD, machine, budget_s=budget_s, devices=["cpu"], calibrate=False), machine))
        if _counted(events):
            break
    assert _counted(events) > 0
    told = f"kills {moments[0] + 1} to {moments[-1] + 1}"
    record_property("figure", f"{told}: {acknowledged:,} acknowledged samples, none lost, no process left")


BY_THE_SPREAD = """
import torch

def build_model():
    return torch.nn.Linear(4, 2)

def make_batch(batch_size, length):
    return torch.randn(batch_size, 4), torch.randint(0, 2, (batch_size,))

def training_step(model, batch):
    outputs = model(batch[0])
    scaled = (outputs - outputs.mean(0)) / outputs.std(0)
    if not torch.isfinite(scaled).all():
        raise ValueError("scaled by no spread")
    return torch.nn.functional.cross_entropy(scaled, batch[1])
"""


def test_a_model_that_does_not_run_on_one_sample_is_measured_on_more(machine: Machine, tmp_path: Path) -> None:
    workload = _python_workload(tmp_path, BY_THE_SPREAD)
    for budget_s in growing_budgets(12.0):
        plan = make_plan(workload, machine, budget_s=budget_s, devices=["cpu"], allow_code=True)
        measurement = _ended(list(_run(plan, machine)))
        timed = {step.batch_size for step in measurement.steps if step.summary is not None}
        if 8 in timed:
            break
    assert 8 in timed
    assert 1 not in timed
    left_out = next(caveat for caveat in measurement.caveats if caveat.code == "measure-size-left-out")
    assert left_out.numbers["samples"] == 1
    assert "measure-worker-failed" not in _said(measurement)


def test_a_model_that_runs_at_no_size_is_asked_at_its_own_and_then_no_more(machine: Machine, tmp_path: Path) -> None:
    source = BY_THE_SPREAD.replace("if not torch.isfinite(scaled).all():", "if batch[0].shape[0] < 1_000_000:")
    plan = make_plan(_python_workload(tmp_path, source), machine, budget_s=12.0, devices=["cpu"], allow_code=True)
    measurement = _ended(list(_run(plan, machine)))
    assert all(step.summary is None for step in measurement.steps)
    sizes = [caveat.numbers["samples"] for caveat in measurement.caveats if caveat.code == "measure-size-left-out"]
    assert len(sizes) == len(set(sizes))
    assert all(isinstance(size, int) and size < 8 for size in sizes)
