"""How long a process has stood in line for a core: what others on a busy machine took, not what it spent itself."""

from __future__ import annotations

from pathlib import Path

_NANOSECONDS = 1e9


def waited_for_core_s(pid: int) -> float:
    """Seconds that a process's first thread was ready to run while none of its cores was free; 0 where not told.

    Second field of Linux's `/proc/PID/schedstat` (Documentation/scheduler/sched-stats.rst).
    """
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[1]) / _NANOSECONDS
    except (OSError, ValueError, IndexError):
        return 0.0
