"""A monitor and the host's own sampler: readings until the time is up, and which word of a driver is believed."""

from __future__ import annotations

import time

import pytest

from advisor.core.sentences import Reason
from advisor.core.system import this_system
from advisor.hardware.machine import Reading
from advisor.hardware.monitor import Monitor
from advisor.hardware.sampler_messages import DriverState, Read

INTERVAL_S = 0.02
PATIENCE_S = 60.0
FAR_S = 1e6
LOST = Reason.of("driver-container-lost-gpu")


def test_a_sampler_that_asks_no_driver_ends_when_the_driver_is_to_be_tried_again() -> None:
    monitor = Monitor(INTERVAL_S)
    until_s = time.monotonic() + 0.3
    assert monitor._watch(ask_driver=False, until_s=until_s) is None
    assert time.monotonic() >= until_s
    assert monitor.sampler_pid is None
    assert monitor._watch(ask_driver=False, until_s=0.0) is None  # long past


def test_a_monitor_reads_from_a_process_that_is_gone_when_it_is_left() -> None:
    with Monitor(INTERVAL_S) as monitor:
        readings: list[Reading] = []
        end_s = time.monotonic() + PATIENCE_S
        while len(readings) < 3 and time.monotonic() < end_s:
            readings += monitor.readings()
            time.sleep(INTERVAL_S)
        pid = monitor.sampler_pid
        assert pid is not None
        assert this_system.process_exists(pid)
    times = [reading.monotonic_s for reading in readings]
    assert len(times) >= 3
    assert times == sorted(times)
    assert monitor.sampler_pid is None
    assert not this_system.process_exists(pid)


def read(monitor: Monitor, at_s: float = 5.0) -> None:
    monitor._take(Read(reading=Reading(monotonic_s=at_s)), ask_driver=True)


def state(monitor: Monitor, problem: Reason | None = None, *, opening: bool = False, ask_driver: bool = True) -> None:
    monitor._take(DriverState(problem=problem, opening=opening), ask_driver=ask_driver)


def test_a_driver_that_came_back_is_believed_after_a_whole_poll() -> None:
    monitor = Monitor(INTERVAL_S)
    state(monitor, LOST)
    assert monitor.problem == LOST
    state(monitor, opening=True)
    read(monitor)
    assert monitor.problem == LOST
    state(monitor)
    assert monitor.problem == LOST
    read(monitor)
    assert monitor.problem is None


def test_what_a_sampler_that_was_not_to_ask_says_of_the_driver_does_not_count() -> None:
    monitor = Monitor(INTERVAL_S)
    state(monitor, LOST, ask_driver=False)
    assert monitor.problem is None


def test_a_reading_is_overdue_two_seconds_after_it_should_have_come() -> None:
    monitor = Monitor(0.1)
    state(monitor)
    read(monitor, 5.0)
    assert monitor._silent_after_s == pytest.approx(7.1)
    assert monitor._overdue()
    monitor._asked_s = time.monotonic() + FAR_S  # the pace was changed since
    assert not monitor._overdue()
    monitor._asked_s = 0.0
    read(monitor, time.monotonic() + FAR_S)
    assert not monitor._overdue()


@pytest.mark.parametrize(("opening", "patience_s"), [(True, 10.1), (False, 2.1)])
def test_a_driver_that_opens_is_given_ten_seconds_and_one_that_is_open_two(opening: bool, patience_s: float) -> None:
    monitor = Monitor(0.1)
    before_s = time.monotonic()
    state(monitor, opening=opening)
    assert before_s + patience_s <= monitor._silent_after_s <= time.monotonic() + patience_s


ABSENT = Reason.of("driver-absent")


@pytest.mark.parametrize(
    ("states", "blamed", "patience_s"),
    [
        ([], "readings-stopped", 10.1),
        ([(None, True), (ABSENT, False)], "readings-stopped", 10.1),
        ([(None, True), (ABSENT, False), (ABSENT, True)], "driver-crashed", 2.1),
        ([(None, True), (None, False)], "driver-crashed", 2.1),
    ],
)
def test_only_a_driver_that_is_asked_is_blamed_for_a_silence(
    states: list[tuple[Reason | None, bool]], blamed: str, patience_s: float
) -> None:
    monitor = Monitor(0.1)
    for problem, opening in states:
        state(monitor, problem, opening=opening)
    read(monitor, 5.0)
    assert monitor._silent_after_s == pytest.approx(5.0 + patience_s)
    assert monitor._fail("driver-crashed").code == blamed
    state(monitor, LOST)
    monitor._fail("driver-crashed")
    read(monitor)
    assert monitor.problem is None


def test_a_paused_sampler_owes_no_reading() -> None:
    monitor = Monitor(0.1)
    read(monitor, 5.0)
    assert monitor._overdue()
    monitor._interval_s = None
    assert not monitor._overdue()
