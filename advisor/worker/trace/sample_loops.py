"""Streams of models that go through the samples of a batch one by one, folded into as many operators at any batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from advisor.worker.trace.affine import StreamsDiffer, TracedOp, key_of

_SCALED = 4
"""Leading figures that grow with what is done: FLOP, bytes read, bytes written, and the count of products or heads."""
_SCALED_OF_CONVOLUTION = 5
"""Beside output positions also the bytes of the data."""
_TOTALS = 3
"""FLOP, bytes read and bytes written."""
_TOLERATED = 1e-6
Group = tuple[object, ...]


def folded(
    first: Sequence[TracedOp], second: Sequence[TracedOp], batches: tuple[int, int]
) -> tuple[list[TracedOp], list[TracedOp]]:
    """Both streams with the calls of each sample as one call on all samples, as kernels for packed samples do them.

    Calls of one place that are a whole number a sample beside a fixed number become as many; others as many as there
    are at fewer samples. Raises StreamsDiffer for a place that only one of the streams has, and for a loop whose
    rounds work on the whole batch: what it does grows faster than the batch.
    """
    low, high = batches
    one, two = _grouped(first), _grouped(second)
    early: list[TracedOp] = []
    late: list[TracedOp] = []
    for group, calls in one.items():
        others = two.get(group, [])
        each, beside = divmod(len(others) - len(calls), high - low)
        fixed = len(calls) - each * low
        if len(calls) != len(others) and not _grows_with_batch(calls, others, (high - 1) / (low - 1)):
            name = calls[0][2].name
            more = f"{name} runs {len(calls)} times for {low} samples, {len(others)} times for {high}"
            raise StreamsDiffer(f"{more}, and what it does grows faster than the batch")
        count = each + max(0, fixed) if each > 0 and not beside else min(len(calls), len(others))
        if count == 0:
            raise StreamsDiffer(_without_counterpart(calls[0], two, batches))
        early += _folded(calls, count)
        late += _folded(others, count)
    strange = next((calls[0][2].name for group, calls in two.items() if group not in one), None)
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
    changed = [(str(one), str(two)) for one, two in zip(raw.fixed, other, strict=False) if one != two]
    sizes = [", ".join(dict.fromkeys(column)) for column in zip(*changed, strict=True)] or ["some", "others"]
    return f"{raw.name} has sizes that follow the batch: {sizes[0]} at {low} samples, {sizes[1]} at {high}"


def _grows_with_batch(calls: Sequence[TracedOp], others: Sequence[TracedOp], times: float) -> bool:
    """Whether all calls together grow as samples do, or as what lies between them (sums of what each gives)."""
    return all(_total(others, place) <= times * (1 + _TOLERATED) * _total(calls, place) for place in range(_TOTALS))


def _total(calls: Sequence[TracedOp], place: int) -> float:
    return sum(call[2].figures[place] for call in calls)


def _grouped(stream: Sequence[TracedOp]) -> dict[Group, list[TracedOp]]:
    groups: dict[Group, list[TracedOp]] = defaultdict(list)
    for op in stream:
        groups[(*key_of(op), op[1])].append(op)
    return groups


def _folded(calls: Sequence[TracedOp], count: int) -> list[TracedOp]:
    """The calls as `count` calls, each an equal share of all."""
    if len(calls) == count:
        return list(calls)
    phase, path, raw = calls[0]
    scaled = _SCALED_OF_CONVOLUTION if raw.shape == "convolution" else _SCALED
    columns = list(zip(*(call[2].figures for call in calls), strict=True))
    figures = tuple(sum(column) / (count if place < scaled else len(calls)) for place, column in enumerate(columns))
    return [(phase, path, raw._replace(figures=figures))] * count
