"""How much memory a training step needs on one device: parts, the allocator's fragmentation, and a range."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.catalogue.strategies import Strategy
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.cost.memory.replay import (
    Peak,
    StepSetup,
    Stream,
    live_peak,
    moments,
    needed_bytes,
    stream_of,
    update_bytes,
)
from advisor.cost.memory.sharding import Shares, shares_of
from advisor.cost.memory.states import OptimizerMemory, optimizer_memory
from advisor.cost.parts import MemoryPart
from advisor.optable.op_table import OpTable, at
from advisor.workload.workload import Training

GIB = float(2**30)
_CUBLAS_WORKSPACE_BYTES = 4096 * 1024 * 2 + 16 * 1024 * 8
"""torch's default `CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8`, once for the forward thread and once for backward's."""
_CUBLAS_WORKSPACE_HOPPER_BYTES = 32 * 1024 * 1024
_HOPPER = (9, 0)
_CONTEXT_BYTES = {7: 0.40 * GIB, 8: 0.40 * GIB, 9: 0.55 * GIB, 10: 0.60 * GIB, 12: 0.55 * GIB}
"""CUDA context with lazily loaded kernels of torch, cuBLAS and cuDNN, by major compute capability."""
_CONTEXT_UNKNOWN_BYTES = 0.5 * GIB
_RESERVED_FRACTION = 1 / 16
"""Share of a card's nominal memory that a process never gets: what the driver keeps, error correction beside GDDR
(one byte in sixteen), kernels loaded whole by older software. With the context it leaves an RTX 3090's allocator
22.10 GiB: as much as out-of-memory messages show for it (22.05 GiB reserved and 46 MiB free of 23.70)."""
_LOW_FRACTION, _HIGH_FRACTION = 0.98, 1.02
"""Beside convolutions, nineteen of twenty real needs of a largest-batch ladder lie between these."""
CONVOLUTION_HEADROOM = 0.5
"""Kept free for cuDNN, as a share of the largest convolution's input and output: its workspaces pass through the
allocator's cache, and its kernels are loaded beside it. Chosen by a rule, docs/decisions/0005."""
_WORKSPACE_HIGH_SHARE = 1.0
"""cuDNN's algorithms take up to their input and output once more while they run."""


class MemoryNeed(Record, frozen=True, kw_only=True):
    """What one device must have: compare `need` with `usable_bytes(capacity)`."""

    need: Estimate
    """Bytes; the CUDA context and the allocator's fragmentation are in it."""
    allocated_bytes: float
    """Peak of what tensors hold, as `torch.cuda.max_memory_allocated` reports it."""
    parts: tuple[MemoryPart, ...]
    """Add up to `need.value`."""
    notes: tuple[Reason, ...] = ()


class MemoryQuestion(NamedTuple):
    """One question about one table: everything but the batch size."""

    table: OpTable
    stream: Stream
    setup: StepSetup
    shares: Shares
    saved_bytes: float
    context_bytes: float
    workspace_bytes: float


def usable_bytes(capacity_bytes: float) -> float:
    """What of a card's nominal memory a process can take, its CUDA context included."""
    return capacity_bytes * (1 - _RESERVED_FRACTION)


def context_bytes(compute_capability: str | None) -> float:
    """Bytes that the CUDA context holds outside the allocator, by architecture (`8.6`)."""
    major = int(compute_capability.split(".")[0]) if compute_capability else 0
    return _CONTEXT_BYTES.get(major, _CONTEXT_UNKNOWN_BYTES)


def memory_need(  # noqa: PLR0913 - one question
    table: OpTable,
    training: Training,
    precision: Precision,
    batch_size: int,
    *,
    compute_capability: str | None,
    strategy: Strategy = "single",
    count: int = 1,
    gradients_kept: bool = False,
) -> MemoryNeed | None:
    """What one of `count` devices needs at `batch_size` a device; None where the table has no memory timeline.

    `gradients_kept`: the loop calls `zero_grad(set_to_none=False)`, as was torch's default before 2.0.
    For `dp` the answer is for the first device, which holds most.
    """
    question = memory_question(
        table,
        training,
        precision,
        compute_capability=compute_capability,
        strategy=strategy,
        count=count,
        gradients_kept=gradients_kept,
    )
    return None if question is None else answered(question, batch_size)


def memory_question(  # noqa: PLR0913 - one question
    table: OpTable,
    training: Training,
    precision: Precision,
    *,
    compute_capability: str | None,
    strategy: Strategy = "single",
    count: int = 1,
    gradients_kept: bool = False,
) -> MemoryQuestion | None:
    """The same question for every batch size; arguments as for `memory_need`."""
    if table.memory is None:
        return None
    optimizer = optimizer_memory(table, training, precision)
    workspaces = _library_workspaces(table, compute_capability)
    shares = shares_of(strategy, count, table)
    setup = _setup(optimizer, table, training)._replace(
        persistent=(*workspaces, *shares.bucket_bytes),
        gradients_kept=gradients_kept or training.gradient_accumulation_steps > 1,
    )
    return MemoryQuestion(
        table=table,
        stream=stream_of(table.memory),
        setup=setup,
        shares=shares,
        saved_bytes=_quantised_bytes(table, training, precision),
        context_bytes=context_bytes(compute_capability),
        workspace_bytes=sum(workspaces),
    )


def _setup(optimizer: OptimizerMemory, table: OpTable, training: Training, *, looped: bool = False) -> StepSetup:
    """Where the optimizer steps in backward, its temporaries are those of one parameter at a time."""
    if not training.optimizer_in_backward:
        return StepSetup(states=optimizer.states, temporaries=optimizer.temporaries)
    sizes = table.trainable_tensor_bytes
    whole = max(sizes, default=0.0) if looped else sum(sizes)
    share = sum(optimizer.temporaries) / whole if whole else 0.0
    return StepSetup(states=optimizer.states, gradients_freed=True, update_share=share)


