"""What a model has to send: gradient buckets in the order backward fills them, parameters, buffers, activations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from advisor.catalogue.precisions import PRECISION_FACTS, ComputedPrecision
from advisor.optable.accumulation import Accumulation, accumulation_of
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import Affine, Op, OpTable, at

FIRST_BUCKET_BYTES = 1024.0 * 1024.0
BUCKET_BYTES = 25.0 * 1024.0 * 1024.0
"""torch.nn.parallel.DistributedDataParallel: `dist._DEFAULT_FIRST_BUCKET_BYTES`, `bucket_cap_mb=25`."""

_MOST_BUCKETS = 48
_ROW_PARALLEL_SHARE = 2 / 9
"""Of a transformer block's linear outputs (q k v o: 4 h, feed-forward: 4 h and h), what tensor parallelism reduces."""


@dataclass(frozen=True, kw_only=True)
class Buckets:
    """Messages in the order in which backward completes them; arrays of shape (buckets,)."""

    size_bytes: Floats
    ready_fraction: Floats
    """Share of backward's work done when the bucket is full."""
    weight: Floats
    """Equal messages that one entry stands for (large models have hundreds of alike buckets)."""

    @property
    def total_bytes(self) -> float:
        """Bytes of all messages."""
        return float(np.sum(self.size_bytes * self.weight))


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Everything about one model, precision and length that crosses links."""

    buckets: Buckets
    gradient_bytes: float
    parameter_bytes: float
    """As gathered by sharded strategies: in the type that computes, packed weights as they are stored."""
    gradient_tensor_count: int
    buffer_bytes: float
    input_bytes: Affine
    output_bytes: Affine
    layer_count: int
    """Layers that hold parameters, blocks where they are not told apart: the most pipeline stages."""
    linear_output_bytes: Affine
    boundary_bytes: Affine
    """Activations that cross from one pipeline stage to the next."""
    block_count: int = 0
    """Repeated blocks; 0: none found."""
    accumulation: Accumulation = field(default_factory=Accumulation)
    updated_bytes: float | None = None
    """Of `parameter_bytes` those that a step changes: frozen weights stand still. None: all."""
    backward: bool = True
    """Whether a step has a way back, for which weights are gathered and activations are sent once more."""
    forward_again: bool = False
    """Whether backward runs every block forward again, and so sends what that sends."""

    @property
    def unit_count(self) -> int:
        """Units that full sharding gathers one after the other: the repeated blocks and the rest, else the layers."""
        return self.block_count + 1 if self.block_count else self.layer_count


def part_of(traffic: Traffic, count: int) -> Traffic:
    """What one of `count` devices that hold a replica between them exchanges with its like in other replicas."""
    if count == 1:
        return traffic
    buckets = replace(traffic.buckets, size_bytes=traffic.buckets.size_bytes / count)
    return replace(
        traffic,
        buckets=buckets,
        gradient_bytes=traffic.gradient_bytes / count,
        parameter_bytes=traffic.parameter_bytes / count,
        updated_bytes=None if traffic.updated_bytes is None else traffic.updated_bytes / count,
        buffer_bytes=traffic.buffer_bytes / count,
    )


def fill_buckets(tensor_bytes: Sequence[float], ready_fraction: Sequence[float]) -> Buckets:
    """Assign gradients to buckets as DDP does: in order of readiness, closed once the cap is reached.

    A bucket is ready with its last gradient; the first cap is small so that communication starts early.
    """
    sizes: list[float] = []
    ready: list[float] = []
    size, latest, limit = 0.0, 0.0, FIRST_BUCKET_BYTES
    for tensor, fraction in zip(tensor_bytes, ready_fraction, strict=True):
        size, latest = size + tensor, max(latest, fraction)
        if size >= limit:
            sizes.append(size)
            ready.append(latest)
            size, limit = 0.0, BUCKET_BYTES
    if size > 0:
        sizes.append(size)
        ready.append(latest)
    return _thinned(np.array(sizes), np.maximum.accumulate(np.array(ready)) if ready else np.array(ready))


def _thinned(sizes: Floats, ready: Floats) -> Buckets:
    """At most 48 entries: neighbours in the middle of a long timeline are merged, their mean size kept."""
    if len(sizes) <= _MOST_BUCKETS:
        return Buckets(size_bytes=sizes, ready_fraction=ready, weight=np.ones_like(sizes))
    groups = [sizes[:1], *np.array_split(sizes[1:-1], _MOST_BUCKETS - 2), sizes[-1:]]
    ends = np.cumsum([len(group) for group in groups]) - 1
    return Buckets(
        size_bytes=np.array([group.mean() for group in groups]),
        ready_fraction=ready[ends],
        weight=np.array([float(len(group)) for group in groups]),
    )


def traffic_of(
    table: OpTable,
    precision: ComputedPrecision,
    *,
    backward: bool = True,
    forward_again: bool = False,
    whole_layers: bool = True,
) -> Traffic:
    """What a traced model sends; gradients are half wide only where the weights are, and none without `backward`.

    `forward_again`: full activation checkpointing. `whole_layers` is that of a `TracedStep`: linear layers alone do not
    know which micro-batch is the first. A table without a gradient timeline counts as filling its buckets
    evenly through backward.
    """
    element_bytes = PRECISION_FACTS[precision].weight_bytes
    counts = [float(gradient.element_count) for gradient in table.gradients_ready]
    fractions = [gradient.backward_fraction for gradient in table.gradients_ready]
    if not backward:
        counts, fractions = [], []
    elif not counts:
        counts, fractions = _even_gradients(table)
    gathered = PRECISION_FACTS[precision].compute_bytes
    products = [op for op in table.ops if op.phase == "forward" and op.kind in {"matmul", "convolution"}]
    return Traffic(
        buckets=fill_buckets([count * element_bytes for count in counts], fractions),
        gradient_bytes=sum(counts) * element_bytes,
        parameter_bytes=min(float(table.parameter_count) * gathered, table.parameter_bytes),
        gradient_tensor_count=len(counts),
        buffer_bytes=table.buffer_bytes,
        input_bytes=table.input_bytes,
        output_bytes=products[-1].written_bytes if products else table.input_bytes,
        layer_count=sum(layer.parameter_count > 0 for layer in table.layers) or len(table.block_parameter_bytes) or 1,
        linear_output_bytes=_total([op for op in products if op.matmul is not None and op.matmul.batch == (1.0, 0.0)]),
        boundary_bytes=_median([op.written_bytes for op in products]) or table.input_bytes,
        block_count=len(table.block_parameter_bytes),
        accumulation=accumulation_of(table) if whole_layers else Accumulation(),
        updated_bytes=sum(counts) * gathered,
        backward=backward,
        forward_again=backward and forward_again,
    )


def _even_gradients(table: OpTable) -> tuple[list[float], list[float]]:
    tensors = max(1, table.parameter_tensor_count)
    share = table.trainable_parameter_count / tensors
    return [share] * tensors, [(index + 1) / tensors for index in range(tensors)]


def _total(ops: list[Op]) -> Affine:
    """Bytes that all calls of `ops` write."""
    return (sum(op.count * op.written_bytes[0] for op in ops), sum(op.count * op.written_bytes[1] for op in ops))


def _median(figures: list[Affine]) -> Affine | None:
    if not figures:
        return None
    return sorted(figures, key=lambda figure: at(figure, 1.0))[len(figures) // 2]


def row_parallel_bytes(traffic: Traffic, batch_sizes: Floats) -> Floats:
    """Bytes that tensor parallelism reduces in one forward pass, for batches of shape (batches,).

    Megatron-LM reduces the outputs of the attention and feed-forward projections: 2 of the 9 h that a block's
    linear layers put out (Shoeybi et al. 2019); a model without linear layers sends its layers' typical output.
    """
    fixed, each = traffic.linear_output_bytes
    if fixed + each <= 0:
        fixed, each = (figure * traffic.layer_count for figure in traffic.boundary_bytes)
    return _ROW_PARALLEL_SHARE * (fixed + each * batch_sizes)
