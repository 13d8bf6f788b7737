"""What will be measured on which device, and what each may cost: made before anything runs, refined by the trace."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec.structs import replace

from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.core.file_fault import shortened
from advisor.core.memory_watch import ALLOWED_SHARE
from advisor.core.records import Record
from advisor.core.sentences import Arguments, Names, Reason, SaidError
from advisor.hardware.machine import Cpu, Gpu, Machine
from advisor.workload.workload import NumbersModel, Workload, with_training

FULL_METHOD_FROM_S = 60.0
_CALIBRATION_SHARE = 0.22
_LEAST_DEVICE_S = 8.0
_LEAST_BUDGET_S = 1.0
_WORKER_BYTES = 1 << 30
"""What a worker holds beside the model."""
_DEVICE_RESERVE_FRACTION = 0.06
_KINDS = {"nvidia": "cuda", "amd": "cuda", "intel": "xpu", "apple": "mps"}
_HALF_CPU_SETS = {"avx512_bf16", "amx_bf16", "bf16"}


class DevicePlan(Record, frozen=True, kw_only=True):
    """One device: which, in which precisions, and its share of the budget."""

    key: str
    """`cpu`, or the UUID of a GPU (its index where the driver tells no UUID)."""
    name: str
    torch_device: str
    visible: str | None
    """What CUDA_VISIBLE_DEVICES is set to in the worker; None leaves it alone."""
    budget_s: float = 0.0
    """0 until it is shared out."""
    calibration_s: float = 0.0
    """Of the budget; 0 where the calibration is skipped."""
    precisions: tuple[Precision, ...]
    """Measured in this order: the first at every batch size, the others as far as time allows."""
    batch_sizes: tuple[int, ...]
    """Tried where no trace says more; see `batch_choice` for what the trace makes of it."""
    thread_counts: tuple[int, ...] = ()
    memory_limit_bytes: int | None = None
    skipped: Reason | None = None
    """Why this device is not measured at all."""
    notes: tuple[Reason, ...] = ()


class Plan(Record, frozen=True, kw_only=True):
    """A whole run."""

    workload: Workload
    budget_s: float
    full_method: bool
    devices: tuple[DevicePlan, ...]
    allow_code: bool = False


def make_plan(  # noqa: PLR0913 - what a user may ask for
    workload: Workload,
    machine: Machine,
    *,
    budget_s: float,
    devices: Sequence[str] | None = None,
    allow_code: bool = False,
    calibrate: bool = True,
) -> Plan:
    """Share `budget_s` seconds among the machine's devices, or among `devices` (`cpu`, a UUID or an NVML index).

    GPUs that cannot be used, are hidden or equal another one for which there is no time are in the plan with the
    reason. Raises InputError for a device that is not there, or a budget below one second.
    """
    if budget_s < _LEAST_BUDGET_S:
        raise SaidError.of("command-budget-short", budget_s=budget_s, least_s=_LEAST_BUDGET_S)
    workload, notes = _runnable(workload)
    chosen = [_cpu_plan(workload, machine)] if devices is None or "cpu" in devices else []
    for gpu in _chosen_gpus(machine, devices):
        chosen += _gpu_plans(workload, gpu)
    full_method = budget_s >= FULL_METHOD_FROM_S
    return Plan(
        workload=workload,
        budget_s=budget_s,
        full_method=full_method,
        devices=tuple(_shared_out(chosen, budget_s, calibrate=calibrate, notes=notes)),
        allow_code=allow_code,
    )


def _runnable(workload: Workload) -> tuple[Workload, tuple[Reason, ...]]:
    """The workload as torch can run it here; what differs is said."""
    notes = []
    if not OPTIMIZER_FACTS[workload.training.optimizer].runs_in_torch:
        workload = with_training(workload, optimizer="adamw")
        notes.append(Reason.of("measure-lamb-as-adamw"))
    if workload.training.compile:
        workload = with_training(workload, compile=False)
        notes.append(Reason.of("measure-compile-not-applied"))
    if workload.training.optimizer_bits == 8:  # noqa: PLR2004 - bits
        notes.append(Reason.of("measure-optimizer-bits-not-applied"))
    return workload, tuple(notes)


def _chosen_gpus(machine: Machine, devices: Sequence[str] | None) -> list[Gpu]:
    if devices is None:
        return list(machine.gpus)
    chosen = []
    for name in devices:
        if name == "cpu":
            continue
        matches = [gpu for gpu in machine.gpus if name in {gpu.key, str(gpu.index)}]
        matches += [gpu for gpu in machine.gpus if any(name == instance.uuid for instance in gpu.mig_instances)]
        if not matches:
            keys = Names(names=("cpu", *(gpu.key for gpu in machine.gpus)))
            raise SaidError.of("command-no-such-device", given=shortened(name), names=keys)
        chosen.append(matches[0])
    return chosen


def _cpu_plan(workload: Workload, machine: Machine) -> DevicePlan:
    precisions, notes = cpu_precisions(workload.training.precision, machine.cpu)
    cores = _most_threads(machine.cpu.usable_core_count)
    limit = int(machine.memory.available_bytes * ALLOWED_SHARE) - _WORKER_BYTES
    return DevicePlan(
        key="cpu",
        name=machine.cpu.name or machine.cpu.architecture,
        torch_device="cpu",
        visible="",
        precisions=precisions,
        batch_sizes=_first_guess(workload),
        thread_counts=(1, cores) if cores > 1 else (1,),
        memory_limit_bytes=max(0, limit),
        notes=notes,
    )


def _most_threads(core_count: int) -> int:
    """As many as there are usable cores, or fewer where OMP_NUM_THREADS says so: it holds for training too."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(core_count, int(asked)) if asked.isdigit() and int(asked) > 0 else core_count


