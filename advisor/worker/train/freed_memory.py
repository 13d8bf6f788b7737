"""What the C library does with memory that a step frees: hand it back to the system, or keep it for the next step."""

from __future__ import annotations

import ctypes
import sys

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
