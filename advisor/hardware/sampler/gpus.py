"""Every NVIDIA GPU as NVML tells it, field by field: what is refused is None with its reason."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, get_args

from advisor.core.sentences import Reason
from advisor.hardware.driver_problems import NOT_SUPPORTED
from advisor.hardware.machine import Gpu, HostMemory, Refusal, Virtualisation
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
from advisor.hardware.sampler.shares import find_mig_instances, read_processes

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
