"""How much memory this process holds and has held at most, as the system counts it."""

from __future__ import annotations

import contextlib
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
