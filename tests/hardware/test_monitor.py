"""Readings through the real pynvml in a real child, from drivers that work, lie, hang and die."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from advisor.core.child_process import ChildProcess
from advisor.hardware.monitor import Monitor
from tests.fake_nvml.stub import GIVEN_SCENARIOS, NvmlStub
from tests.leftovers import leftovers, needs_proc
from tests.waiting import Waits, needs_waits

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.hardware.machine import Reading

pytestmark = pytest.mark.needs_compiler

PATIENCE_S = 20.0
PROBLEMS = {
    "container_lost": {"driver-error", "driver-container-lost-gpu"},
    "crash": {"driver-crashed"},
    "driver_not_loaded": {"driver-not-loaded"},
    "hang": {"driver-not-responding"},
    "mismatch": {"driver-mismatch"},
    "no_permission": {"driver-no-permission"},
    "zero_gpus": {"driver-no-gpus"},
}


def gather(monitor: Monitor, enough: Callable[[list[Reading]], bool]) -> list[Reading]:
    """Readings until `enough` says so."""
    readings: list[Reading] = []
    end_s = time.monotonic() + PATIENCE_S
    while not enough(readings):
        assert time.monotonic() < end_s, f"only {len(readings)} readings, problem {monitor.problem}"
        readings += monitor.readings()
        time.sleep(0.01)
    return readings


def twenty(readings: list[Reading]) -> bool:
    return len(readings) >= 20


def with_gpus(number: int) -> Callable[[list[Reading]], bool]:
    return lambda readings: sum(bool(reading.gpus) for reading in readings) >= number


@pytest.mark.parametrize("scenario", GIVEN_SCENARIOS)
def test_twenty_polls_come_in_every_scenario_and_trouble_is_named(nvml_stub: NvmlStub, scenario: str) -> None:
    nvml_stub.use(scenario)
    with Monitor(0.02) as monitor:
        if scenario in PROBLEMS:
            gather(monitor, lambda readings: len(readings) >= 20 and monitor.problem is not None)
            assert monitor.problem is not None
            assert monitor.problem.code in PROBLEMS[scenario]
        else:
            readings = gather(monitor, with_gpus(20))
            assert monitor.problem is None
            assert all(reading.driver_responding for reading in readings)


def test_readings_carry_the_figures_of_a_throttling_card(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("throttle")
    with Monitor(0.02) as monitor:
        gpus = [reading.gpus[0] for reading in gather(monitor, with_gpus(12)) if reading.gpus]
    assert [gpu.sm_clock_hz for gpu in gpus[:8]] == [2.52e9, 2.52e9, 2.49e9, 2.4e9, 2.1e9, 1.8e9, 1.5e9, 1.2e9]
    assert [gpu.throttle_bits for gpu in gpus[:8]] == [0, 0, 4, 4, 0x20, 0x20, 0x40, 0x40]
    assert gpus[-1].temperature_celsius == 88


def test_the_times_of_readings_rise_on_this_process_clock() -> None:
    before_s = time.monotonic()
    with Monitor(0.02) as monitor:
        times = [reading.monotonic_s for reading in gather(monitor, twenty)]
    assert times == sorted(times)
    assert before_s < times[0] <= times[-1] < time.monotonic()


def test_a_gpu_that_falls_off_the_bus_is_marked_lost_and_the_other_goes_on(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("lost")
    with Monitor(0.02) as monitor:
        readings = gather(monitor, with_gpus(12))
    first, second = readings[-1].gpus
    assert (first.lost, first.power_w) == (False, 50.0)
    assert (second.lost, second.power_w) == (True, None)


def test_a_hanging_driver_is_named_and_the_host_goes_on(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("hang")
    with Monitor(0.05) as monitor:
        gather(monitor, lambda readings: len(readings) >= 1)
        gather(monitor, lambda _: monitor.problem is not None)
        later = gather(monitor, lambda readings: len(readings) >= 5)
    assert not any(reading.driver_responding for reading in later)
    assert later[-1].memory_used_bytes


@needs_waits
def test_a_driver_that_stops_answering_is_named_within_three_seconds(
    nvml_stub: NvmlStub, record_property: Callable[[str, object], None]
) -> None:
    nvml_stub.use("hang")
    with Monitor(0.05) as monitor:
        latest = gather(monitor, lambda readings: len(readings) >= 1)[-1]
        waits = Waits()
        while monitor.problem is None:
            latest = [latest, *monitor.readings()][-1]
            time.sleep(0.005)
        silent_s = time.monotonic() - latest.monotonic_s - waits.since_last_s()
    assert monitor.problem.code == "driver-not-responding"
    assert silent_s <= 3.0
    record_property("figure", f"said to be not responding {silent_s:.1f} s after the last reading")


def test_a_killed_sampler_is_replaced(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("sm120")
    with Monitor(0.02) as monitor:
        gather(monitor, with_gpus(3))
        assert monitor.sampler_pid is not None
        os.kill(monitor.sampler_pid, signal.SIGKILL)
        gather(monitor, lambda _: monitor.problem is not None)
        later = gather(monitor, lambda readings: len(readings) >= 5)
        assert not any(reading.driver_responding for reading in later[-2:])
        gather(monitor, with_gpus(3))  # after the back-off of 5 s
        gather(monitor, lambda _: monitor.problem is None)


def test_the_pace_can_be_changed_and_paused() -> None:
    with Monitor(0.02) as monitor:
        gather(monitor, twenty)
        monitor.set_interval(None)
        time.sleep(0.3)
        monitor.readings()
        time.sleep(0.3)
        assert monitor.readings() == []
        assert monitor.problem is None or monitor.problem.code != "driver-not-responding"
        monitor.set_interval(0.02)
        gather(monitor, twenty)


def test_a_paused_monitor_hardly_looks_at_its_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []

    class Watched(ChildProcess):
        def next_line(self, timeout_s: float) -> bytes | None:
            looks.append(timeout_s)
            return super().next_line(timeout_s)

    monkeypatch.setattr("advisor.hardware.monitor.ChildProcess", Watched)
    with Monitor(0.02) as monitor:
        gather(monitor, twenty)
        monitor.set_interval(None)
        time.sleep(0.5)
        looks.clear()
        time.sleep(1.0)
        assert len(looks) <= 1
        monitor.set_interval(0.02)
        gather(monitor, twenty)


@needs_proc
def test_leaving_the_monitor_leaves_no_thread_child_or_descriptor(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("hang")
    before = leftovers()
    for _ in range(2):
        with Monitor(0.02) as monitor:
            gather(monitor, lambda readings: len(readings) >= 1)
    assert leftovers() == before


def sampler_use(pid: int) -> tuple[int, int]:
    """(anonymous memory in bytes, descriptors) of the sampler."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    kibibytes = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
    return kibibytes * 1024, len(list(Path(f"/proc/{pid}/fd").iterdir()))