def _library_workspaces(table: OpTable, compute_capability: str | None) -> tuple[float, ...]:
    if not any(op.kind == "matmul" for op in table.ops) and table.ops:
        return ()
    version = tuple(int(part) for part in compute_capability.split(".")) if compute_capability else (8, 0)
    size = float(_CUBLAS_WORKSPACE_HOPPER_BYTES if version >= _HOPPER else _CUBLAS_WORKSPACE_BYTES)
    return (size, size)


def _quantised_bytes(table: OpTable, training: Training, precision: Precision) -> float:
    """Bytes that frozen weights in 4 or 8 bits save against the traced precision, less one layer dequantised.

    4-bit weights carry an 8-bit scale for each 64 and an FP32 one for each 256 scales (double quantisation,
    Dettmers et al. 2023); 8-bit weights one FP16 scale a row, which is left out.
    """
    bits = training.weights_bits
    if bits not in {4, 8}:
        return 0.0
    # Under autocast frozen weights of few bits are traced in half, as in pure half precision.
    width = PRECISION_FACTS[precision].compute_bytes
    stored = bits / 8 + (1 / 64 + 4 / (64 * 256) if bits == 4 else 0.0)  # noqa: PLR2004 - bits
    return table.frozen_linear_count * (width - stored) - table.largest_frozen_linear_count * 2.0


def answered(question: MemoryQuestion, batch_size: int, *, replayed: bool = True) -> MemoryNeed:
    """The need at a batch size; `replayed=False` leaves fragmentation out: a lower bound that costs no replay."""
    peak = live_peak(question.stream, question.setup, batch_size)
    needed = needed_bytes(question.stream, question.setup, batch_size) if replayed else peak.total
    both = moments(question.stream, question.setup, batch_size)
    # Sharding shrinks the optimizer's moment more than the passes', so either may be the worse one on a device.
    sizes = max((_tensor_sizes(question, moment, batch_size) for moment in both), key=lambda found: sum(found.values()))
    allocated = sum(sizes.values())
    shares = question.shares
    headroom = CONVOLUTION_HEADROOM * question.stream.largest_convolution(batch_size)
    sizes["workspace"] += headroom
    sizes["communication"] += shares.library_bytes
    sizes["context"] = question.context_bytes
    sizes["fragmentation"] = allocated * max(0.0, needed / peak.total - 1)
    parts = tuple(msgspec.convert({"kind": kind, "size_bytes": size}, MemoryPart) for kind, size in sizes.items())
    value = sum(sizes.values())
    workspace = question.stream.workspace_above_peak(
        batch_size, gradients_kept=question.setup.gradients_kept, share=_WORKSPACE_HIGH_SHARE
    )
    estimate = Estimate(
        value=value,
        low=(value - headroom) * _LOW_FRACTION,
        high=value * _HIGH_FRACTION + max(headroom, workspace),
        basis="specified",
    )
    return MemoryNeed(need=estimate, allocated_bytes=allocated, parts=parts, notes=shares.notes)


def _tensor_sizes(question: MemoryQuestion, moment: Peak, batch_size: int) -> dict[str, float]:
    """Bytes of tensors by use at one moment of a step, each with the share of it that stays on a device."""
    shares, table = question.shares, question.table
    buckets = sum(shares.bucket_bytes)
    states = sum(question.setup.states)
    rest = moment.total - table.parameter_bytes - table.buffer_bytes - moment.gradients - states
    rest = max(0.0, rest - question.workspace_bytes - buckets)
    # What the optimizer makes beside its states is as sharded as they are; activations are the batch's own.
    temporaries = rest * shares.states if moment.in_optimizer else 0.0
    return {
        "parameters": (table.parameter_bytes + table.buffer_bytes - question.saved_bytes) * shares.parameters,
        "gradients": moment.gradients * shares.gradients,
        "optimizer": states * shares.states + temporaries,
        "activations": 0.0 if moment.in_optimizer else rest * shares.activations,
        "workspace": question.workspace_bytes,
        "communication": buckets + max(shares.gathered_bytes, at(shares.gathered_outputs_bytes, batch_size)),
    }


def least_bytes(question: MemoryQuestion, batch_size: int) -> float:
    """What a step needs even if it kept no activations: the optimizer's own height and the CUDA context."""
    return update_bytes(question.stream, question.setup, batch_size) + question.context_bytes


def host_bytes(table: OpTable, training: Training, precision: Precision, batch_size: int) -> float | None:
    """Peak bytes of tensors where the step runs on the processor itself; None without a timeline.

    No allocator is replayed: glibc gives large blocks back. The table should be traced with the processor's rules.
    """
    return None if table.memory is None else tensor_bytes(table, training, precision, batch_size, looped=True)


def tensor_bytes(table: OpTable, training: Training, precision: Precision, batch_size: int, *, looped: bool) -> float:
    """Peak bytes of what tensors hold, no allocator and no workspace counted; without a timeline a lower bound.

    `looped`: the optimizer goes through the parameters one by one, as on a processor.
    """
    optimizer = optimizer_memory(table, training, precision, looped=looped)
    if table.memory is None:
        gradients = table.gradient_bytes if training.mode != "inference" else 0.0
        return table.parameter_bytes + table.buffer_bytes + gradients + sum(optimizer.states)
    setup = _setup(optimizer, table, training, looped=looped)._replace(
        gradients_kept=training.gradient_accumulation_steps > 1
    )
    return live_peak(stream_of(table.memory), setup, batch_size, rounding=False).total
