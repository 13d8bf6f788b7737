"""Memory of this process: held now and at most, as the system counts it, and what becomes of what is freed."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from pathlib import Path

from advisor.core.system import this_system

_STATUS = Path("/proc/self/status")
_CLEAR_REFERENCES = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def resident_bytes() -> int | None:
    """Resident set now; None where the system does not tell."""
    return _status_bytes("VmRSS")


def peak_resident_bytes() -> int | None:
    """Highest resident set since `reset_peak_resident`, or since the start where that is not offered."""
    peak = _status_bytes("VmHWM")
    return peak if peak is not None else this_system.lifetime_peak_bytes()


def reset_peak_resident() -> None:
    """Let the peak start anew from now (Linux; elsewhere nothing happens)."""
    with contextlib.suppress(OSError):
        _CLEAR_REFERENCES.write_text(_RESET_PEAK, encoding="ascii")


def _status_bytes(field: str) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return None


_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
"""Parameters of mallopt(3) in glibc's malloc.h."""
_NEVER = -1


def keep_freed_memory() -> bool:
    """Keep it from now on, as MALLOC_MMAP_MAX_=0 and MALLOC_TRIM_THRESHOLD_=-1 do from the start (mallopt(3)).

    False where the C library is not glibc: then nothing was changed. There is no way back within a process.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is None or not hasattr(library, "gnu_get_libc_version"):
        return False
    return bool(library.mallopt(_M_MMAP_MAX, 0)) and bool(library.mallopt(_M_TRIM_THRESHOLD, _NEVER))
