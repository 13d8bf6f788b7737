"""Which GPUs CUDA_VISIBLE_DEVICES hides from CUDA; the variable is read and never edited in this process."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from advisor.hardware.machine import Gpu


def hidden_indices(gpus: Sequence[Gpu], environment: Mapping[str, str] | None = None) -> tuple[frozenset[int], bool]:
    """(NVML indices of hidden NVIDIA GPUs, whether the variable's numbers cannot be matched to cards).

    CUDA reads the list up to the first entry that it does not know and numbers unlike cards "fastest first"
    unless CUDA_DEVICE_ORDER says otherwise, an order that nobody publishes: there numbers are ambiguous.
    """
    variables = os.environ if environment is None else environment
    setting = variables.get("CUDA_VISIBLE_DEVICES")
    nvidia = [gpu for gpu in gpus if gpu.vendor == "nvidia"]
    if setting is None or not nvidia:
        return frozenset(), False
    numbered = sorted(nvidia, key=lambda gpu: (gpu.pcie_bus or "", gpu.index))
    by_bus = variables.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or len({gpu.name for gpu in nvidia}) == 1
    visible: set[int] = set()
    for entry in (part.strip() for part in setting.split(",")):
        if entry.isdigit() and not by_bus:
            return frozenset(), True
        index = _index_of(entry, numbered)
        if index is None:
            break
        if index in visible:  # CUDA refuses a list with doubles as a whole
            visible.clear()
            break
        visible.add(index)
    return frozenset(gpu.index for gpu in nvidia) - visible, False


def _index_of(entry: str, numbered: Sequence[Gpu]) -> int | None:
    """NVML index of the GPU that one entry names: a number, or the unique start of a UUID, MIG ones included."""
    if entry.isdigit():
        return numbered[int(entry)].index if int(entry) < len(numbered) else None
    if entry.startswith("MIG-"):
        matches = [gpu for gpu in numbered if any(_names(entry, instance.uuid) for instance in gpu.mig_instances)]
    else:
        matches = [gpu for gpu in numbered if gpu.uuid is not None and _names(entry, gpu.uuid)]
    return matches[0].index if len(matches) == 1 else None


def _names(entry: str, uuid: str) -> bool:
    return len(entry) > len("GPU-") and uuid.lower().startswith(entry.lower())
