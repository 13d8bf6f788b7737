"""How the NVIDIA GPUs of this machine reach each other, as far as NVML tells without moving data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from advisor.hardware.machine import Gpu, GpuLink, LinkKind
from advisor.hardware.sampler.nvml import Nvml, NvmlRefusedError

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
        index: wired[index] and nvml.told(far_end, handle, 0, convert=int) == _SWITCH
        for index, handle in handles.items()
    }
    links = []
    for first, second in combinations(sorted(handles), 2):
        nvlink = wired[first] and wired[second]
        kind = _kind(nvml, (handles[first], handles[second]), nvlink=nvlink, switched=switched[first])
        links.append(GpuLink(first_index=first, second_index=second, kind=kind))
    return tuple(links)


def _kind(nvml: Nvml, pair: tuple[Any, Any], *, nvlink: bool, switched: bool) -> LinkKind:
    if nvlink and nvml.told("nvmlDeviceGetP2PStatus", *pair, _P2P_NVLINK, convert=int) == _P2P_OK:
        return "nvswitch" if switched else "nvlink"
    # An older driver does not know that question; this one may still be answered.
    status = nvml.told("nvmlDeviceGetP2PStatus", *pair, _P2P_READ, convert=int)
    if status is None:
        return "unknown"
    return "pcie_p2p" if status == _P2P_OK else "pcie_host"
