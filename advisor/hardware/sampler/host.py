"""Memory, load and surroundings of the host: what psutil and the kernel's own files tell."""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path
from typing import NamedTuple

import psutil  # noqa: TID251 - the sampler is its one user

from advisor.hardware.machine import HostMemory, Reading
from advisor.hardware.sampler.cgroups import CgroupLimits
from advisor.hardware.sampler.kernel_files import entries_of, text_of

_LEAST_SPAN_S = 0.02
"""Counters step about every millisecond: a shorter span says little."""


class _Package(NamedTuple):
    counter: Path
    range_uj: int


class PackagePower:
    """Watts of all packages over the time since the last call; None where no counter may be read (root only)."""

    def __init__(self, root: Path = Path("/")) -> None:
        """Look the packages up once; `root` is the file system's root."""
        self._packages = _packages(root / "sys/class/powercap")
        self._before: tuple[float, tuple[int, ...]] | None = self._counters(time.monotonic())

    def watts(self, now_s: float | None = None) -> float | None:
        """Mean power since the last call that gave one; `now_s`: the monotonic clock (default: now)."""
        now_s = time.monotonic() if now_s is None else now_s
        if self._before is None:
            return None
        before_s, before = self._before
        if now_s - before_s < _LEAST_SPAN_S:
            return None
        after = self._counters(now_s)
        if after is None:
            self._before = None  # a counter that went away stays away: half the packages would be half the power
            return None
        self._before = after
        ranges = [package.range_uj for package in self._packages]
        pairs = zip(before, after[1], ranges, strict=True)
        used_uj = sum((new - old) % whole if new < old else new - old for old, new, whole in pairs)
        return used_uj * 1e-6 / (now_s - before_s)

    def _counters(self, now_s: float) -> tuple[float, tuple[int, ...]] | None:
        if not self._packages:
            return None
        try:
            return now_s, tuple(_number(package.counter) for package in self._packages)
        except (OSError, ValueError):
            return None


def _packages(folder: Path) -> tuple[_Package, ...]:
    """Whole packages only: cores, uncore and memory are parts of one, `psys` holds them all."""
    packages = []
    for zone in entries_of(folder):
        if not zone.name.startswith("intel-rapl:") or zone.name.count(":") != 1:
            continue
        try:
            if not (zone / "name").read_text(encoding="utf-8").startswith("package"):
                continue
            packages.append(_Package(zone / "energy_uj", max(1, _number(zone / "max_energy_range_uj"))))
        except (OSError, ValueError):
            return ()
    return tuple(packages)


def _number(path: Path) -> int:
    return int(path.read_text(encoding="utf-8"))


def find_memory(limits: CgroupLimits) -> HostMemory:
    """RAM: total, and what may still be taken, which is min(available, control group's limit − used)."""
    total, available = _memory()
    limit = limits.memory_limit_bytes
    if limit is not None and limit >= total:
        limit = None
    if limit is not None:
        available = min(available, max(0, limit - (limits.memory_used_bytes or 0)))
    return HostMemory(total_bytes=total, available_bytes=available, cgroup_limit_bytes=limit)


def _memory() -> tuple[int, int]:
    """Total and available bytes; where /proc is hidden the kernel's own call tells them, what is cached as taken."""
    try:
        memory = psutil.virtual_memory()
    except (OSError, ValueError, RuntimeError):
        if sys.platform == "win32":
            raise
        page_bytes = os.sysconf("SC_PAGE_SIZE")
        return os.sysconf("SC_PHYS_PAGES") * page_bytes, os.sysconf("SC_AVPHYS_PAGES") * page_bytes
    return int(memory.total), int(memory.available)


def is_wsl(root: Path = Path("/")) -> bool:
    """Whether this is Linux under Windows, where NVML is another library and many fields are refused."""
    return (root / "dev/dxg").exists()


def is_container(root: Path = Path("/")) -> bool:
    """Whether this process lives in a container: its GPU can vanish, and other processes are hidden."""
    if (root / ".dockerenv").exists() or (root / "run/.containerenv").exists():
        return True
    if os.environ.get("container") or os.environ.get("KUBERNETES_SERVICE_HOST"):  # noqa: SIM112 - systemd's name
        return True
    groups = text_of(root / "proc/1/cgroup")
    return any(word in groups for word in ("docker", "kubepods", "containerd", "libpod", "lxc"))


def system_name() -> str:
    """Name and version of the operating system, without the machine's own name."""
    system = f"{platform.system()} {platform.release()}"
    try:
        pretty = platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return system
    return f"{pretty} ({system})" if pretty else system


class HostObserver:
    """Takes instants of the host; utilisation and steal are over the time since the last one."""

    def __init__(self, root: Path = Path("/")) -> None:
        """Start counting. `root` is the file system's root."""
        self._power = PackagePower(root)
        self._pressure = root / "proc/pressure/cpu"
        self._busy = self._total = self._steal = 0.0
        self._count()

    def instant(self) -> Reading:
        """The host now, without GPUs; each figure stands alone and is None where the system is silent."""
        now_s = time.monotonic()
        utilisation, steal = self._count()
        try:
            memory = psutil.virtual_memory()
            used: int | None = int(memory.total - memory.available)
        except (OSError, ValueError, RuntimeError):
            used = None
        return Reading(
            monotonic_s=now_s,
            cpu_utilisation_fraction=utilisation,
            memory_used_bytes=used,
            cpu_pressure_fraction=self._stalled(),
            steal_fraction=steal,
            cpu_power_w=self._power.watts(),
        )

    def _count(self) -> tuple[float | None, float | None]:
        """Shares of busy and stolen time since the last call; None where no time passed."""
        try:
            times = psutil.cpu_times()
        except (OSError, ValueError, RuntimeError):
            return None, None
        # Linux counts guest time inside user time already.
        total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
        steal = getattr(times, "steal", None)
        busy = total - times.idle - getattr(times, "iowait", 0.0) - (steal or 0.0)
        passed, worked, stolen = total - self._total, busy - self._busy, (steal or 0.0) - self._steal
        self._total, self._busy, self._steal = total, busy, steal or 0.0
        if passed <= 0:
            return None, None
        return _share(worked / passed), None if steal is None else _share(stolen / passed)

    def _stalled(self) -> float | None:
        """`some avg10` of Linux's pressure figures, as a fraction."""
        try:
            line = text_of(self._pressure).partition("\n")[0]
            fields = dict(part.partition("=")[::2] for part in line.split()[1:])
            return _share(float(fields["avg10"]) / 100)
        except (ValueError, KeyError):
            return None


def _share(fraction: float) -> float:
    return min(1.0, max(0.0, fraction))
