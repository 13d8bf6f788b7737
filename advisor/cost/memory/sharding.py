"""What several devices change: which shares of a step's memory stay on one of them, and what communication holds."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from advisor.catalogue.precisions import FP32_BYTES, PRECISION_FACTS, ComputedPrecision
from advisor.catalogue.strategies import Strategy, tensor_cards
from advisor.core.sentences import Reason
from advisor.cost.layout import Layout
from advisor.cost.scaling.traffic import FIRST_BUCKET_BYTES
from advisor.optable.op_table import ALLOCATE, Affine, OpTable

_OPTIMIZER_BUCKET_ELEMENTS = 5e8
"""DeepSpeed's `reduce_bucket_size` and `allgather_bucket_size`, one buffer each, where only states are sharded."""
_NCCL_BYTES = 0.35 * 2**30
"""NCCL's buffers outside the allocator, a communicator over a few ranks on one host."""
_GATHERED_UNITS = 2
"""Full sharding holds the unit that runs and the one that is prefetched; a model without blocks is one unit. Of
adapters that are units by themselves the first that backward comes to is prefetched with a block: the next block
follows when most of this one's activations are gone."""
_FULLY_SHARDED = frozenset({"fsdp", "hsdp"})


class Shares(NamedTuple):
    """Factors on what a single device would hold, and bytes that come on top."""

    parameters: float = 1.0
    gradients: float = 1.0
    states: float = 1.0
    activations: float = 1.0
    kept: float = 1.0
    """Of what forward keeps for backward, on top of `activations`: a pipeline's stage has some of the layers, and as
    many micro-batches in flight as come before the first goes back."""
    without_outputs: bool = False
    """No layer of this device makes the model's last product: a pipeline's first stage has no logits."""
    copies: float = 1.0
    """Of what forward and backward make of whole weights: autocast's copies, gradients before they are reduced."""
    bucket_bytes: tuple[float, ...] = ()
    gathered_bytes: tuple[float, ...] = ()
    """Whole units and their gradients that are there while a layer runs."""
    block_bytes: tuple[float, ...] = ()
    """Of these the units of repeated blocks."""
    unit_gradient_bytes: tuple[float, ...] = ()
    """Of these a unit's gradient, as backward makes it and as it is reduced."""
    loss_in_chunks: bool = False
    first_device_bytes: float = 0.0
    """Gradients of the others that DataParallel's first device holds before it adds them."""
    gathered_outputs_bytes: Affine = (0.0, 0.0)
    """What the forward passes of all devices leave on the first, before any gradient is there."""
    library_bytes: float = 0.0
    masters_only: bool = False
    """Half weights exist only while they are gathered: the shards are the optimizer's FP32 copies."""
    notes: tuple[Reason, ...] = ()

    @property
    def rescales(self) -> bool:
        """Whether anything of the single device's step has another size."""
        factors = (self.parameters, self.gradients, self.activations, self.kept, self.copies)
        return self.without_outputs or any(factor != 1.0 for factor in factors)


def layout_of(strategy: Strategy, count: int) -> Layout:
    """The layout that a strategy of the advice stands for, on `count` devices."""
    if strategy == "single":
        return Layout(data_parallel="single")
    if strategy == "tp":
        cards = tensor_cards(count)
        return Layout(data_parallel="fsdp" if cards < count else "ddp", count=count, tensor=cards)
    if strategy == "pp":
        return Layout(count=count, pipeline=count)
    return Layout(data_parallel="fsdp" if strategy == "fsdp_offload" else strategy, count=count)


