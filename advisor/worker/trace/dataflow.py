"""Who reads what: every call of a pass with the values it takes and gives, told apart by storage and version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import prod
from typing import NamedTuple

import torch

from advisor.optable.op_table import ALLOCATE, OpKind, Phase
from advisor.worker.trace.ops.call_cost import Cost
from advisor.worker.trace.ops.op_figures import OF_EAGER_ALONE
from advisor.worker.trace.ops.op_names import operators
from advisor.worker.trace.ops.raw_op import Args, Named, RawOp, tensors_in, touched_bytes
from advisor.worker.trace.storages import StorageTracker

Tensor = torch.Tensor
Value = tuple[int, int]
"""A storage's number and how often it had been written into."""

_KEPT_KINDS: frozenset[OpKind] = frozenset(["matmul", "convolution", "attention", "rnn", "sort"])


class Use(NamedTuple):
    """A value read or written by one kernel, and how many of its bytes."""

    value: Value
    size_bytes: int
    whole_bytes: int
    """Of its storage."""


class Kernel(NamedTuple):
    """One operator with its place among the others."""

    phase: Phase
    raw: RawOp
    fusible: bool
    call: int
    """Number of the dispatched call it belongs to."""
    reads: tuple[Use, ...]
    writes: tuple[Use, ...]
    further_read_bytes: float
    """What it reads a second time."""
    rounds: int = 1
    """For how many rounds of a loop it stands."""


class DataFlow:
    """Collects the kernels of a pass in order."""

    def __init__(self, tracker: StorageTracker) -> None:
        """`tracker` numbers the storages."""
        self.kernels: list[Kernel] = []
        self.repeated: list[tuple[int, int, int]] = []
        """First and one after the last kernel of a group of layers, and how many copies of it stand beside it."""
        self.rounds: list[tuple[int, int, int]] = []
        """First and one after the last kernel of a round that stands for several of a long loop, and for how many."""
        self._made_often: dict[int, int] = {}
        """Storages that such a round makes, by number, and for how many rounds each stands."""
        self.kept: tuple[int, ...] = ()
        """Storages that were there when forward ended, by number."""
        self.short_numbers: dict[int, int] = {}
        """Where layers were added: which storage of the pass that was recorded each of theirs is a copy of."""
        self._tracker = tracker
        self._versions: dict[int, int] = {}
        self._call_count = 0

    def storage_bytes(self) -> dict[int, int]:
        """Bytes of every storage of the pass that was recorded, and of those it stands for, by number."""
        tracker = self._tracker
        return {
            number: size * self._made_often.get(number, 1)
            for kind, number, size in zip(tracker.kinds, tracker.storages, tracker.sizes, strict=True)
            if kind == ALLOCATE
        }

    def count(self, index: int) -> int:
        """How often a kernel runs, the copies of its layers included."""
        copies = prod(1 + copies for begin, end, copies in self.repeated if begin <= index < end)
        return copies * self.rounds_of([index])

    def rounds_of(self, members: Sequence[int]) -> int:
        """For how many rounds of a loop kernels stand together; 1 where they are of several, or of none."""
        first, last = min(members), max(members)
        return prod(times for begin, end, times in self.rounds if begin <= first and last < end)

    def count_round(self, begin: int, end: int, storages: Iterable[int], times: int) -> None:
        """Let the kernels of a round stand for as many rounds: they move that much more, of all that these make."""
        self.rounds.append((begin, end, times))
        self._made_often |= dict.fromkeys(storages, times)
        for index in range(begin, end):
            kernel = self.kernels[index]
            self.kernels[index] = kernel._replace(
                reads=tuple(use._replace(size_bytes=use.size_bytes * times) for use in kernel.reads),
                writes=tuple(use._replace(size_bytes=use.size_bytes * times) for use in kernel.writes),
                further_read_bytes=kernel.further_read_bytes * times,
                rounds=kernel.rounds * times,
            )

    def end_rounds(self) -> None:
        """What rounds make that stand for several is as large for all that use it."""
        for index, kernel in enumerate(self.kernels if self._made_often else ()):
            self.kernels[index] = kernel._replace(reads=self._whole(kernel.reads), writes=self._whole(kernel.writes))

    def _whole(self, uses: Sequence[Use]) -> tuple[Use, ...]:
        return tuple(use._replace(whole_bytes=use.whole_bytes * self._made_often.get(use.value[0], 1)) for use in uses)

    def _used(self, tensors: Sequence[Tensor]) -> list[Use]:
        place_of, versions = self._tracker.place, self._versions
        uses = []
        for tensor in tensors:
            place = place_of(tensor)
            if place is not None:
                number, whole, _ = place
                uses.append(Use((number, versions.get(number, 0)), touched_bytes(tensor), whole))
        return uses

    def note(self, phase: Phase, cost: Cost, args: Args, kwargs: Named, out: object) -> None:
        """Add the kernels of one call; its tensors have been seen by the tracker (others hold next to nothing)."""
        reads = self._used(tensors_in(kwargs, tensors_in(args)))
        outputs = tensors_in(out)
        writes = self._used(outputs)
        given = {use.value[0] for use in reads}
        written_into = given.intersection([use.value[0] for use in writes])
        if written_into:
            for number in written_into:
                self._versions[number] = self._versions.get(number, 0) + 1
            writes = self._used(outputs)
        self._call_count += 1
        kept = [raw for raw in cost.ops if not _is_fusible(raw.kind, raw.name)]
        for place, raw in enumerate(kept):
            self._add(phase, raw, reads, writes if place == 0 else (), fusible=False)
        for raw in cost.ops if len(kept) < len(cost.ops) else ():
            if _is_fusible(raw.kind, raw.name) and raw.name not in OF_EAGER_ALONE:
                used = self._beside(raw, reads, writes) if kept else (reads, writes)
                self._add(phase, raw, *used, fusible=True)

    def _add(self, phase: Phase, raw: RawOp, reads: Sequence[Use], writes: Sequence[Use], *, fusible: bool) -> None:
        further = raw.figures[1] - sum([use.size_bytes for use in reads]) if fusible else 0.0
        if further < 0:
            reads, further = _rows_only(reads, -further), 0.0
        self.kernels.append(Kernel(phase, raw, fusible, self._call_count, tuple(reads), tuple(writes), further))

    def _beside(self, raw: RawOp, reads: Sequence[Use], writes: list[Use]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """What the element-wise part of a library's call takes and gives: a bias is added to, or summed from."""
        if raw.kind == "reduction":
            return (reads[0],), ()
        plain = writes[0]
        number, version = plain.value
        self._versions[number] = version + 1
        writes[0] = plain._replace(value=(number, version + 1))
        return (plain,), (writes[0],)


def _rows_only(reads: Sequence[Use], spared_bytes: float) -> list[Use]:
    """The largest operand is read in part only: some rows of a table, or not at all where it is written over."""
    place = max(range(len(reads)), key=lambda index: reads[index].size_bytes)
    left = max(0, int(reads[place].size_bytes - spared_bytes))
    return [use._replace(size_bytes=left) if index == place else use for index, use in enumerate(reads)]


@cache
def _is_fusible(kind: OpKind, name: str) -> bool:
    return kind not in _KEPT_KINDS and name.rstrip("_") not in operators().left_by_compilers
