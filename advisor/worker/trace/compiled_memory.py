"""What torch.compile leaves of a pass's allocations: results that no kernel writes out never exist.

What eager keeps for backward and a compiled backward works out again is not kept; in its place lies what it is worked
out from, where eager would have given that back before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from advisor.optable.op_table import CONVOLUTION, MemoryTimeline
from advisor.worker.trace.dataflow import DataFlow, Kernel
from advisor.worker.trace.fusion import Fused, fused_groups

StandIns = Mapping[int, tuple[int, ...]]
"""Storages that have another size when compiled: that of these together, or none."""


def stand_ins(flow: DataFlow) -> StandIns:
    """By the numbers of the pass that was recorded, before layers were added to it."""
    fused = fused_groups(flow.kernels)
    kept_kernels = [kernel for kernel in flow.kernels if not kernel.fusible]
    first_phase: dict[int, str] = {}
    for kernel in flow.kernels:
        for use in kernel.writes:
            first_phase.setdefault(use.value[0], kernel.phase)
    written = {use.value[0] for one in fused for use in one.writes}
    written |= {use.value[0] for kernel in kept_kernels for use in kernel.writes}
    in_forward = {number for number, phase in first_phase.items() if phase == "forward"}
    needed = _read_in_backward(fused, kept_kernels)
    eager = in_forward & set(flow.kept)
    found: dict[int, tuple[int, ...]] = {number: () for number in first_phase if number not in written}
    found |= dict.fromkeys(eager - needed, ())
    places = sorted(number for number in found if number in eager)
    for number in sorted((needed & in_forward) - eager):
        if places:
            place = min(places, key=lambda other: abs(other - number))
            found[place] = (*found[place], number)
    return found


def _read_in_backward(fused: Sequence[Fused], kept_kernels: Sequence[Kernel]) -> set[int]:
    read = {use.value[0] for one in fused if one.group.phase == "backward" for use in one.reads}
    return read | {use.value[0] for kernel in kept_kernels if kernel.phase == "backward" for use in kernel.reads}


def with_compiled_sizes(
    timeline: MemoryTimeline, flows: tuple[DataFlow, DataFlow], batches: tuple[int, int]
) -> MemoryTimeline:
    """The timeline with what its events measure in a compiled step; `flows` are of the passes at both batch sizes."""
    found, numbers = stand_ins(flows[1]), flows[1].short_numbers
    low, high = (flow.storage_bytes() for flow in flows)
    size0, size1 = list(timeline.size0_bytes), list(timeline.size1_bytes)
    for event in range(timeline.resident_event_count, len(size0)):
        number = timeline.storage[event]
        sources = found.get(numbers.get(number, number))
        if sources is None or timeline.kind[event] == CONVOLUTION:
            continue
        first, second = (float(sum(sizes[source] for source in sources)) for sizes in (low, high))
        size1[event] = (second - first) / (batches[1] - batches[0])
        size0[event] = first - size1[event] * batches[0]
    return msgspec.structs.replace(timeline, compiled_size0_bytes=tuple(size0), compiled_size1_bytes=tuple(size1))
