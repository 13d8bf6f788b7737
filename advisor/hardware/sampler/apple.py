"""Apple's integrated GPU, from the system's own figures: no torch, no Metal."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import sys

from advisor.hardware.machine import Gpu, HostMemory

_MAX_TEXT_BYTES = 4096


def sysctl_text(name: str) -> str | None:
    """The system's text under `name`, or None."""
    if sys.platform == "darwin":
        library = ctypes.CDLL(ctypes.util.find_library("c"))
        size = ctypes.c_size_t(_MAX_TEXT_BYTES)
        buffer = ctypes.create_string_buffer(_MAX_TEXT_BYTES)
        if library.sysctlbyname(name.encode(), buffer, ctypes.byref(size), None, ctypes.c_size_t(0)) == 0:
            return buffer.value.decode("utf-8", "replace")
    return None


def find_apple_gpus(memory: HostMemory) -> tuple[Gpu, ...]:
    """The GPU of an Apple chip, which shares the host's memory; nothing on other machines."""
    if platform.system() != "Darwin" or platform.machine() != "arm64":
        return ()
    return (
        Gpu(
            uuid=None,
            index=0,
            vendor="apple",
            name=f"{sysctl_text('machdep.cpu.brand_string') or 'Apple'} GPU",
            memory_total_bytes=memory.total_bytes,
            memory_free_bytes=memory.available_bytes,
            unified_memory=True,
        ),
    )
