"""What is missing or wrong on a machine, concluded from what was found on it; each notice names a remedy."""

from __future__ import annotations

from advisor.core.sentences import Arguments, Reason
from advisor.hardware.machine import Gpu, Machine


def machine_notices(machine: Machine, *, ambiguous: bool = False) -> tuple[Reason, ...]:
    """The notices, most serious first. `ambiguous`: CUDA_VISIBLE_DEVICES numbers unlike cards."""
    notices = _torch_notices(machine)
    if ambiguous:
        notices.append(Reason.of("machine-visible-devices-ambiguous"))
    notices += [notice for gpu in machine.gpus for notice in _gpu_notices(gpu)]
    if machine.software.wsl:
        notices.append(Reason.of("machine-wsl"))
    limit = machine.cpu.cgroup_core_limit_count
    if limit is not None and machine.cpu.logical_core_count is not None and limit < machine.cpu.logical_core_count:
        notices.append(
            Reason.of(
                "machine-core-limit", core_count=round(limit, 2), logical_core_count=machine.cpu.logical_core_count
            )
        )
    if machine.memory.cgroup_limit_bytes is not None:
        notices.append(Reason.of("machine-memory-limit", limit_bytes=machine.memory.cgroup_limit_bytes))
    return tuple(notices)


def _torch_notices(machine: Machine) -> list[Reason]:
    """Is torch fit for the driver: no torch, a build without CUDA, a build newer than the driver."""
    software = machine.software
    if software.torch is None:
        return [Reason.of("machine-torch-missing")]
    if not any(gpu.vendor == "nvidia" and gpu.usable for gpu in machine.gpus):
        return []
    if software.torch_cuda is None:
        newest = software.cuda_driver or ""
        return [Reason.of("machine-torch-without-cuda", torch=software.torch, cuda_driver=newest)]
    if software.cuda_driver is not None and _major(software.torch_cuda) > _major(software.cuda_driver):
        return [Reason.of("machine-driver-too-old", torch_cuda=software.torch_cuda, cuda_driver=software.cuda_driver)]
    return []


def _major(version: str) -> int:
    """Minor versions are compatible within a major one, so only majors are compared."""
    head = version.partition(".")[0]
    return int(head) if head.isdigit() else 0


def _gpu_notices(gpu: Gpu) -> list[Reason]:
    numbers: Arguments = {"gpu_index": gpu.index, "gpu_name": gpu.name}
    notices = []
    if gpu.unusable_reason is not None:
        code = "gpu-lost" if gpu.unusable_reason.code == "refused-gpu-lost" else "gpu-unusable"
        notices.append(Reason.of(code, **numbers))
    if gpu.hidden_from_cuda:
        notices.append(Reason.of("gpu-hidden", **numbers))
    if gpu.compute_mode in ("exclusive_process", "exclusive_thread") and gpu.processes:
        notices.append(Reason.of("gpu-in-use-exclusive", **numbers, pid=str(gpu.processes[0].pid)))
    if gpu.mig_enabled:
        notices.append(Reason.of("gpu-mig", **numbers, instance_count=len(gpu.mig_instances)))
    if gpu.virtualisation == "vgpu":
        notices.append(Reason.of("gpu-shared-by-others", **numbers))
    if gpu.unified_memory and gpu.vendor == "nvidia":
        notices.append(Reason.of("gpu-unified-memory", **numbers))
    if gpu.vendor == "nvidia" and gpu.usable and gpu.spec_key is None:
        notices.append(Reason.of("gpu-unknown-card", **numbers))
    return notices
