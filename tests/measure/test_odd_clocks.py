"""A clock that is set back and a machine that was suspended change no order, no age and no figure."""

from __future__ import annotations

import ast
import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import msgspec
import pytest

import advisor
from advisor.hardware.detect import detect_machine
from advisor.hardware.monitor import Monitor
from advisor.measure.events import DeviceEnded
from advisor.measure.plan import make_plan
from advisor.measure.runner import run_measurements
from advisor.protocol.messages import Sample
from advisor.store.history import History
from tests.measure.test_runner import WORKLOAD, _worker_pids
from tests.present.fakes import advice

PACKAGE = Path(advisor.__file__).parent
ASLEEP_S = 3.0
needs_signals = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="stops processes by Unix's signals")


def _calls(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def test_no_duration_is_taken_from_a_clock_that_can_be_set() -> None:
    settable = {"time.time", "time.time_ns", "datetime.utcnow", "time.localtime"}
    assert {path.name: _calls(path) & settable for path in PACKAGE.rglob("*.py") if _calls(path) & settable} == {}


def test_runs_keep_their_order_whatever_the_clock_said(tmp_path: Path) -> None:
    stamps = ("2026-05-01T10:00:00Z", "2031-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2026-05-01T10:00:01Z")
    with History(tmp_path) as history:
        numbers = [history.save(msgspec.structs.replace(advice(), created_utc=stamp)) for stamp in stamps]
    with History(tmp_path) as history:
        assert [run.entry_index for run in history.runs()] == numbers[::-1]
        assert history.problems == ()


@needs_signals
def test_steps_during_which_the_machine_slept_are_no_figure() -> None:
    machine = detect_machine()
    stopped: list[int] = []
    timers: list[threading.Timer] = []

    def wake() -> None:
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    measured = None
    for budget_s in (8, 80):  # beside much other work the first may end before a step is timed
        plan = make_plan(WORKLOAD, machine, budget_s=budget_s, devices=["cpu"], calibrate=False)
        for event in run_measurements(plan, machine):
            if isinstance(event, Sample) and not event.warm_up and not stopped:
                stopped.extend(_worker_pids())
                for pid in stopped:
                    os.kill(pid, signal.SIGSTOP)
                timers.append(threading.Timer(ASLEEP_S, wake))
                timers[0].start()
            measured = event.measurement if isinstance(event, DeviceEnded) else measured
        if stopped:
            break
    timers[0].join()
    assert stopped
    assert measured is not None
    medians = [step.summary.median_s for step in measured.steps if step.summary is not None]
    assert medians
    assert max(medians) < ASLEEP_S / 10
    assert _worker_pids() == []


@needs_signals
def test_a_sampler_that_slept_is_said_to_be_silent_and_comes_back() -> None:
    def until(monitor: Monitor, done: str) -> None:
        end_s = time.monotonic() + 40.0
        while time.monotonic() < end_s:
            fresh = monitor.readings()
            if (done == "silent" and monitor.problem is not None) or (done == "reading" and fresh):
                return
            time.sleep(0.05)
        pytest.fail(f"never {done}")

    with Monitor(0.05) as monitor:
        until(monitor, "reading")
        assert monitor.sampler_pid is not None
        os.kill(monitor.sampler_pid, signal.SIGSTOP)
        monitor.readings()
        end_s = time.monotonic() + 30.0
        silent = {"driver-not-responding", "readings-stopped"}  # where no driver is asked, none is blamed
        while (problem := monitor.problem) is None or problem.code not in silent:
            assert time.monotonic() < end_s
            time.sleep(0.01)
        monitor.readings()
        until(monitor, "reading")