def cpu_precisions(wanted: Precision, cpu: Cpu) -> tuple[tuple[Precision, ...], tuple[Reason, ...]]:
    """What a processor runs for a wanted precision, and what has to be said about it.

    FP16 has no arithmetic on today's processors and TF32 is a GPU's: FP32 stands for both. BF16 is measured where
    the processor has instructions for it, since it then may gain, and FP32 beside it.
    """
    has_bf16 = bool(_HALF_CPU_SETS & set(cpu.instruction_sets))
    if not PRECISION_FACTS[wanted].computes_in_half:
        notes = (Reason.of("measure-cpu-tf32-is-fp32"),) if wanted == "tf32" else ()
        return ("fp32",), notes
    half: Precision = "bf16_amp"
    if PRECISION_FACTS[wanted].half_weights:
        half = "bf16_true" if PRECISION_FACTS[wanted].pure else "bf16"
    if wanted == half and has_bf16:
        return (half, "fp32"), ()
    if has_bf16:
        note = Reason.of("measure-cpu-fp16-as-bf16", asked=wanted, measured=half)
        return ("fp32", half), (note,)
    return ("fp32",), (Reason.of("measure-cpu-half-as-fp32", asked=wanted),)


def _gpu_plans(workload: Workload, gpu: Gpu) -> list[DevicePlan]:
    """One plan for a GPU, or one for each of its MIG instances."""
    precision = workload.training.precision
    base = DevicePlan(
        key=gpu.key,
        name=gpu.name,
        torch_device=_KINDS[gpu.vendor],
        visible=gpu.uuid if gpu.vendor == "nvidia" else None,
        precisions=(precision,),
        batch_sizes=_first_guess(workload),
        memory_limit_bytes=_device_limit(gpu.memory_free_bytes),
        skipped=_why_not(gpu),
    )
    if not gpu.mig_instances:
        return [base]
    return [
        replace(
            base,
            key=instance.uuid,
            name=instance.name,
            visible=instance.uuid,
            memory_limit_bytes=_device_limit(instance.memory_free_bytes),
        )
        for instance in gpu.mig_instances
    ]


def _why_not(gpu: Gpu) -> Reason | None:
    if not gpu.usable:
        return gpu.unusable_reason or Reason.of("measure-gpu-unusable", gpu=gpu.name)
    if gpu.hidden_from_cuda:
        return Reason.of("measure-gpu-hidden", gpu=gpu.name)
    return None


def _device_limit(free_bytes: int | None) -> int | None:
    """What may be taken of a GPU: free now less a margin for context and workspaces; never probed to the end."""
    return None if free_bytes is None else int(free_bytes * (1.0 - _DEVICE_RESERVE_FRACTION)) - (512 << 20)


def _first_guess(workload: Workload) -> tuple[int, ...]:
    """Batch sizes without a trace: from one sample to the workload's own; the worker leaves out what is too long."""
    if isinstance(workload.model, NumbersModel):
        return ()
    wanted = min(workload.training.batch_size, workload.data.samples)
    return tuple(sorted({1, 2, max(1, wanted // 4), wanted}))


def _shared_out(
    plans: Sequence[DevicePlan], budget_s: float, *, calibrate: bool, notes: tuple[Reason, ...]
) -> list[DevicePlan]:
    """Give each measured device the same share; a GPU like one before it goes without where time is short."""
    runnable = [plan for plan in plans if plan.skipped is None]
    room = max(1, int(budget_s / _LEAST_DEVICE_S))
    kept: list[DevicePlan] = []
    for plan in sorted(
        runnable, key=lambda plan: sum(other.name == plan.name for other in runnable[: runnable.index(plan)])
    ):
        if len(kept) < room:
            kept.append(plan)
    shared = []
    for plan in plans:
        if plan.skipped is None and plan not in kept:
            twin = next((other for other in kept if other.name == plan.name), None)
            code = "measure-no-time" if twin is None else "measure-like-another"
            numbers: Arguments = {"device": plan.name}
            skipped = Reason.of(code, **(numbers if twin is None else numbers | {"twin": twin.key}))
            shared.append(replace(plan, skipped=skipped))
            continue
        share_s = budget_s / max(1, len(kept)) if plan.skipped is None else 0.0
        calibration_s = share_s * _CALIBRATION_SHARE if calibrate else 0.0
        shared.append(replace(plan, budget_s=share_s, calibration_s=calibration_s, notes=plan.notes + notes))
    return shared
