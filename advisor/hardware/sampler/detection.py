"""One look at the whole machine, told piece by piece so that a dying driver takes nothing along."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from advisor.core.sentences import Reason
from advisor.hardware.driver_problems import LIBRARY_NOT_FOUND, driver_problem
from advisor.hardware.machine import Gpu, GpuLink, HostMemory, LinkKind, Software
from advisor.hardware.sampler.cgroups import read_limits
from advisor.hardware.sampler.fields import positive, text
from advisor.hardware.sampler.gpus import find_gpu
from advisor.hardware.sampler.host import find_memory
from advisor.hardware.sampler.nvml import MAX_GPUS, NONSENSE, Nvml, NvmlRefusedError, NvmlUnavailableError
from advisor.hardware.sampler.pci import find_apple_gpus, find_other_gpus, nvidia_presence
from advisor.hardware.sampler.processors import find_cpu
from advisor.hardware.sampler.software import find_software
from advisor.hardware.sampler_messages import (
    Asking,
    Detect,
    Detected,
    DriverFound,
    Event,
    GpuFound,
    HostFound,
    LinksFound,
    Noticed,
)

_FABRIC_WAITING = (1, 2)


def detect(request: Detect, emit: Callable[[Event], None]) -> None:
    """Send the host, then the driver, each GPU, the links and the notices, then `Detected`."""
    limits = read_limits()
    memory = find_memory(limits)
    software = find_software()
    others = find_apple_gpus(memory) or find_other_gpus()
    emit(HostFound(cpu=find_cpu(limits), memory=memory, software=software, gpus=others))
    if request.ask_driver:
        _detect_nvidia(request, emit, memory, software, others)
    emit(Detected())


def _detect_nvidia(
    request: Detect, emit: Callable[[Event], None], memory: HostMemory, software: Software, others: tuple[Gpu, ...]
) -> None:
    presence = nvidia_presence()
    if presence.asleep_count:
        emit(Noticed(reason=Reason.of("driver-gpu-was-asleep", gpu_count=presence.asleep_count)))

    def announce(function: str) -> None:
        emit(Asking(function=function))

    try:
        nvml = Nvml(container=software.container, avoid=frozenset(request.avoid), announce=announce)
    except NvmlUnavailableError as unavailable:
        reason = unavailable.reason
        absent = reason == driver_problem(LIBRARY_NOT_FOUND)
        if presence.device_count and absent:
            reason = Reason.of("driver-absent-for-card", gpu_count=presence.device_count)
        if not (absent and others and not presence.device_count):  # nobody misses NVIDIA's beside another maker's
            emit(Noticed(reason=reason))
        return
    try:
        detect_gpus(nvml, emit, memory)
    finally:
        nvml.close()


def detect_gpus(nvml: Nvml, emit: Callable[[Event], None], memory: HostMemory) -> None:
    """Send the driver's versions, every NVIDIA GPU, and their links."""
    cuda = nvml.value_or_none(
        ("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"), convert=_cuda_version
    )
    emit(DriverFound(version=nvml.value_or_none("nvmlSystemGetDriverVersion", convert=text), cuda=cuda))
    try:
        number = int(nvml.call("nvmlDeviceGetCount"))
    except NvmlRefusedError as refusal:
        emit(Noticed(reason=refusal.reason if refusal.code is None else driver_problem(refusal.code)))
        return
    if number <= 0:
        emit(Noticed(reason=Reason.of("driver-no-gpus")))
        return
    gpus: list[Gpu] = []
    for index in range(min(number, MAX_GPUS)):
        gpus.append(find_gpu(nvml, index, memory))
        emit(GpuFound(gpu=gpus[-1]))
    if len(gpus) > 1:
        emit(LinksFound(links=find_links(nvml, gpus)))
    if any(_fabric_waiting(nvml, gpu.index) for gpu in gpus if gpu.usable):
        emit(Noticed(reason=Reason.of("driver-fabric-not-ready")))


def _cuda_version(value: Any) -> str:  # noqa: ANN401 - whatever the driver gave
    """Newest CUDA that the driver runs: 12040 -> "12.4". Raises ValueError for no version."""
    number = int(positive(value))
    return f"{number // 1000}.{number % 1000 // 10}"


def _fabric_waiting(nvml: Nvml, index: int) -> bool:
    """Whether the NVSwitch fabric has not come up: CUDA would fail with error 802."""
    try:
        fabric = nvml.constant("c_nvmlGpuFabricInfo_t")()
        nvml.call("nvmlDeviceGetGpuFabricInfo", nvml.handle(index), ctypes.byref(fabric))
        return int(fabric.state) in _FABRIC_WAITING
    except (NvmlRefusedError, *NONSENSE):
        return False


_P2P_READ, _P2P_NVLINK = 0, 2
_P2P_OK = 0
_SWITCH = 2


def find_links(nvml: Nvml, gpus: Sequence[Gpu]) -> tuple[GpuLink, ...]:
    """The link of each pair of usable GPUs; `unknown` where the driver would not say."""
    handles: dict[int, Any] = {}
    for gpu in gpus:
        if gpu.usable:
            try:
                handles[gpu.index] = nvml.handle(gpu.index)
            except NvmlRefusedError:
                continue
    wired = {gpu.index: gpu.nvlink_count != 0 for gpu in gpus}
    far_end = "nvmlDeviceGetNvLinkRemoteDeviceType"
    switched = {
        index: wired[index] and nvml.value_or_none(far_end, handle, 0, convert=int) == _SWITCH
        for index, handle in handles.items()
    }
    links = []
    for first, second in combinations(sorted(handles), 2):
        nvlink = wired[first] and wired[second]
        kind = _kind(nvml, (handles[first], handles[second]), nvlink=nvlink, switched=switched[first])
        links.append(GpuLink(first_index=first, second_index=second, kind=kind))
    return tuple(links)


def _kind(nvml: Nvml, pair: tuple[Any, Any], *, nvlink: bool, switched: bool) -> LinkKind:
    if nvlink and nvml.value_or_none("nvmlDeviceGetP2PStatus", *pair, _P2P_NVLINK, convert=int) == _P2P_OK:
        return "nvswitch" if switched else "nvlink"
    # An older driver does not know that question; this one may still be answered.
    status = nvml.value_or_none("nvmlDeviceGetP2PStatus", *pair, _P2P_READ, convert=int)
    if status is None:
        return "unknown"
    return "pcie_p2p" if status == _P2P_OK else "pcie_host"