def polls_without_growth(number: int) -> str:
    with Monitor(0.01) as monitor:
        gather(monitor, with_gpus(150))
        assert monitor.sampler_pid is not None
        memory_bytes, descriptors = sampler_use(monitor.sampler_pid)
        seen = 0
        while seen < number:
            seen += len(monitor.readings())
            time.sleep(0.05)
        later_bytes, later_descriptors = sampler_use(monitor.sampler_pid)
        for _ in range(40):  # a file that a poll is reading at the moment is open too
            if later_descriptors <= descriptors:
                break
            time.sleep(0.05)
            later_bytes, later_descriptors = sampler_use(monitor.sampler_pid)
    assert later_descriptors <= descriptors
    assert later_bytes - memory_bytes <= 256 * 1024
    return f"{seen:,} polls: {(later_bytes - memory_bytes) / 1024:+.0f} KiB, descriptors +0"


@needs_proc
def test_the_sampler_does_not_grow_over_four_hundred_polls(
    nvml_stub: NvmlStub, record_property: Callable[[str, object], None]
) -> None:
    nvml_stub.use("mixed_3090_4090_1060")
    record_property("figure", polls_without_growth(400))


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_the_sampler_does_not_grow_over_a_day_of_polls(
    nvml_stub: NvmlStub, record_property: Callable[[str, object], None]
) -> None:
    nvml_stub.use("mixed_3090_4090_1060")
    record_property("figure", polls_without_growth(86_400))


def test_a_driver_that_hangs_at_its_count_costs_the_host_no_more_than_a_poll(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("count_hang")
    with Monitor(0.1) as monitor:
        readings = gather(monitor, lambda readings: any(not reading.driver_responding for reading in readings))
        assert monitor.problem is not None
        assert monitor.problem.code == "driver-not-responding"
    last = max(reading.monotonic_s for reading in readings if reading.driver_responding)
    first = min(reading.monotonic_s for reading in readings if not reading.driver_responding)
    # A start may take the driver ten seconds, and the host was silent so long; a poll may take two.
    assert first - last < 9.0
