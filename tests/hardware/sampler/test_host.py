"""One instant of the host: busy, stolen and stalled shares of the time since the last one, and memory in use."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil  # noqa: TID251 - the test replaces what the sampler asks
import pytest

from advisor.hardware.sampler.cgroups import CgroupLimits
from advisor.hardware.sampler.host import HostObserver, find_memory


class Times(NamedTuple):
    """Seconds as Linux counts them: guest time lies inside user time."""

    user: float = 0.0
    system: float = 0.0
    idle: float = 0.0
    iowait: float = 0.0
    steal: float = 0.0
    guest: float = 0.0
    guest_nice: float = 0.0


class Memory(NamedTuple):
    """Bytes of the whole machine."""

    total: int = 64_000
    available: int = 40_001


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[Times], None]:
    """Sets what the system has counted so far."""
    monkeypatch.setattr(psutil, "cpu_times", Times)
    monkeypatch.setattr(psutil, "virtual_memory", Memory)
    return lambda times: monkeypatch.setattr(psutil, "cpu_times", lambda: times)


def test_busy_is_neither_idle_nor_waiting_nor_stolen(clock: Callable[[Times], None], tmp_path: Path) -> None:
    observer = HostObserver(tmp_path)
    clock(Times(user=2.0, system=1.0, idle=4.0, iowait=1.0, steal=2.0))
    instant = observer.instant()
    assert instant.cpu_utilisation_fraction == pytest.approx(0.3)
    assert instant.steal_fraction == pytest.approx(0.2)


def test_only_the_time_since_the_last_instant_counts(clock: Callable[[Times], None], tmp_path: Path) -> None:
    observer = HostObserver(tmp_path)
    clock(Times(user=8.0, idle=2.0))
    observer.instant()
    clock(Times(user=9.0, idle=5.0))
    assert observer.instant().cpu_utilisation_fraction == pytest.approx(0.25)
    assert observer.instant().cpu_utilisation_fraction is None


def test_guests_are_not_counted_twice(clock: Callable[[Times], None], tmp_path: Path) -> None:
    observer = HostObserver(tmp_path)
    clock(Times(user=4.0, idle=4.0, guest=3.0, guest_nice=1.0))
    assert observer.instant().cpu_utilisation_fraction == pytest.approx(0.5)
    clock(Times(user=8.0, idle=12.0, guest=6.0, guest_nice=2.0))
    assert observer.instant().cpu_utilisation_fraction == pytest.approx(1 / 3)


def test_memory_in_use_is_what_is_not_available(clock: Callable[[Times], None], tmp_path: Path) -> None:
    del clock
    assert HostObserver(tmp_path).instant().memory_used_bytes == 23_999


def test_pressure_is_read_from_the_kernels_first_line(clock: Callable[[Times], None], tmp_path: Path) -> None:
    del clock
    observer = HostObserver(tmp_path)
    assert observer.instant().cpu_pressure_fraction is None
    (tmp_path / "proc/pressure").mkdir(parents=True)
    text = "some avg10=12.50 avg60=1.00 avg300=0.00 total=1\nfull avg10=99.00 avg60=0 avg300=0 total=0\n"
    (tmp_path / "proc/pressure/cpu").write_text(text, encoding="utf-8")
    assert observer.instant().cpu_pressure_fraction == pytest.approx(0.125)


def test_a_system_that_does_not_tell_its_times_has_no_utilisation_and_all_else(
    clock: Callable[[Times], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent() -> None:
        raise RuntimeError

    clock(Times())
    monkeypatch.setattr(psutil, "cpu_times", silent)
    instant = HostObserver(tmp_path).instant()
    assert (instant.cpu_utilisation_fraction, instant.steal_fraction) == (None, None)
    assert instant.memory_used_bytes == 23_999


def test_where_the_systems_files_are_hidden_memory_is_pages_times_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden() -> None:
        raise OSError

    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1_000_000, "SC_AVPHYS_PAGES": 250_000}
    monkeypatch.setattr(psutil, "virtual_memory", hidden)
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    memory = find_memory(CgroupLimits())
    assert (memory.total_bytes, memory.available_bytes) == (4_096_000_000, 1_024_000_000)
