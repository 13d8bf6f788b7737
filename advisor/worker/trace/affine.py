"""Two passes at different batch sizes become one table that is affine in the batch; a third checks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from advisor.core.sentences import Reason
from advisor.optable.op_table import (
    FREE,
    Affine,
    AttentionShape,
    ConvolutionShape,
    MatmulShape,
    MemoryTimeline,
    Op,
    Phase,
    RnnShape,
)
from advisor.worker.trace.ops.op_figures import RawOp
from advisor.worker.trace.storages import StorageTracker

TracedOp = tuple[Phase, str, RawOp]
TOLERATED_ERROR_FRACTION = 0.01


class StreamsDiffer(Exception):  # noqa: N818 - a name that says what happened
    """The model runs other operators at another batch size, so no affine table exists."""


def key_of(op: TracedOp) -> tuple[Any, ...]:
    """What stays of an operator at any batch size."""
    phase, _, raw = op
    return (phase, raw.kind, raw.name, raw.element_bytes, raw.kernel_count, raw.shape, raw.fixed)


def check_same_stream(first: Sequence[TracedOp], second: Sequence[TracedOp]) -> None:
    """Raises StreamsDiffer, naming the first operator that differs."""
    for one, two in zip(first, second, strict=False):
        if key_of(one) != key_of(two):
            raise StreamsDiffer(f"{_told(one[2])} at one batch size is {_told(two[2])} at another")
    if len(first) != len(second):
        message = f"{len(first)} operators at one batch size are {len(second)} at another"
        raise StreamsDiffer(message)


def _told(op: RawOp) -> str:
    """An operator with what is fixed about it."""
    return f"{op.name} ({', '.join(str(part) for part in op.fixed)})" if op.fixed else op.name


def affine_figures(
    first: Sequence[TracedOp], second: Sequence[TracedOp], batches: tuple[int, int]
) -> list[tuple[Affine, ...]]:
    """Each operator's figures as (c0, c1)."""
    low, high = batches
    result = []
    for one, two in zip(first, second, strict=True):
        slopes = [(b - a) / (high - low) for a, b in zip(one[2].figures, two[2].figures, strict=True)]
        result.append(tuple((a - s * low, s) for a, s in zip(one[2].figures, slopes, strict=True)))
    return result


def merged_ops(stream: Sequence[TracedOp], figures: Sequence[tuple[Affine, ...]]) -> tuple[Op, ...]:
    """Equal calls become one `Op` with a count; order of first appearance is kept."""
    counted = Counter((key_of(op), affine) for op, affine in zip(stream, figures, strict=True))
    return tuple(_op(key, affine, count) for (key, affine), count in counted.items())


def _op(key: tuple[Any, ...], affine: tuple[Affine, ...], count: int) -> Op:
    phase, kind, name, element_bytes, kernel_count, shape, fixed = key
    return Op(
        kind=kind,
        name=name,
        phase=phase,
        element_bytes=element_bytes,
        kernel_count=kernel_count,
        count=count,
        flop=affine[0],
        read_bytes=affine[1],
        written_bytes=affine[2],
        matmul=MatmulShape(batch=affine[3], m=affine[4], n=affine[5], k=affine[6]) if shape == "matmul" else None,
        convolution=_convolution(fixed, affine) if shape == "convolution" else None,
        attention=_attention(fixed, affine) if shape == "attention" else None,
        rnn=_rnn(fixed, affine) if shape == "rnn" else None,
        batch_norm=fixed == ("batch_norm",),
    )


def _convolution(fixed: tuple[Any, ...], affine: tuple[Affine, ...]) -> ConvolutionShape:
    direction, groups, out_channels, in_channels, kernel, unit_stride, transposed, weight_bytes = fixed
    return ConvolutionShape(
        direction=direction,
        groups=groups,
        output_positions=affine[3],
        output_channels_per_group=out_channels,
        input_channels_per_group=in_channels,
        kernel_elements=kernel,
        unit_stride=unit_stride,
        transposed=transposed,
        data_bytes=affine[4],
        weight_bytes=weight_bytes,
    )


def _attention(fixed: tuple[Any, ...], affine: tuple[Affine, ...]) -> AttentionShape:
    implementation, query_length, key_length, head_size, causal = fixed
    return AttentionShape(
        implementation=implementation,
        batch_heads=affine[3],
        query_length=query_length,
        key_length=key_length,
        head_size=head_size,
        causal=causal,
    )


def _rnn(fixed: tuple[Any, ...], affine: tuple[Affine, ...]) -> RnnShape:
    cell, steps, input_size, hidden_size, layers, directions = fixed
    return RnnShape(
        cell=cell,
        steps=steps,
        batch=affine[3],
        input_size=input_size,
        hidden_size=hidden_size,
        layers=layers,
        directions=directions,
    )


def deviation(figures: Sequence[tuple[Affine, ...]], third: Sequence[TracedOp], batch_size: int) -> float:
    """Largest relative error of the totals (flop, bytes) that the affine table gives for a third batch."""
    worst = 0.0
    for place in range(3):
        said = sum(a[place][0] + a[place][1] * batch_size for a in figures)
        true = sum(op[2].figures[place] for op in third)
        if true > 0:
            worst = max(worst, abs(said - true) / true)
    return worst


def memory_timeline(
    first: StorageTracker, second: StorageTracker, batches: tuple[int, int], marks: tuple[int, int]
) -> MemoryTimeline | Reason:
    """Sizes as c0 + c1 * batch; the order is the second pass's (frees may move by a hair between passes).

    `marks`: the second pass's number of resident events and its index of backward's first event. Gives a caveat
    when the two passes allocate differently.
    """
    one, two = _allocations(first), _allocations(second)
    if one.shape != two.shape or not np.array_equal(one[:, :2], two[:, :2]):
        return Reason.of("trace-memory-streams-differ", first=len(one), second=len(two))
    slope = (two[:, 2] - one[:, 2]) / (batches[1] - batches[0])
    start = one[:, 2] - slope * batches[0]
    of_storage = {int(row[1]): place for place, row in enumerate(two) if row[0] == 0}
    size0, size1 = [], []
    place = 0
    for kind, storage in zip(second.kinds, second.storages, strict=True):
        if kind == FREE:
            where = of_storage[storage]
        else:
            where = place
            place += 1
        size0.append(float(start[where]))
        size1.append(float(slope[where]))
    return MemoryTimeline(
        kind=tuple(second.kinds),
        storage=tuple(second.storages),
        size0_bytes=tuple(size0),
        size1_bytes=tuple(size1),
        resident_event_count=marks[0],
        backward_start=marks[1],
    )


def _allocations(tracker: StorageTracker) -> NDArray[np.float64]:
    rows = [
        (kind, storage, size)
        for kind, storage, size in zip(tracker.kinds, tracker.storages, tracker.sizes, strict=True)
        if kind != FREE
    ]
    return cast("NDArray[np.float64]", np.array(rows, dtype=float).reshape(-1, 3))
