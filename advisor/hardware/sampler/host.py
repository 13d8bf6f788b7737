"""Memory, load and surroundings of the host: what psutil and the kernel's own files tell."""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path

import psutil  # noqa: TID251 - the sampler is its one user

from advisor.hardware.machine import HostMemory, Reading
from advisor.hardware.sampler.cgroups import CgroupLimits
from advisor.hardware.sampler.kernel_files import text_of
from advisor.hardware.sampler.package_power import PackagePower


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
