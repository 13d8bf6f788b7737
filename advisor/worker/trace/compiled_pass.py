"""The kernels that torch.compile leaves of a pass, as operators that are affine in the batch size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from advisor.optable.op_table import Affine, CompiledPass, Op, OpKind, Phase
from advisor.worker.trace.dataflow import DataFlow, Kernel
from advisor.worker.trace.fusion import Fused, fused_groups

_MOST_KERNELS = 4


class _Made(NamedTuple):
    """What tells one kernel from another; bytes are those of one batch size."""

    place: int
    """Of its first operator in the stream."""
    phase: Phase
    kind: OpKind
    name: str
    element_bytes: int
    kernel_count: int
    read_bytes: float
    written_bytes: float


def compiled_pass(first: DataFlow, second: DataFlow, batches: tuple[int, int]) -> CompiledPass:
    """Two passes at different batch sizes, fused alike, as one list that is affine in the batch."""
    low, high = batches
    fused = fused_groups(second.kernels)
    one, two = _made(first.kernels, fused_groups(first.kernels, fused)), _made(second.kernels, fused)
    counted: Counter[tuple[_Made, Affine, Affine]] = Counter()
    dispatches: dict[Phase, int] = {"forward": 0, "backward": 0}
    for early, late in zip(one, two, strict=True):
        times = second.count(late.place)
        read = _affine(early.read_bytes, late.read_bytes, low, high)
        written = _affine(early.written_bytes, late.written_bytes, low, high)
        if not (early.read_bytes or early.written_bytes or late.read_bytes or late.written_bytes):
            continue
        counted[late._replace(place=0, read_bytes=0.0, written_bytes=0.0), read, written] += times
        dispatches[late.phase] += late.kernel_count * times if late.kind == "fused" else 0
    calls = {kernel.call: index for index, kernel in enumerate(second.kernels) if not kernel.fusible}
    for index in calls.values():
        dispatches[second.kernels[index].phase] += second.count(index)
    ops = (_op(made, read, written, count) for (made, read, written), count in counted.items())
    return CompiledPass(ops=tuple(ops), dispatch_count=dispatches)


def _made(kernels: Sequence[Kernel], groups: Sequence[Fused]) -> list[_Made]:
    """The fused kernels, then those without shape figures that stay as they are."""
    fused = [_fused(one, kernels) for one in groups]
    kept = [(place, one) for place, one in enumerate(kernels) if not one.fusible and not one.raw.shape]
    return fused + [
        _Made(place, kernel.phase, raw.kind, raw.name, raw.element_bytes, raw.kernel_count, *raw.figures[1:3])
        for place, kernel in kept
        for raw in (kernel.raw,)
    ]


def _fused(fused: Fused, kernels: Sequence[Kernel]) -> _Made:
    members = [kernels[place] for place in fused.group.members]
    again = sum(member.further_read_bytes for member in members)
    read = float(sum(use.size_bytes for use in fused.reads) + again)
    written = float(sum(use.size_bytes for use in fused.writes))
    width = min(member.raw.element_bytes for member in members)
    first = min(fused.group.members)
    return _Made(first, fused.group.phase, "fused", "fused", width, _kernel_count(fused, members), read, written)


def _kernel_count(fused: Fused, members: Sequence[Kernel]) -> int:
    """One for each size that is written, one more for each operator that needs its whole input first."""
    sizes = {use.size_bytes for use in fused.writes}
    twice = sum(member.further_read_bytes > 0 for member in members)
    return max(1, min(len(sizes), _MOST_KERNELS)) + twice


def _op(made: _Made, read: Affine, written: Affine, count: int) -> Op:
    return Op(
        kind=made.kind,
        name=made.name,
        phase=made.phase,
        element_bytes=made.element_bytes,
        kernel_count=made.kernel_count,
        count=count,
        flop=(0.0, 0.0),
        read_bytes=read,
        written_bytes=written,
    )


def _affine(one: float, two: float, low: int, high: int) -> Affine:
    slope = (two - one) / (high - low)
    return (one - slope * low, slope)
