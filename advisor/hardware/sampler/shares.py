"""Who else is on a GPU: its MIG instances and the programs that hold its memory."""

from __future__ import annotations

from typing import Any

import psutil  # noqa: TID251 - the sampler is its one user

from advisor.core.sentences import Reason
from advisor.hardware.driver_problems import NOT_FOUND
from advisor.hardware.machine import GpuProcess, MigInstance
from advisor.hardware.sampler.fields import FieldReader, count, memory_info, text
from advisor.hardware.sampler.nvml import NvmlRefusedError

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