def shares_of(  # noqa: PLR0913 - one question
    layout: Layout,
    table: OpTable,
    precision: ComputedPrecision,
    *,
    micro_batch_count: int = 1,
    offloaded: bool = False,
    last_stage: bool = False,
    chunked_loss: bool = False,
    adapters_apart: bool = False,
    backward: bool = True,
    updated: bool = True,
) -> Shares:
    """What one of the layout's devices holds; everything on a single device.

    `micro_batch_count` fills a pipeline, of which the first stage is asked for, or the `last_stage`; `offloaded`:
    shards rest in the host's memory; `adapters_apart`: adapters are units by themselves; `backward`: there are
    gradients; `updated`: an optimizer has copies of weights.
    """
    if layout.count == 1 and not offloaded:
        return Shares()
    if layout.data_parallel == "dp":
        return _data_parallel(table, layout.count)
    held = _held(layout, table)
    shares = Shares(
        parameters=held,
        gradients=held,
        states=held,
        # Tensor parallelism comes with sequence parallelism, which splits norms, dropouts and the inputs of blocks too
        # (Korthikanti et al. 2022), as torch's and Megatron's trainers run it.
        activations=1.0 / (layout.tensor * layout.context),
        kept=(1 if last_stage else min(layout.pipeline, micro_batch_count)) / layout.pipeline,
        without_outputs=layout.pipeline > 1 and not last_stage,
        loss_in_chunks=chunked_loss,
        copies=held,
        library_bytes=_NCCL_BYTES * _communicator_count(layout),
    )
    unit = _largest_unit_bytes(table, chunked_loss=chunked_loss) * held
    gradients = _unit_gradients(unit, table, precision) if backward else (0.0, 0.0)
    if layout.data_parallel in _FULLY_SHARDED or offloaded:
        return _fully_sharded(
            shares,
            table,
            precision,
            layout.shard_count,
            gradients,
            block_count=1 if adapters_apart or not table.block_parameter_bytes else _GATHERED_UNITS,
            offloaded=offloaded,
            updated=updated,
        )
    return _with_replicas(
        shares, layout, table.gradient_bytes * held, PRECISION_FACTS[precision].weight_bytes, gradients
    )


def _communicator_count(layout: Layout) -> int:
    """Each kind of group has a communicator of its own: replicas, tensors, stages, contexts."""
    degrees = (layout.replica_count, layout.tensor, layout.pipeline, layout.context)
    return sum(degree > 1 for degree in degrees)


def _largest_unit_bytes(table: OpTable, *, chunked_loss: bool) -> float:
    """Weights of the unit whose gradient is whole at the peak, where the activations are all still there.

    Backward begins with the head, which may be larger than a block; a loss in chunks is past its head by then.
    """
    block = max(table.block_parameter_bytes, default=table.parameter_bytes)
    return block if chunked_loss else max(block, max(table.trainable_tensor_bytes, default=0.0))


def _unit_gradients(unit_bytes: float, table: OpTable, precision: ComputedPrecision) -> tuple[float, float]:
    """A unit's gradient as backward makes it, and as the reduction takes it: FP32 where there are FP32 masters."""
    facts = PRECISION_FACTS[precision]
    trained = table.trainable_parameter_count / max(table.parameter_count, 1)
    reduced = FP32_BYTES / facts.weight_bytes if facts.master_copies else 1.0
    return unit_bytes * trained * facts.compute_bytes / facts.weight_bytes, unit_bytes * trained * reduced


def _with_replicas(
    shares: Shares, layout: Layout, gradient_bytes: float, element_bytes: float, unit_gradients: tuple[float, float]
) -> Shares:
    """Buckets in which gradients travel, and the shards of ZeRO's first two stages.

    DeepSpeed makes its buffers whatever the size of the group, one device included.
    """
    group = layout.shard_count
    if layout.data_parallel == "zero2":
        return shares._replace(
            gradients=shares.gradients / group,
            states=shares.states / group,
            gathered_bytes=unit_gradients,
            unit_gradient_bytes=unit_gradients,
        )
    if layout.data_parallel == "zero1":
        bucket = min(gradient_bytes, _OPTIMIZER_BUCKET_ELEMENTS * element_bytes)
        return shares._replace(states=shares.states / group, bucket_bytes=(bucket, bucket))
    alone = layout.replica_count * layout.context == 1
    return shares if alone else shares._replace(bucket_bytes=_buckets(gradient_bytes))


