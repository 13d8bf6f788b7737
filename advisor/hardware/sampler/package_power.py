"""Power of the processor packages from the energy counters that Linux's powercap shows (RAPL, Intel and AMD)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from advisor.hardware.sampler.kernel_files import entries_of

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
