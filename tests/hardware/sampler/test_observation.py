"""The pace of readings: refused questions are asked rarely, and a long pause lets go of the driver."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from advisor.hardware.detect import detect_machine
from advisor.hardware.driver_problems import driver_problem
from advisor.hardware.monitor import Monitor
from advisor.hardware.sampler import observation
from advisor.hardware.sampler.nvml import NvmlUnavailableError
from advisor.hardware.sampler_messages import DriverState, Event, Observe, Read

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fake_nvml.stub import NvmlStub

PATIENCE_S = 20.0

RELEASE = """
import time
from advisor.hardware.sampler import observation
from advisor.hardware.sampler_messages import Observe, Read
observation._RELEASE_AFTER_S = 0.05
events = []
observed = observation.Observation(events.append)
observed.change(Observe(interval_s=0.01))
observed.take()
assert observed.seconds_to_next() is not None and observed._nvml is not None
observed.take()
assert events[-1].reading.gpus, events[-1]
observed.change(Observe(interval_s=None))
assert 0 < observed.seconds_to_next() <= 0.05
time.sleep(0.06)
observed.take()
assert observed._nvml is None and observed.seconds_to_next() is None
observed.change(Observe(interval_s=0.01))
observed.take()
observed.take()
assert isinstance(events[-1], Read) and events[-1].reading.gpus
"""


def calls(log: Path) -> Counter[str]:
    return Counter(line.split()[0] for line in log.read_text(encoding="utf-8").splitlines())


@pytest.mark.needs_compiler
def test_a_refused_question_is_not_asked_at_every_poll(
    nvml_stub: NvmlStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvml_stub.use("jetson")
    log = tmp_path / "calls"
    monkeypatch.setenv("FAKE_NVML_LOG", str(log))
    with Monitor(0.02) as monitor:
        number, end_s = 0, time.monotonic() + PATIENCE_S
        while number < 20 and time.monotonic() < end_s:
            number += sum(bool(reading.gpus) for reading in monitor.readings())
            time.sleep(0.01)
    assert number >= 20
    assert calls(log)["nvmlDeviceGetPowerUsage"] == 1
    assert calls(log)["nvmlDeviceGetTemperature"] == 1


@pytest.mark.needs_compiler
def test_a_long_pause_lets_go_of_the_driver_and_the_next_reading_opens_it_again(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("sm120")
    ended = subprocess.run([sys.executable, "-c", RELEASE], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_the_first_reading_of_the_host_does_not_wait_for_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def emit(event: Event) -> None:
        order.append("reading" if isinstance(event, Read) else "state" if isinstance(event, DriverState) else "other")

    def slow_driver(**_: object) -> None:
        order.append("driver")
        raise NvmlUnavailableError(driver_problem(9))

    monkeypatch.setattr(observation, "Nvml", slow_driver)
    observed = observation.Observation(emit)
    observed.change(Observe(interval_s=0.01))
    observed.take()
    assert order == ["reading", "state", "driver", "state"]


def test_a_driver_that_did_not_open_is_asked_again_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock_s, asked_s = [0.0], list[float]()

    def no_driver(**_: object) -> None:
        asked_s.append(clock_s[0])
        raise NvmlUnavailableError(driver_problem(9))

    monkeypatch.setattr(observation, "Nvml", no_driver)
    monkeypatch.setattr(time, "monotonic", lambda: clock_s[0])
    observed = observation.Observation(lambda _: None)
    observed.change(Observe(interval_s=0.01))
    for now_s in (1000.0, 1030.0, 1059.0, 1060.0, 1061.0, 1120.0):
        clock_s[0] = now_s
        observed.take()
    assert asked_s == [1000.0, 1060.0, 1120.0]


@pytest.mark.needs_compiler
@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("x = 1\n", "driver-binding-wrong"),
        ("raise ImportError('gone')\n", "driver-binding-missing"),
        ("def nvmlInit(: broken\n", "driver-binding-wrong"),
    ],
)
def test_a_foreign_or_broken_pynvml_is_named(
    nvml_stub: NvmlStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, code: str
) -> None:
    nvml_stub.use("sm120")
    (tmp_path / "pynvml.py").write_text(program, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    machine = detect_machine()
    assert machine.gpus == ()
    assert machine.notices[0].code == code
