"""How much memory a training step needs on one device: parts and the allocator's fragmentation."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import msgspec

from advisor.catalogue.precisions import ComputedPrecision
from advisor.catalogue.strategies import Strategy
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.cost.layout import Layout
from advisor.cost.memory.capacity import WHOLE_CONTEXT_BYTES, context_bytes
from advisor.cost.memory.copied_logits import copies_logits, with_logits_copied
from advisor.cost.memory.fragmentation import needed_bytes, reserved_bytes, survives
from advisor.cost.memory.kept_inputs import keeps_inputs, with_inputs_kept
from advisor.cost.memory.mixed_units import mixes_units, with_units_mixed
from advisor.cost.memory.offloaded import on_device_fraction
from advisor.cost.memory.replay import (
    Peak,
    StepSetup,
    Stream,
    compiled_timeline,
    live_peak,
    moments,
    stream_of,
    update_bytes,
)
from advisor.cost.memory.run_software import TODAY, RunSoftware
from advisor.cost.memory.sharding import Shares, layout_of, output_bytes, shares_of
from advisor.cost.memory.states import OptimizerMemory, optimizer_memory
from advisor.cost.memory.whole_units import absent_bytes
from advisor.cost.parts import MemoryPart
from advisor.cost.scaling.adapter_units import gathers_adapters_apart
from advisor.optable.op_table import OpTable, at
from advisor.workload.workload import Training

MemoryKind = Literal["allocated", "reserved", "device"]
"""What a published peak counts: tensors, the allocator's segments, or all that the driver shows."""
_CUBLAS_WORKSPACE_BYTES = 4096 * 1024 * 2 + 16 * 1024 * 8
"""torch's default `CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8`, once for the forward thread and once for backward's."""
_CUBLAS_WORKSPACE_HOPPER_BYTES = 32 * 1024 * 1024
_HOPPER = (9, 0)
CONVOLUTION_HEADROOM = 0.5
"""Kept free for cuDNN, as a share of the largest convolution's input and output: its workspaces pass through the
allocator's cache, and its kernels are loaded beside it. Chosen by a rule, docs/decisions/0005."""
_WORKSPACE_HIGH_SHARE = 1.0
"""cuDNN's algorithms take up to their input and output once more while they run."""


class MemoryNeed(Record, frozen=True, kw_only=True):
    """What one device must have: compare `need_bytes` with `usable_bytes(capacity)`."""

    need_bytes: float
    """The CUDA context and the allocator's fragmentation are in it."""
    allocated_bytes: float
    """Peak of what tensors hold, as `torch.cuda.max_memory_allocated` reports it."""
    parts: tuple[MemoryPart, ...]
    """Add up to `need_bytes`."""
    headroom_bytes: float
    """What of it is kept free for convolutions."""
    workspace_rise_bytes: float
    """By how much the peak would rise if cuDNN's algorithms took their input and output once more."""
    shared: bool = False
    """Whether the device holds a share of what others hold too: sharding, pipelines, tensors over several devices."""
    compiled: bool = False
    """Whether torch.compile decides what forward keeps."""
    notes: tuple[Reason, ...] = ()

    @property
    def wasted_fraction(self) -> float:
        """The allocator's waste over what tensors hold; 0 where it was not replayed."""
        return sum(part.size_bytes for part in self.parts if part.kind == "fragmentation") / self.allocated_bytes


class MemoryQuestion(NamedTuple):
    """One question about one table: everything but the batch size."""

    table: OpTable
    stream: Stream
    setup: StepSetup
    shares: Shares
    compiled: bool
    weight_bytes: float
    """Weights as they are stored on this device, and buffers."""
    context_bytes: float
    workspace_bytes: float
    kernels_whole: bool = False
    """Of a published run, whose context had every kernel of its libraries."""


