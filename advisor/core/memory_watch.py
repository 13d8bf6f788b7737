"""How much memory a child holds, and how much it may hold before its parent ends it."""

from __future__ import annotations

import os
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
ALLOWED_SHARE = 0.9
"""Of what is available a child may hold: the rest is for this process and for what the reading misses."""
_KIBIBYTE = 1024


def resident_bytes_of(pid: int) -> int | None:
    """What a process holds in RAM; None where the system does not tell (it is watched on Linux)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * _PAGE_BYTES


def allowance_bytes() -> int | None:
    """What children may hold together now, under the machine's and the control group's limits; None: not told."""
    allowances = [free for free in (_machine_free_bytes(), _group_free_bytes()) if free is not None]
    return int(min(allowances) * ALLOWED_SHARE) if allowances else None


def _machine_free_bytes() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * _KIBIBYTE for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def _group_free_bytes() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        limit = int((folder / "memory.max").read_text(encoding="ascii"))
        used = int((folder / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no such file, or the word `max`
        return None
    return max(0, limit - used)
