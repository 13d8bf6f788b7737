"""Two passes at different batch sizes become one table that is affine in the batch; a third checks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from advisor.core.records import Record
from advisor.optable.op_table import (
    Affine,
    AttentionShape,
    ConvolutionShape,
    MatmulShape,
    Op,
    Phase,
    RnnShape,
    at,
    through,
)
from advisor.worker.trace.ops.raw_op import RawOp

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
    return [
        tuple(through(batches, low, high) for low, high in zip(one[2].figures, two[2].figures, strict=True))
        for one, two in zip(first, second, strict=True)
    ]


def merged_ops(stream: Sequence[TracedOp], figures: Sequence[tuple[Affine, ...]]) -> tuple[Op, ...]:
    """Equal calls become one `Op` with a count; order of first appearance is kept."""
    counted = Counter((key_of(op), affine) for op, affine in zip(stream, figures, strict=True))
    return tuple(_op(key, affine, count) for (key, affine), count in counted.items())


_SHAPES: dict[str, tuple[type[Record], tuple[str, ...], tuple[str, ...]]] = {
    "matmul": (MatmulShape, (), ("batch", "m", "n", "k")),
    "convolution": (
        ConvolutionShape,
        (
            "direction", "groups", "output_channels_per_group", "input_channels_per_group", "kernel_elements",
            "unit_stride", "transposed", "weight_bytes",
        ),
        ("output_positions", "data_bytes"),
    ),
    "attention": (
        AttentionShape, ("implementation", "query_length", "key_length", "head_size", "causal"), ("batch_heads",)
    ),
    "rnn": (RnnShape, ("cell", "steps", "input_size", "hidden_size", "layers", "directions"), ("batch",)),
}  # fmt: skip
"""Of each shape its record, and what stands in a call's `fixed` and in its figures after the first three."""


def _op(key: tuple[Any, ...], affine: tuple[Affine, ...], count: int) -> Op:
    phase, kind, name, element_bytes, kernel_count, shape, fixed = key
    shapes = {}
    if shape:
        record, settings, figures = _SHAPES[shape]
        named = dict(zip(settings, fixed, strict=True)) | dict(zip(figures, affine[3:], strict=True))
        shapes[shape] = record(**named)
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
        batch_norm=fixed == ("batch_norm",),
        **shapes,  # type: ignore[arg-type]  # each under its own name
    )


def deviation(figures: Sequence[tuple[Affine, ...]], third: Sequence[TracedOp], batch_size: int) -> float:
    """Largest relative error of the totals (flop, bytes) that the affine table gives for a third batch."""
    worst = 0.0
    for place in range(3):
        said = sum(at(affine[place], batch_size) for affine in figures)
        true = sum(op[2].figures[place] for op in third)
        if true > 0:
            worst = max(worst, abs(said - true) / true)
    return worst
