"""Every NVIDIA GPU as NVML tells it, field by field: what is refused is None with its reason."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, get_args

import psutil  # noqa: TID251 - the sampler is its one user

from advisor.core.sentences import Reason
from advisor.hardware.driver_problems import NOT_FOUND, NOT_SUPPORTED
from advisor.hardware.machine import Gpu, GpuProcess, HostMemory, MigInstance, Refusal, Virtualisation
from advisor.hardware.sampler.fields import (
    MOST_MEMORY_BYTES,
    FieldReader,
    celsius,
    count,
    hertz,
    is_unified,
    links,
    memory_info,
    text,
    watts,
)
from advisor.hardware.sampler.nvml import Nvml, NvmlRefusedError

UNKNOWN_NAME = "unknown NVIDIA GPU"
_SM_CLOCK, _MEMORY_CLOCK = 1, 2
_MAX_NVLINKS = 36
_COMPUTE_MODES = {0: "default", 1: "exclusive_thread", 2: "prohibited", 3: "exclusive_process"}
_VIRTUALISATION: tuple[Virtualisation, ...] = get_args(Virtualisation)
_FIGURES: tuple[tuple[str, str | tuple[str, ...], tuple[int, ...], Callable[[Any], object]], ...] = (
    ("compute_mode", "nvmlDeviceGetComputeMode", (), lambda code: _COMPUTE_MODES[count(code)]),
    ("virtualisation", "nvmlDeviceGetVirtualizationMode", (), lambda code: _VIRTUALISATION[count(code)]),
    ("sm_clock_hz", "nvmlDeviceGetClockInfo", (_SM_CLOCK,), hertz),
    ("sm_clock_max_hz", "nvmlDeviceGetMaxClockInfo", (_SM_CLOCK,), hertz),
    ("sm_clock_default_hz", "nvmlDeviceGetDefaultApplicationsClock", (_SM_CLOCK,), hertz),
    ("memory_clock_hz", "nvmlDeviceGetClockInfo", (_MEMORY_CLOCK,), hertz),
    ("power_w", "nvmlDeviceGetPowerUsage", (), watts),
    ("power_limit_w", ("nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"), (), watts),
    ("temperature_celsius", "nvmlDeviceGetTemperature", (0,), celsius),
    ("pcie_generation", ("nvmlDeviceGetMaxPcieLinkGeneration", "nvmlDeviceGetCurrPcieLinkGeneration"), (), links),
    ("pcie_width", ("nvmlDeviceGetCurrPcieLinkWidth", "nvmlDeviceGetMaxPcieLinkWidth"), (), links),
    ("pcie_bus", "nvmlDeviceGetPciInfo", (), lambda info: text(info.busId)),
)
"""Fields that one question answers: the functions that tell it, the first that does, and how its answer is read.

PCIe: the generation that card and slot can do (an idle link falls back to 1), and the width as trained."""


def find_gpu(nvml: Nvml, index: int, host: HostMemory) -> Gpu:
    """GPU `index` with all that the driver tells; a GPU that answers nothing is there, named and unusable."""
    try:
        handle = nvml.handle(index)
    except NvmlRefusedError as refusal:
        return Gpu(
            uuid=None,
            index=index,
            vendor="nvidia",
            name=UNKNOWN_NAME,
            usable=False,
            unusable_reason=refusal.reason,
            refusals=(Refusal(field="name", reason=refusal.reason),),
        )
    return _describe(FieldReader(nvml, handle, index), host)


def _describe(reader: FieldReader, host: HostMemory) -> Gpu:
    name = reader.read("name", "nvmlDeviceGetName", convert=text)
    uuid = reader.read("uuid", "nvmlDeviceGetUUID", convert=text)
    capability = reader.read(
        "compute_capability",
        "nvmlDeviceGetCudaComputeCapability",
        convert=lambda pair: f"{int(pair[0])}.{int(pair[1])}",
    )
    split = reader.read("mig_enabled", "nvmlDeviceGetMigMode", convert=lambda modes: bool(modes[0]), unsupported=False)
    total, free, reserved, unified = _memory(reader, name, host)
    figures: dict[str, Any] = {
        field: reader.read(field, functions, *arguments, convert=convert)
        for field, functions, arguments, convert in _FIGURES
    }
    mode, virtual = figures["compute_mode"], figures["virtualisation"]
    processes = read_processes(reader)
    instances = find_mig_instances(reader) if split else ()
    return Gpu(
        uuid=uuid,
        index=reader.index,
        vendor="nvidia",
        name=name or UNKNOWN_NAME,
        compute_capability=capability,
        memory_total_bytes=total,
        memory_free_bytes=free,
        memory_reserved_bytes=reserved,
        **figures,
        nvlink_count=_nvlinks(reader),
        driver_model=_driver_model(reader),
        virtualised=None if virtual is None else virtual in ("passthrough", "vgpu"),
        unified_memory=unified,
        mig_enabled=split,
        mig_instances=instances,
        processes=processes,
        usable=reader.lost is None and mode != "prohibited",
        unusable_reason=reader.lost or (Reason.of("gpu-compute-prohibited") if mode == "prohibited" else None),
        refusals=tuple(reader.refusals),
    )


def _memory(reader: FieldReader, name: str | None, host: HostMemory) -> tuple[int | None, int | None, int | None, bool]:
    """Total, free and reserved bytes, and whether they are the host's own (Jetson, GB10)."""
    fields = ("memory_total_bytes", "memory_free_bytes", "memory_reserved_bytes")
    reason = reader.lost
    if reason is None:
        try:
            total, free, _, reserved = memory_info(reader.nvml, reader.handle)
        except NvmlRefusedError as refusal:
            reader.note_loss(refusal)
            reason = refusal.reason
            if refusal.code == NOT_SUPPORTED and is_unified(name):
                reader.refuse("memory_reserved_bytes", reason)
                return host.total_bytes, host.available_bytes, None, True
        else:
            if 0 < total <= MOST_MEMORY_BYTES and 0 <= free <= total:
                if reserved is None:
                    reader.refuse("memory_reserved_bytes", Reason.of("refused-driver-too-old"))
                return total, free, reserved, False
            reason = Reason.of("refused-nonsense")
    for field in fields:
        reader.refuse(field, reason)
    return None, None, None, False


