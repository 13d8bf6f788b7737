"""GPUs without a driver's library: as the Linux kernel lists them, without waking them, and Apple's integrated one."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import sys
from pathlib import Path
from typing import NamedTuple

from advisor.core.sentences import Reason
from advisor.hardware.machine import Gpu, HostMemory, Refusal
from advisor.hardware.sampler.kernel_files import entries_of, text_of, whole

_NVIDIA, _AMD, _INTEL = "0x10de", "0x1002", "0x8086"
_DISPLAY_CLASS = "0x03"
_MIN_DISCRETE_BYTES = 1 << 30


class NvidiaPresence(NamedTuple):
    """What the bus says about NVIDIA cards before anything of the driver is touched."""

    device_count: int
    asleep_count: int
    """Cards that the kernel has put to sleep (hybrid laptops); asking NVML would wake them."""


def nvidia_presence(root: Path = Path("/")) -> NvidiaPresence:
    """Counts NVIDIA display devices and the sleeping ones among them. `root` is the file system's root."""
    cards = [folder for folder in entries_of(root / "sys/bus/pci/devices") if _is_display(folder, _NVIDIA)]
    asleep = [folder for folder in cards if text_of(folder / "power/runtime_status") in ("suspended", "suspending")]
    return NvidiaPresence(device_count=len(cards), asleep_count=len(asleep))


def find_other_gpus(root: Path = Path("/")) -> tuple[Gpu, ...]:
    """AMD and Intel devices with memory of their own, with the little that the kernel tells of them."""
    gpus: list[Gpu] = []
    for folder in entries_of(root / "sys/bus/pci/devices"):
        gpu = _amd(folder, len(gpus)) if _is_display(folder, _AMD) else None
        if gpu is None and _is_display(folder, _INTEL):
            gpu = _intel(folder, len(gpus))
        if gpu is not None:
            gpus.append(gpu)
    return tuple(gpus)


def _amd(folder: Path, index: int) -> Gpu | None:
    total, used = whole(text_of(folder / "mem_info_vram_total")), whole(text_of(folder / "mem_info_vram_used"))
    if total is None or total < _MIN_DISCRETE_BYTES:
        return None
    unique = text_of(folder / "unique_id")
    monitor = next(iter(entries_of(folder / "hwmon")), folder)
    power = whole(text_of(monitor / "power1_average")) or whole(text_of(monitor / "power1_input"))
    limit, heat = whole(text_of(monitor / "power1_cap")), whole(text_of(monitor / "temp1_input"))
    figures = {
        "memory_free_bytes": None if used is None else max(0, total - used),
        "power_w": None if not power else power * 1e-6,
        "power_limit_w": None if not limit else limit * 1e-6,
        "temperature_celsius": None if heat is None else heat * 1e-3,
    }
    return Gpu(
        uuid=f"AMD-{unique}" if unique and unique != "0" else None,
        index=index,
        vendor="amd",
        name=text_of(folder / "product_name")[:256] or f"AMD GPU {text_of(folder / 'device')}",
        memory_total_bytes=total,
        pcie_bus=folder.name,
        pcie_width=whole(text_of(folder / "current_link_width")) or None,
        refusals=_silent(*(field for field, value in figures.items() if value is None)),
        **figures,  # type: ignore[arg-type]  # each value has its field's type
    )


def _intel(folder: Path, index: int) -> Gpu | None:
    sizes = (
        whole(text_of(card / "lmem_total_bytes")) for card in entries_of(folder / "drm") if card.name.startswith("card")
    )
    total = next((size for size in sizes if size), None)
    if total is None or total < _MIN_DISCRETE_BYTES:
        return None
    return Gpu(
        uuid=None,
        index=index,
        vendor="intel",
        name=f"Intel GPU {text_of(folder / 'device')}",
        memory_total_bytes=total,
        pcie_bus=folder.name,
        pcie_width=whole(text_of(folder / "current_link_width")) or None,
        refusals=_silent("uuid", "memory_free_bytes", "power_w", "power_limit_w", "temperature_celsius"),
    )


def _silent(*fields: str) -> tuple[Refusal, ...]:
    return tuple(Refusal(field=field, reason=Reason.of("refused-system-silent")) for field in fields)


def _is_display(folder: Path, vendor: str) -> bool:
    return text_of(folder / "vendor") == vendor and text_of(folder / "class").startswith(_DISPLAY_CLASS)


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
