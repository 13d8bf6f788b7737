"""Which set-ups are worth predicting: devices, counts, strategies, precisions, batch sizes and accumulation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from advisor.catalogue.counted_cards import cards_together
from advisor.catalogue.gpu_spec import GpuSpec, is_lone
from advisor.catalogue.gpu_words import nearest_keys
from advisor.catalogue.links import USUAL_MACHINES, Machines
from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import STRATEGY_FACTS, USUAL_COUNTS, Strategy
from advisor.core.by_key import grouped
from advisor.core.file_fault import shown_value
from advisor.core.sentences import Names, Reason, SaidError
from advisor.hardware.machine import Gpu, Machine
from advisor.predict.prediction import Candidate, Device
from advisor.recommend.dealing import LARGEST_BATCH_SIZE, batch_sizes_dealing
from advisor.recommend.precisions import precisions_of_cpu, precisions_of_gpu, sensible_precisions
from advisor.workload.workload import Workload

DEFAULT_GPU_KEYS = ("v100-sxm2-32", "a100-sxm4-40", "rtx3090", "rtx4090", "l40s")
LARGER_GPU_KEYS = ("a100-sxm4-80", "h100-sxm", "h200-sxm")
"""Tried by themselves where none of the default cards holds a step whole."""
BATCH_SIZE_COUNT = 12
ACCUMULATED_TIMES = (2, 4)
ACCUMULATED = max(ACCUMULATED_TIMES)
"""How many times the workload's own micro-batches are also tried where what follows each step costs most: as many as
the bound on the global batch leaves to two cards, and half of it, which it leaves to four."""
_STEPS_AROUND = (1.0, 0.0156, 0.0625, 0.25, 0.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0)
_FURTHER_STEPS = (0.125, 3.0, 1.5, 6.0, 12.0, 24.0, 48.0, 96.0, 128.0, 192.0, 384.0, 512.0)


def largest_gpu_keys(specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """Cards that hold more than any of the larger ones: what no such card holds may still fit one of these."""
    most = max((specs[key].memory_bytes or 0.0 for key in LARGER_GPU_KEYS if key in specs), default=math.inf)
    return tuple(key for key, spec in specs.items() if (spec.memory_bytes or 0.0) > most)


def batch_sizes_around(batch_size: int) -> tuple[int, ...]:
    """Twelve batch sizes (samples a device) around the workload's own, which is among them; ascending."""
    chosen: list[int] = []
    for factor in itertools.chain(_STEPS_AROUND, _FURTHER_STEPS, (0.75, 0.6, 0.4, 0.3, 0.2, 0.1, 0.05, 0.9, 0.8)):
        size = min(max(1, round(batch_size * factor)), LARGEST_BATCH_SIZE)
        if size not in chosen and len(chosen) < BATCH_SIZE_COUNT:
            chosen.append(size)
    return tuple(sorted(chosen))


def enumerate_candidates(  # noqa: PLR0913 - the choices of the command line, each with its default
    workload: Workload,
    machine: Machine,
    specs: Mapping[str, GpuSpec],
    *,
    gpu_keys: Sequence[str] | None = None,
    counts: Sequence[int] = USUAL_COUNTS,
    card_counts: Mapping[str, Sequence[int]] | None = None,
    precisions: Sequence[Precision] | None = None,
    batch_sizes: Sequence[int] | None = None,
    strategies: Sequence[Strategy] = ("single", "dp", "ddp"),
    global_batch_size: int | None = None,
    machines: Machines = USUAL_MACHINES,
    local: bool = True,
) -> tuple[Candidate, ...]:
    """Every set-up to predict: this machine's devices, then the cards of the spec table.

    `gpu_keys` None: the five default cards, as far as the table has them. `card_counts`: the numbers of cards to try of
    these keys, instead of `counts`. With `global_batch_size` every batch size
    is tried that makes it up exactly in whole micro-batches, and counts that cannot are left out; otherwise the
    workload's own accumulation is kept, DDP at the workload's batch is also tried with four times as much of it, and
    several devices also with the share of it that holds its global batch.
    Inference is judged on one device: copies of a model that serve by themselves exchange nothing, and several cards
    answer as many times the requests. Raises InputError for a GPU key that the table lacks.
    """
    if workload.training.mode == "inference":
        counts, card_counts = (1,), None
    own_counts = card_counts or {}
    every_count = {*counts, *itertools.chain.from_iterable(own_counts.values())}
    wanted = sensible_precisions(workload) if precisions is None else tuple(precisions)
    sizes = _sizes_by_count(workload, every_count, batch_sizes, global_batch_size)
    return tuple(
        Candidate(
            device=device,
            count=count,
            strategy=strategy,
            precision=precision,
            batch_size_per_device=size,
            gradient_accumulation_steps=steps,
        )
        for device, available, device_precisions in _devices(
            machine, specs, gpu_keys, wanted, local=local, forward_alone=workload.training.mode == "inference"
        )
        for count in _counts_to_try(own_counts.get(device.key, counts), available)
        for strategy in strategies_for(count, strategies, machines.of(count, local=device.local))
        for precision, size in itertools.product(device_precisions, sizes(count))
        for steps in _accumulations(workload, count, strategy, size, global_batch_size)
    )