def _nvlinks(reader: FieldReader) -> int | None:
    """Active NVLink links; a card without NVLink has none, which is no refusal."""
    active = 0
    try:
        for link in range(_MAX_NVLINKS):
            active += int(reader.ask("nvmlDeviceGetNvLinkState", link) == 1)
    except NvmlRefusedError as refusal:
        if refusal.code not in (2, NOT_SUPPORTED):  # past the last link, or no NVLink at all
            reader.refuse("nvlink_count", refusal.reason)
            return None
    return active


def _driver_model(reader: FieldReader) -> str | None:
    """WDDM or TCC; only Windows has driver models."""
    if sys.platform == "win32":
        functions = ("nvmlDeviceGetDriverModel_v2", "nvmlDeviceGetDriverModel")
        models = {0: "wddm", 1: "tcc", 2: "mcdm"}
        return reader.read("driver_model", functions, convert=lambda pair: models[count(pair[0])])
    else:  # noqa: RET505 - as branches, the type checker sees each system's alone
        return None


_MAX_MIG_SLOTS = 16


def find_mig_instances(reader: FieldReader) -> tuple[MigInstance, ...]:
    """The MIG instances of a split GPU, empty slots left out."""
    slots = reader.read("mig_instances", "nvmlDeviceGetMaxMigDeviceCount", convert=count)
    instances: list[MigInstance] = []
    for slot in range(min(slots or 0, _MAX_MIG_SLOTS)):
        try:
            handle = reader.nvml.mig_handle(reader.handle, slot)
            uuid = text(reader.nvml.call("nvmlDeviceGetUUID", handle))
        except NvmlRefusedError as refusal:
            reader.note_loss(refusal)
            if refusal.code != NOT_FOUND:
                reader.refuse("mig_instances", refusal.reason)
            continue
        except ValueError:
            reader.refuse("mig_instances", Reason.of("refused-nonsense"))
            continue
        instance = FieldReader(reader.nvml, handle, reader.index)
        name = instance.read("name", "nvmlDeviceGetName", convert=text)
        total, free = _mig_memory(reader, handle)
        instances.append(
            MigInstance(
                uuid=uuid, name=name or "unknown MIG instance", memory_total_bytes=total, memory_free_bytes=free
            )
        )
    return tuple(instances)


def _mig_memory(reader: FieldReader, handle: Any) -> tuple[int | None, int | None]:  # noqa: ANN401
    try:
        total, free, _, _ = memory_info(reader.nvml, handle)
    except NvmlRefusedError as refusal:
        reader.refuse("mig_instances", refusal.reason)
        return None, None
    return (total, free) if 0 <= free <= total and total > 0 else (None, None)


def read_processes(reader: FieldReader) -> tuple[GpuProcess, ...]:
    """Processes that compute on the device; memory is None where another PID namespace hides it."""
    functions = ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2")
    listed = reader.read("processes", functions, convert=list) or []
    return tuple(
        GpuProcess(
            pid=int(item.pid),
            memory_bytes=_process_memory(item),
            name=None if reader.nvml.container else _process_name(int(item.pid)),
        )
        for item in listed
    )


def _process_memory(item: Any) -> int | None:  # noqa: ANN401 - a structure of pynvml
    used = getattr(item, "usedGpuMemory", None)
    return int(used) if isinstance(used, int) and 0 <= used < 1 << 60 else None


def _process_name(pid: int) -> str | None:
    """The bare program name: no path, no arguments, no user."""
    try:
        return text(psutil.Process(pid).name())
    except (psutil.Error, OSError, ValueError):
        return None
