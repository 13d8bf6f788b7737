"""What torch.compile makes of a pass: which element-wise work and reductions share one pass over memory.

Rules of its compiler, as its documentation and source tell them: operators that follow one another are one kernel
unless a library's kernel lies between them; what a kernel makes for itself alone is never written; a value that
several of its operators read is read once; backward works element-wise results out again from what is kept anyway
rather than keep them (the cheaper of both, by bytes). Products, convolutions, attention and sorting stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from advisor.optable.op_table import Phase
from advisor.worker.trace.dataflow import Kernel, Use, Value

_SHARED_BYTES = 2**16
"""Below this a value that two kernels read is no reason to join them."""
_LONGEST_WAY = 64
"""Results from which forward is not worked out again in backward."""
_REMADE_FROM_SEED = "native_dropout"
"""Its mask is drawn again from the seed, never kept."""
_OF_ALL_ROWS = frozenset({"fp8_amax", "fp8_column_amax"})
"""Scales of a whole tensor, or of its columns: no block of a kernel knows them before all have run, so that what casts
by them reads the tensor anew."""


@dataclass
class Group:
    """Kernels that become one (or few: one for each size that it writes)."""

    depth: int
    phase: Phase
    members: list[int] = field(default_factory=list)


class Fused(NamedTuple):
    """A group's place in the stream and what it moves."""

    group: Group
    reads: tuple[Use, ...]
    writes: tuple[Use, ...]


class _Graph:
    """The kernels of one pass with producers, readers and groups."""

    def __init__(self, kernels: Sequence[Kernel], like: Sequence[Fused] | None) -> None:
        self.kernels = kernels
        self.producer: dict[Value, int] = {}
        self.readers: dict[Value, list[int]] = {}
        for index, kernel in enumerate(kernels):
            for use in kernel.reads:
                self.readers.setdefault(use.value, []).append(index)
            for use in kernel.writes:
                self.producer.setdefault(use.value, index)
        self.group_of: dict[int, Group] = {}
        self.groups: list[Group] = []
        self._reading: dict[tuple[int, Phase, Value], int] = {}
        if like is None:
            self._group()
        else:
            self.groups = [fused.group for fused in like]
            self.group_of = {member: group for group in self.groups for member in group.members}

    def _group(self) -> None:
        """A kernel joins the groups that it reads from, where nothing but element-wise work lies between."""
        depths: list[int] = []
        for index, kernel in enumerate(self.kernels):
            depth, joined = 0, []
            for use in kernel.reads:
                place = self.producer.get(use.value)
                if place is None or place >= index:
                    continue
                before = self.kernels[place]
                joins = kernel.fusible and before.fusible and before.phase == kernel.phase
                apart = not joins or before.raw.name in _OF_ALL_ROWS
                depth = max(depth, depths[place] + apart)
                joined += [] if apart else [place]
            depths.append(depth)
            if kernel.fusible:
                beside = self._beside(kernel, depth, index)
                self._join(index, depth, [place for place in (*joined, *beside) if depths[place] == depth])

    def _beside(self, kernel: Kernel, depth: int, index: int) -> list[int]:
        """Kernels at the same place that read the same value in full, though neither follows the other."""
        keys = [
            (depth, kernel.phase, use.value)
            for use in kernel.reads
            if use.size_bytes == use.whole_bytes and use.size_bytes >= kernel.rounds * _SHARED_BYTES
        ]
        readers = [self._reading[key] for key in keys if key in self._reading]
        for key in keys:
            self._reading.setdefault(key, index)
        return readers

    def _join(self, index: int, depth: int, places: Iterable[int]) -> None:
        groups = list({id(self.group_of[place]): self.group_of[place] for place in places}.values())
        if groups:
            group = groups[0]
        else:
            group = Group(depth, self.kernels[index].phase)
            self.groups.append(group)
        for other in groups[1:]:
            group.members += other.members
            for member in other.members:
                self.group_of[member] = group
            other.members = []
        group.members.append(index)
        self.group_of[index] = group

    def escapes(self, use: Use, group: Group) -> bool:
        """Whether another kernel of the same phase reads it, or nobody does and it is a gradient."""
        readers = self.readers.get(use.value, ())
        if not readers:
            return group.phase == "backward"
        return any(
            self.group_of.get(reader) is not group
            and (self.kernels[reader].phase == group.phase or not self.kernels[reader].fusible)
            for reader in readers
        )

    def sources(self, value: Value, group: Group) -> dict[Value, Use] | None:
        """The values that lie in memory anyway and from which a result of `group` follows; None: too long a way."""
        uses: dict[Value, Use] = {}
        open_values, seen, way = [value], {value}, 0
        while open_values:
            made_by = self.kernels[self.producer[open_values.pop()]]
            way += made_by.rounds
            for use in made_by.reads:
                place = self.producer.get(use.value)
                if place is None or self.group_of.get(place) is not group:
                    uses[use.value] = max(uses.get(use.value, use), use, key=lambda use: use.size_bytes)
                elif use.value not in seen:
                    seen.add(use.value)
                    open_values.append(use.value)
            if way + len(open_values) > _LONGEST_WAY:
                return None
        return uses


