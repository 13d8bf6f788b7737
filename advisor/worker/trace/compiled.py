"""What torch.compile leaves of a pass: its kernels, affine in the batch size, and the allocations that they make.

Results that no kernel writes out never exist. What eager keeps for backward and a compiled backward works out again is
not kept; in its place lies what it is worked out from, where eager would have given that back before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from advisor.optable.op_table import CONVOLUTION, Affine, CompiledPass, MemoryTimeline, Op, OpKind, Phase, through
from advisor.worker.trace.dataflow import DataFlow, Kernel
from advisor.worker.trace.fusion import Fused, fused_groups

_MOST_KERNELS = 4
StandIns = Mapping[int, tuple[int, ...]]
"""Storages that have another size when compiled: that of these together, or none."""


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
    rounds: int = 1
    """For how many rounds of a loop it stands."""


def compiled_pass(flows: tuple[DataFlow, DataFlow], fused: Sequence[Fused], batches: tuple[int, int]) -> CompiledPass:
    """Two passes at different batch sizes, both fused as the second is, as one list that is affine in the batch."""
    first, second = flows
    low_kernels, high_kernels = _made(first, fused_groups(first.kernels, fused)), _made(second, fused)
    counted: Counter[tuple[_Made, Affine, Affine]] = Counter()
    dispatches: dict[Phase, int] = {"forward": 0, "backward": 0}
    for early, late in zip(low_kernels, high_kernels, strict=True):
        times = second.count(late.place) // second.rounds_of([late.place]) * late.rounds
        read = through(batches, early.read_bytes, late.read_bytes)
        written = through(batches, early.written_bytes, late.written_bytes)
        if not (early.read_bytes or early.written_bytes or late.read_bytes or late.written_bytes):
            continue
        counted[late._replace(place=0, rounds=1, read_bytes=0.0, written_bytes=0.0), read, written] += times
        dispatches[late.phase] += late.kernel_count * times if late.kind == "fused" else 0
    calls = {kernel.call: index for index, kernel in enumerate(second.kernels) if not kernel.fusible}
    for index in calls.values():
        dispatches[second.kernels[index].phase] += second.count(index)
    ops = (_op(made, read, written, count) for (made, read, written), count in counted.items())
    return CompiledPass(ops=tuple(ops), dispatch_count=dispatches)


def _made(flow: DataFlow, groups: Sequence[Fused]) -> list[_Made]:
    """The fused kernels, then those without shape figures that stay as they are."""
    kernels = flow.kernels
    fused = [_fused(group, flow) for group in groups]
    kept = [(place, kernel) for place, kernel in enumerate(kernels) if not kernel.fusible and not kernel.raw.shape]
    return fused + [
        _Made(
            place,
            kernel.phase,
            kernel.raw.kind,
            kernel.raw.name,
            kernel.raw.element_bytes,
            kernel.raw.kernel_count,
            kernel.raw.figures[1],
            kernel.raw.figures[2],
            kernel.rounds,
        )
        for place, kernel in kept
    ]


def _fused(fused: Fused, flow: DataFlow) -> _Made:
    members = [flow.kernels[place] for place in fused.group.members]
    rounds = flow.rounds_of(fused.group.members)
    again = sum(member.further_read_bytes for member in members)
    read = (sum(use.size_bytes for use in fused.reads) + again) / rounds
    written = sum(use.size_bytes for use in fused.writes) / rounds
    width = min(member.raw.element_bytes for member in members)
    first = min(fused.group.members)
    kernel_count = _kernel_count(fused, members)
    return _Made(first, fused.group.phase, "fused", "fused", width, kernel_count, read, written, rounds)


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


def stand_ins(flow: DataFlow, fused: Sequence[Fused]) -> StandIns:
    """By the numbers of the pass that was recorded, before layers were added to it."""
    kept_kernels = [kernel for kernel in flow.kernels if not kernel.fusible]
    first_phase: dict[int, str] = {}
    for kernel in flow.kernels:
        for use in kernel.writes:
            first_phase.setdefault(use.value[0], kernel.phase)
    written = {use.value[0] for group in fused for use in group.writes}
    written |= {use.value[0] for kernel in kept_kernels for use in kernel.writes}
    in_forward = {number for number, phase in first_phase.items() if phase == "forward"}
    needed = _read_in_backward(fused, kept_kernels)
    eager = in_forward & set(flow.kept)
    sources: dict[int, tuple[int, ...]] = {number: () for number in first_phase if number not in written}
    sources |= dict.fromkeys(eager - needed, ())
    places = sorted(number for number in sources if number in eager)
    for number in sorted((needed & in_forward) - eager):
        if places:
            place = min(places, key=lambda other: abs(other - number))
            sources[place] = (*sources[place], number)
    return sources


def _read_in_backward(fused: Sequence[Fused], kept_kernels: Sequence[Kernel]) -> set[int]:
    read = {
        use.value[0] for kernel_group in fused if kernel_group.group.phase == "backward" for use in kernel_group.reads
    }
    return read | {use.value[0] for kernel in kept_kernels if kernel.phase == "backward" for use in kernel.reads}


def with_compiled_sizes(
    timeline: MemoryTimeline, flows: tuple[DataFlow, DataFlow], fused: Sequence[Fused], batches: tuple[int, int]
) -> MemoryTimeline:
    """The timeline with what its events measure in a compiled step; `flows` are of the passes at both batch sizes.

    `fused`: what is fused of the second.
    """
    sources_of, numbers = stand_ins(flows[1], fused), flows[1].short_numbers
    low, high = (flow.storage_bytes() for flow in flows)
    size0, size1 = list(timeline.size0_bytes), list(timeline.size1_bytes)
    for event in range(timeline.resident_event_count, len(size0)):
        number = timeline.storage[event]
        sources = sources_of.get(numbers.get(number, number))
        if sources is None or timeline.kind[event] == CONVOLUTION:
            continue
        count = timeline.count[event] if timeline.count else 1
        first, second = (sum(sizes[source] for source in sources) / count for sizes in (low, high))
        size0[event], size1[event] = through(batches, first, second)
    return msgspec.structs.replace(timeline, compiled_size0_bytes=tuple(size0), compiled_size1_bytes=tuple(size1))