def _data_parallel(table: OpTable, count: int) -> Shares:
    """The first device gathers every device's outputs, and later the others' gradients, before it adds them."""
    fixed, each = output_bytes(table)
    return Shares(first_device_bytes=table.gradient_bytes, gathered_outputs_bytes=(fixed * count, each * count))


def output_bytes(table: OpTable) -> Affine:
    """Bytes of what the model's last product gives: a language model's logits."""
    outputs = [op.written_bytes for op in table.ops if op.phase == "forward" and op.kind in {"matmul", "convolution"}]
    return outputs[-1] if outputs else (0.0, 0.0)


def _held(layout: Layout, table: OpTable) -> float:
    """Share of the weights on a device that holds a part of one replica.

    The embedding and the head stay whole on a pipeline's stages at its ends, which share the rest evenly. A model
    without repeated blocks is cut between its layers: one with a large table has nearly all of it on one stage.
    """
    weights = 1.0 / layout.tensor
    if layout.pipeline > 1 and table.parameter_bytes:
        outside = _outside_bytes(table) / table.parameter_bytes
        even = (1 - outside) / layout.pipeline + outside / 2
        alone = 0.0 if table.block_parameter_bytes else _largest_tensor_bytes(table) / table.parameter_bytes
        weights *= max(even, alone)
    return weights


def _largest_tensor_bytes(table: OpTable) -> float:
    """Of the weights, frozen ones too where the trace has a timeline."""
    if table.memory is None:
        return max(table.trainable_tensor_bytes, default=0.0)
    events = zip(table.memory.kind, table.memory.size0_bytes, table.memory.size1_bytes, strict=True)
    resident = itertools.islice(events, table.memory.resident_event_count)
    return max((size for kind, size, growth in resident if kind == ALLOCATE and not growth), default=0.0)


def _outside_bytes(table: OpTable) -> float:
    """Parameters outside the repeated blocks: embedding, last norm, head."""
    if not table.block_parameter_bytes:
        return 0.0
    return max(0.0, table.parameter_bytes - sum(table.block_parameter_bytes))


def _fully_sharded(  # noqa: PLR0913 - what a shard depends on
    shares: Shares,
    table: OpTable,
    precision: ComputedPrecision,
    group: int,
    gradients: tuple[float, float],
    *,
    block_count: int,
    offloaded: bool,
    updated: bool,
) -> Shares:
    """Shards of everything, whole units while they run, and gradients of the unit that backward is at.

    Weights are cast before they are gathered, so that autocast makes no copies. FP32 shards get FP32 gradients: the
    reduction's input is FP32 too, as in torch's mixed precision for sharded modules. Quantised units are gathered as
    they are stored. Shards of what is off-loaded rest in the host's memory. FP32 shards count with the states of the
    optimizer that steps them, where one does.
    """
    facts = PRECISION_FACTS[precision]
    part = shares.parameters / group
    block = max(table.block_parameter_bytes, default=table.parameter_bytes) * shares.parameters
    outside = _outside_bytes(table) * shares.parameters
    trained = table.trainable_parameter_count / max(table.parameter_count, 1)
    gathered = facts.compute_bytes / facts.weight_bytes
    masters = facts.master_copies and trained == 1.0
    held = 0.0 if offloaded else part
    blocks = (block * gathered,) * block_count
    units = (*blocks, outside * gathered)
    width = FP32_BYTES / facts.weight_bytes if masters else 1.0
    return shares._replace(
        parameters=0.0 if masters and updated else held * width,
        gradients=held * width,
        states=held,
        copies=0.0,
        gathered_bytes=tuple(size for size in (*units, *gradients) if size > 0),
        block_bytes=blocks if table.block_parameter_bytes else (),
        unit_gradient_bytes=gradients,
        masters_only=masters and updated,
    )


def _buckets(total_bytes: float) -> tuple[float, ...]:
    """DDP's gradient buckets: 1 MiB, then 25 MiB each, the latter as one piece: they are made and kept together."""
    first = min(FIRST_BUCKET_BYTES, total_bytes)
    return tuple(size for size in (first, total_bytes - first) if size > 0)