def memory_question(  # noqa: PLR0913 - one question
    table: OpTable,
    training: Training,
    precision: ComputedPrecision,
    *,
    compute_capability: str | None,
    strategy: Strategy = "single",
    count: int = 1,
    layout: Layout | None = None,
    software: RunSoftware = TODAY,
    first_stage: bool = False,
) -> MemoryQuestion | None:
    """What one of `count` devices needs, for any batch a device; None where the table has no memory timeline.

    `layout` says how several devices split the work in more detail than strategy and count; the batch is then that of
    a replica. `software` is what a published run trained with. The answer is for the device that holds most: of `dp`
    the first, of a pipeline one of its ends; `first_stage`: for a pipeline's first, whatever the last one holds.
    """
    if table.memory is None:
        return None
    split = layout or layout_of(strategy, count)
    if layout is None and split.tensor > 1:  # a group takes its cards' batches one after the other
        rounds = training.gradient_accumulation_steps * split.tensor
        training = msgspec.structs.replace(training, gradient_accumulation_steps=rounds)
    asked = _Asked(
        table=table,
        training=training,
        precision=precision,
        compute_capability=compute_capability,
        layout=split,
        strategy=strategy,
        software=software,
    )
    ends = (False,) if split.pipeline == 1 or first_stage else (False, True)
    stages = [_stage_question(asked, last_stage=last) for last in ends]
    if len(stages) == 1:
        return stages[0]
    return max(stages, key=lambda stage: live_peak(stage.stream, stage.setup, training.batch_size).total)


class _Asked(NamedTuple):
    """What `memory_question` was asked."""

    table: OpTable
    training: Training
    precision: ComputedPrecision
    compute_capability: str | None
    layout: Layout
    strategy: Strategy
    software: RunSoftware


def _stage_question(asked: _Asked, *, last_stage: bool) -> MemoryQuestion:
    """Of a pipeline's first or last stage; without a pipeline both are the same."""
    table, training, precision, software = asked.table, asked.training, asked.precision, asked.software
    assert table.memory is not None
    timeline = table.memory
    if training.compile:  # sharded models are compiled block by block
        blockwise = asked.layout.shard_count > 1 or not asked.layout.plain
        timeline = compiled_timeline(timeline, output_bytes(table), blockwise=blockwise)
    if software.inputs_kept and keeps_inputs(table, training, asked.layout):
        timeline = with_inputs_kept(timeline, len(table.block_parameter_bytes))
    if software.logits_copied and copies_logits(training):
        timeline = with_logits_copied(timeline, output_bytes(table))
    rounds = training.gradient_accumulation_steps
    shares = shares_of(
        asked.layout,
        table,
        precision,
        micro_batch_count=rounds * (asked.layout.count if asked.strategy == "pp" else 1),
        offloaded=asked.strategy == "fsdp_offload" or training.offload == "parameters",
        last_stage=last_stage,
        chunked_loss=training.chunked_loss,
        adapters_apart=software.adapters_apart and gathers_adapters_apart(training, asked.layout),
        backward=training.mode != "inference",
        updated=training.updates_weights,
    )
    if software.units_mixed and mixes_units(training, precision, asked.layout):
        shares = with_units_mixed(shares, table, accumulated=rounds > 1)
    setup = _setup(optimizer_memory(table, training, precision, masters_only=shares.masters_only), table, training)
    if training.offload == "activations":
        shares = shares._replace(kept=shares.kept * on_device_fraction(table))
    on_device = 0.0 if training.offload == "optimizer" else shares.states
    workspaces = _library_workspaces(table, asked.compute_capability)
    sharded = shares.rescales
    return MemoryQuestion(
        table=table,
        stream=Stream.sharded(timeline, shares, output_bytes(table)) if sharded else stream_of(timeline),
        setup=setup._replace(
            states=_scaled(setup.states, on_device),
            temporaries=_scaled(setup.temporaries, on_device),
            persistent=(*workspaces, *shares.bucket_bytes),
            gathered=shares.gathered_bytes,
            gradients_kept=software.gradients_kept or rounds > 1,
        ),
        shares=shares,
        compiled=training.compile and training.mode != "inference",
        weight_bytes=table.parameter_bytes * shares.parameters + table.buffer_bytes,
        context_bytes=context_bytes(asked.compute_capability),
        kernels_whole=software.kernels_whole,
        workspace_bytes=sum(workspaces),
    )


def _scaled(sizes: tuple[float, ...], factor: float) -> tuple[float, ...]:
    return sizes if factor == 1.0 else tuple(size * factor for size in sizes)


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


