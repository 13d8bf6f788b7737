"""Two passes at different batch sizes become one table that is affine in the batch; a third checks it.

Streams of models that go through the samples of a batch one by one are folded into as many operators at any batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from advisor.core.by_key import grouped
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
    for low_op, high_op in zip(first, second, strict=False):
        if key_of(low_op) != key_of(high_op) or low_op[2].times != high_op[2].times:
            raise StreamsDiffer(f"{_told(low_op[2])} at one batch size is {_told(high_op[2])} at another")
    if len(first) != len(second):
        message = f"{len(first)} operators at one batch size are {len(second)} at another"
        raise StreamsDiffer(message)


def _told(op: RawOp) -> str:
    """An operator with what is fixed about it."""
    return f"{op.name} ({', '.join(str(part) for part in op.fixed)})" if op.fixed else op.name


def by_chance(batches: tuple[int, int], low: float, high: float) -> Affine:
    """The line through figures of samples that happened to differ: it shrinks with no batch and is never below 0."""
    if high < low:
        return ((low + high) / 2, 0.0)
    line = through(batches, low, high)
    return line if at(line, 1) >= 0.0 else (0.0, (low + high) / sum(batches))


def affine_figures(
    first: Sequence[TracedOp], second: Sequence[TracedOp], batches: tuple[int, int], *, by_values: bool = False
) -> list[tuple[Affine, ...]]:
    """Each operator's figures as (c0, c1); `by_values`: they are those that samples happened to have."""
    line = by_chance if by_values else through
    return [
        tuple(line(batches, low, high) for low, high in zip(low_op[2].figures, high_op[2].figures, strict=True))
        for low_op, high_op in zip(first, second, strict=True)
    ]


def merged_ops(stream: Sequence[TracedOp], figures: Sequence[tuple[Affine, ...]]) -> tuple[Op, ...]:
    """Equal calls become one `Op` with a count; order of first appearance is kept."""
    counted: Counter[tuple[Any, ...]] = Counter()
    for op, affine in zip(stream, figures, strict=True):
        counted[key_of(op), affine] += op[2].times
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


def deviation(
    figures: Sequence[tuple[Affine, ...]], second: Sequence[TracedOp], third: Sequence[TracedOp], batch_size: int
) -> float:
    """Largest relative error of the totals (flop, bytes) that the affine table gives for a third batch.

    `second`: the operators whose figures they are.
    """
    worst = 0.0
    for place in range(3):
        said = sum(op[2].times * at(affine[place], batch_size) for op, affine in zip(second, figures, strict=True))
        true = sum(op[2].times * op[2].figures[place] for op in third)
        if true > 0:
            worst = max(worst, abs(said - true) / true)
    return worst


_SCALED = 4
"""Leading figures that grow with what is done: FLOP, bytes read, bytes written, and the count of products or heads."""
_SCALED_OF_CONVOLUTION = 5
"""Beside output positions also the bytes of the data."""
_TOTALS = 3
"""FLOP, bytes read and bytes written."""
_TOLERATED = 1e-6
Group = tuple[object, ...]


def folded(
    first: Sequence[TracedOp], second: Sequence[TracedOp], batches: tuple[int, int], *, by_values: bool = False
) -> tuple[list[TracedOp], list[TracedOp]]:
    """Both streams with the calls of each sample as one call on all samples, as kernels for packed samples do them.

    Calls of one place that are a whole number a sample beside a fixed number become as many; others as many as there
    are at fewer samples. Raises StreamsDiffer for a place that only one of the streams has, and for a loop whose
    rounds work on the whole batch: what it does grows faster than the batch. `by_values`: samples differ in how much
    they make; what little a place does may then grow as it happens to.
    """
    low, high = batches
    little = [TOLERATED_ERROR_FRACTION * _total(second, place) for place in range(_TOTALS)] if by_values else []
    low_groups, high_groups = (grouped(stream, lambda op: (*key_of(op), op[1])) for stream in (first, second))
    early: list[TracedOp] = []
    late: list[TracedOp] = []
    for group, calls in low_groups.items():
        others = high_groups.get(group, [])
        each, beside = divmod(len(others) - len(calls), high - low)
        fixed = len(calls) - each * low
        by_chance = by_values and all(_total(others, place) <= most for place, most in enumerate(little))
        grows = by_chance or len(calls) == len(others) or _grows_with_batch(calls, others, (high - 1) / (low - 1))
        if not grows:
            name = calls[0][2].name
            more = f"{name} runs {len(calls)} times for {low} samples, {len(others)} times for {high}"
            raise StreamsDiffer(f"{more}, and what it does grows faster than the batch")
        count = each + max(0, fixed) if each > 0 and not beside else min(len(calls), len(others))
        if count == 0:
            raise StreamsDiffer(_without_counterpart(calls[0], high_groups, batches))
        early += _folded(calls, count)
        late += _folded(others, count)
    strange = next((calls[0][2].name for group, calls in high_groups.items() if group not in low_groups), None)
    if strange is not None:
        raise StreamsDiffer(f"{strange} runs at {high} samples and not at {low}")
    return early, late


def _without_counterpart(op: TracedOp, later: dict[Group, list[TracedOp]], batches: tuple[int, int]) -> str:
    """What became of an operator that only the smaller batch runs: most often sizes that follow the batch's."""
    raw, (low, high) = op[2], batches
    alike = (group for group in later if group[0] == op[0] and group[2] == raw.name and group[-1] == op[1])
    other: Any = next((group[-2] for group in alike if group[-2] != raw.fixed), None)
    if other is None:
        return f"{raw.name} runs at {low} samples and not at {high}"
    changed = [
        (str(low_size), str(high_size))
        for low_size, high_size in zip(raw.fixed, other, strict=False)
        if low_size != high_size
    ]
    sizes = [", ".join(dict.fromkeys(column)) for column in zip(*changed, strict=True)] or ["some", "others"]
    return f"{raw.name} has sizes that follow the batch: {sizes[0]} at {low} samples, {sizes[1]} at {high}"


def _grows_with_batch(calls: Sequence[TracedOp], others: Sequence[TracedOp], times: float) -> bool:
    """Whether all calls together grow as samples do, or as what lies between them (sums of what each gives)."""
    return all(_total(others, place) <= times * (1 + _TOLERATED) * _total(calls, place) for place in range(_TOTALS))


def _total(calls: Sequence[TracedOp], place: int) -> float:
    return sum(call[2].figures[place] for call in calls)


def _folded(calls: Sequence[TracedOp], count: int) -> list[TracedOp]:
    """The calls as `count` calls, each an equal share of all."""
    if len(calls) == count:
        return list(calls)
    phase, path, raw = calls[0]
    scaled = _SCALED_OF_CONVOLUTION if raw.shape == "convolution" else _SCALED
    columns = list(zip(*(call[2].figures for call in calls), strict=True))
    figures = tuple(sum(column) / (count if place < scaled else len(calls)) for place, column in enumerate(columns))
    return [(phase, path, raw._replace(figures=figures))] * count