def _sizes_by_count(
    workload: Workload, counts: Iterable[int], batch_sizes: Sequence[int] | None, global_batch_size: int | None
) -> Callable[[int], tuple[int, ...]]:
    """The batch sizes a device to try with so many devices."""
    own = workload.training.batch_size
    if batch_sizes is not None:
        return lambda _count: tuple(batch_sizes)
    if global_batch_size is not None:
        return lambda count: batch_sizes_dealing(global_batch_size, count, own)
    around = batch_sizes_around(own)
    held = {count: own // count for count in counts if count > 1 and own % count == 0}
    return lambda count: tuple(sorted({*around, held.get(count, own)}))


def _counts_to_try(counts: Sequence[int], available: int | None) -> list[int]:
    """Ascending; a local group is also tried as a whole when counts reach beyond it."""
    return sorted({min(count, available or count) for count in counts if count >= 1})


_Choice = tuple[Device, "int | None", "tuple[Precision, ...]"]
"""A device, how many of it there are (None: as many as are bought), and its precisions."""


def _devices(  # noqa: PLR0913 - what there is, and what is asked of it
    machine: Machine,
    specs: Mapping[str, GpuSpec],
    gpu_keys: Sequence[str] | None,
    wanted: Sequence[Precision],
    *,
    local: bool,
    forward_alone: bool,
) -> Iterable[_Choice]:
    if local:
        cpu = Device(key="cpu", name=machine.cpu.name or "CPU", spec_key=None, local=True)
        yield cpu, 1, precisions_of_cpu(machine.cpu, wanted)
        for gpus in local_gpu_groups(machine):
            first = gpus[0]
            here = precisions_of_gpu(
                specs.get(first.spec_key or ""), wanted, first.compute_capability, forward_alone=forward_alone
            )
            yield local_device(first), len(gpus), here
    for key in table_keys(specs, gpu_keys):
        spec = specs[key]
        device = Device(key=key, name=spec.name, spec_key=key, local=False)
        yield device, 1 if is_lone(spec) else None, precisions_of_gpu(spec, wanted, forward_alone=forward_alone)


def with_own_cards(named: Iterable[str] | None, own: Iterable[str]) -> tuple[str, ...] | None:
    """Keys that are compared where cards of a file are given: those named, or the usual ones; None: neither is."""
    own = tuple(own)
    if named is None and not own:
        return None
    return tuple(dict.fromkeys((*(DEFAULT_GPU_KEYS if named is None else named), *own)))


def table_keys(specs: Mapping[str, GpuSpec], gpu_keys: Sequence[str] | None) -> tuple[str, ...]:
    """The asked cards of the table, the default ones with None. Raises InputError for a key that it lacks."""
    if gpu_keys is None:
        return tuple(key for key in DEFAULT_GPU_KEYS if key in specs)
    unknown = [key for key in gpu_keys if key not in specs]
    if unknown:
        raise unknown_cards(unknown, specs)
    return tuple(dict.fromkeys(gpu_keys))


def unknown_cards(
    names: Sequence[str], specs: Mapping[str, GpuSpec], asked_by: Literal["command", "call"] = "command"
) -> SaidError:
    """The fault of names that no card of the table has: all of them at once, each with those that are most like it."""
    given = Names(names=tuple(dict.fromkeys(map(shown_value, names))))
    together = next(filter(None, (cards_together(name, specs) for name in names)), ())
    if together:
        remedy = Reason.of("command-cards-together", names=Names(names=together))
        return SaidError.of("command-unknown-card", remedy, given=given, asked_by=asked_by)
    each = [nearest_keys(name, specs) for name in names]
    # Of several names the likest of each says enough.
    near = each[0] if len(names) == 1 else [key for keys in each for key in keys[:1]]
    meant = Names(names=tuple(f"`{key}`" for key in dict.fromkeys(near)), alternatives=len(names) == 1)
    remedy = (
        Reason.of("command-card-meant", names=meant, asked_by=asked_by)
        if meant.names
        else Reason.of("command-card-list", asked_by=asked_by)
    )
    return SaidError.of("command-unknown-card", remedy, given=given, asked_by=asked_by)


def local_device(gpu: Gpu) -> Device:
    """The candidate device of a local GPU: its UUID, or its NVML index where the driver hides the UUID."""
    return Device(key=gpu.key, name=gpu.name, spec_key=gpu.spec_key, local=True)


def local_gpu_groups(machine: Machine) -> tuple[tuple[Gpu, ...], ...]:
    """Usable local GPUs, alike ones together; a card cut by MIG stands alone, since its slices never join."""

    def alike(gpu: Gpu) -> tuple[object, ...]:
        return (gpu.name, gpu.memory_total_bytes, gpu.spec_key, gpu.index if gpu.mig_enabled else None)

    return tuple(tuple(gpus) for gpus in grouped((gpu for gpu in machine.gpus if gpu.usable), alike).values())


def strategies_for(count: int, strategies: Sequence[Strategy], machine_count: int = 1) -> tuple[Strategy, ...]:
    """What so many devices can do: DataParallel is one process, which never leaves its machine."""
    if count == 1:
        return tuple(strategy for strategy in strategies if strategy == "single" or STRATEGY_FACTS[strategy].offloads)
    several = [strategy for strategy in strategies if strategy != "single"]
    return tuple(strategy for strategy in several if not (machine_count > 1 and STRATEGY_FACTS[strategy].one_process))


def _accumulations(
    workload: Workload, count: int, strategy: Strategy, batch_size: int, global_batch_size: int | None
) -> tuple[int, ...]:
    own = workload.training.gradient_accumulation_steps
    if global_batch_size is None:
        # Several cards may take over what one accumulates: then the global batch stays as it is.
        shared = -(-own // count)
        own_batch = strategy == "ddp" and batch_size == workload.training.batch_size
        more = (further * own for further in ACCUMULATED_TIMES) if own_batch else ()
        return tuple(dict.fromkeys((own, shared, *more)))
    per_pass = count * batch_size
    if per_pass > global_batch_size or global_batch_size % per_pass:
        return ()
    return (global_batch_size // per_pass,)