def answered(
    question: MemoryQuestion, batch_size: int, *, replayed: bool = True, wasted_fraction: float = 0.0
) -> MemoryNeed:
    """The need at a batch size; `replayed=False` costs no replay: a lower bound, unless the waste is known.

    `wasted_fraction`: the allocator's waste as a share of what is allocated, where it is not replayed.
    """
    passes, update = moments(question.stream, question.setup, batch_size)
    peak = update if update.total > passes.total else passes
    plain = peak.total * (1 + wasted_fraction)
    needed = needed_bytes(question.stream, question.setup, batch_size) if replayed else plain
    sizes = _tensor_sizes(question, peak, batch_size)
    allocated = sum(sizes.values())
    headroom = CONVOLUTION_HEADROOM * question.stream.largest_convolution(batch_size)
    sizes["workspace"] += headroom
    sizes["communication"] += question.shares.library_bytes
    sizes["context"] = question.context_bytes
    sizes["fragmentation"] = allocated * max(0.0, needed / peak.total - 1)
    parts = tuple(msgspec.convert({"kind": kind, "size_bytes": size}, MemoryPart) for kind, size in sizes.items())
    workspace = question.stream.workspace_above_peak(
        batch_size, gradients_kept=question.setup.gradients_kept, share=_WORKSPACE_HIGH_SHARE
    )
    return MemoryNeed(
        need_bytes=sum(sizes.values()),
        allocated_bytes=allocated,
        parts=parts,
        headroom_bytes=headroom,
        workspace_rise_bytes=workspace,
        shared=question.shares.rescales or question.shares.states != 1.0,
        compiled=question.compiled,
        notes=question.shares.notes,
    )


def fits_within(question: MemoryQuestion, batch_size: int, usable_bytes: float) -> bool:
    """Whether the need at a batch size is at most `usable_bytes`, by one replay instead of those that tell the need."""
    plain = answered(question, batch_size, replayed=False)
    passes, update = moments(question.stream, question.setup, batch_size)
    wasted_fraction = (usable_bytes - plain.need_bytes) / plain.allocated_bytes
    room = max(passes.total, update.total) * (1 + wasted_fraction)
    return survives(question.stream, question.setup, batch_size, room)


def _tensor_sizes(question: MemoryQuestion, moment: Peak, batch_size: int) -> dict[str, float]:
    """Bytes of tensors by use on a device at one moment of a step."""
    shares = question.shares
    states = sum(question.setup.states)
    shared = sum(shares.bucket_bytes) + (0.0 if moment.in_optimizer else sum(shares.gathered_bytes))
    rest = moment.total - question.weight_bytes - moment.gradients - states - question.workspace_bytes - shared
    rest = max(0.0, rest)
    return {
        "parameters": question.weight_bytes,
        "gradients": moment.gradients,
        "optimizer": states + (rest if moment.in_optimizer else 0.0),
        "activations": 0.0 if moment.in_optimizer else rest,
        "workspace": question.workspace_bytes,
        "communication": shared + max(shares.first_device_bytes, at(shares.gathered_outputs_bytes, batch_size)),
    }


def room_of(question: MemoryQuestion, capacity_bytes: float | None) -> float:
    """What is left to the allocator's segments of what the card gives a process; None: endless."""
    given = math.inf if capacity_bytes is None else capacity_bytes
    return given - question.context_bytes - question.shares.library_bytes


def published_bytes(question: MemoryQuestion, batch_size: int, kind: MemoryKind, capacity_bytes: float | None) -> float:
    """The peak as a source counts it: tensors, the allocator's segments, or all that the driver shows for the process.

    `capacity_bytes`: what the card gives a process, beyond which cached segments are given back; None: endless.
    """
    value = answered(question, batch_size, replayed=False).allocated_bytes
    if kind == "allocated":
        outputs = output_bytes(question.table)
        value -= absent_bytes(question.stream, question.setup, question.shares, outputs, batch_size)
    else:
        room = room_of(question, capacity_bytes)
        value += reserved_bytes(question.stream, question.setup, batch_size, room)
        value -= live_peak(question.stream, question.setup, batch_size).total
    if kind == "device":
        context = WHOLE_CONTEXT_BYTES if question.kernels_whole else question.context_bytes
        value += context + question.shares.library_bytes
    return value


def least_bytes(question: MemoryQuestion, batch_size: int) -> float:
    """What a step needs even if it kept no activations: the optimizer's own height and the CUDA context."""
    return update_bytes(question.stream, question.setup, batch_size) + question.context_bytes


def host_bytes(table: OpTable, training: Training, precision: ComputedPrecision, batch_size: int) -> float | None:
    """Peak bytes of tensors where the step runs on the processor itself; None without a timeline.

    No allocator is replayed: glibc gives large blocks back. The table should be traced with the processor's rules.
    """
    return None if table.memory is None else tensor_bytes(table, training, precision, batch_size, looped=True)


def tensor_bytes(
    table: OpTable, training: Training, precision: ComputedPrecision, batch_size: int, *, looped: bool
) -> float:
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