class _Traffic:
    """What every group reads and writes, recomputation in backward settled."""

    def __init__(self, graph: _Graph) -> None:
        self._graph = graph
        self.written: set[Value] = set()
        self.fused: list[tuple[Group, dict[Value, list[Use]]]] = []
        for group in graph.groups:
            if group.members:
                group.members.sort()
                self.fused.append((group, self._reads_of(group)))
        for group, _ in self.fused:
            for use in self._outputs(group):
                if graph.escapes(use, group):
                    self.written.add(use.value)
        for group, reads in self.fused:
            if group.phase == "backward":
                self._recompute(reads)

    def _outputs(self, group: Group) -> list[Use]:
        return [use for member in group.members for use in self._graph.kernels[member].writes]

    def _reads_of(self, group: Group) -> dict[Value, list[Use]]:
        reads: dict[Value, list[Use]] = {}
        for member in group.members:
            for use in self._graph.kernels[member].reads:
                place = self._graph.producer.get(use.value)
                if place is None or place >= member or self._graph.group_of.get(place) is not group:
                    reads.setdefault(use.value, []).append(use)
        return reads

    def _recompute(self, reads: dict[Value, list[Use]]) -> None:
        """Replace what forward need not keep by what it is made from, where that is no more to read."""
        graph = self._graph
        for value in list(reads):
            place = graph.producer.get(value)
            made_by = None if place is None else graph.kernels[place]
            if place is None or made_by is None or not made_by.fusible or made_by.phase != "forward":
                continue
            if made_by.raw.name == _REMADE_FROM_SEED and value != made_by.writes[0].value:
                del reads[value]
                continue
            size = sum(use.size_bytes for use in reads[value])
            sources = graph.sources(value, graph.group_of[place])
            if sources is None:
                self.written.add(value)
                continue
            further = sum(use.size_bytes for key, use in sources.items() if key not in reads)
            if further < size or (further == size and value not in self.written):
                del reads[value]
                for key, use in sources.items():
                    reads.setdefault(key, [use])
            else:
                self.written.add(value)

    def result(self) -> list[Fused]:
        fused = []
        for group, reads in self.fused:
            writes = [use for use in self._outputs(group) if use.value in self.written]
            fused.append(Fused(group, tuple(_once(uses) for uses in reads.values()), tuple(writes)))
        return fused


def _once(uses: Sequence[Use]) -> Use:
    """Parts of a value add up, but never to more than the whole; the same part is read once."""
    total = sum(use.size_bytes for use in uses)
    largest = max(use.size_bytes for use in uses)
    return uses[0]._replace(size_bytes=max(largest, min(total, uses[0].whole_bytes)))


def fused_groups(kernels: Sequence[Kernel], like: Sequence[Fused] | None = None) -> list[Fused]:
    """The kernels that a compiler makes of the element-wise work and the reductions of a pass, in order.

    `like`: what it made of the same pass at another batch size, to be grouped alike.
    """
    return _Traffic(_Graph(kernels, like)).result()
