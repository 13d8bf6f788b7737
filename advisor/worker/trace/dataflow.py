"""Who reads what: every call of a pass with the values it takes and gives, told apart by storage and version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from advisor.optable.op_table import ALLOCATE, OpKind, Phase
from advisor.worker.trace.ops.call_cost import Cost
from advisor.worker.trace.ops.op_figures import GROUP_NORM_LAYOUT
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


class DataFlow:
    """Collects the kernels of a pass in order."""

    def __init__(self, tracker: StorageTracker) -> None:
        """`tracker` numbers the storages."""
        self.kernels: list[Kernel] = []
        self.repeated: list[tuple[int, int, int]] = []
        """First and one after the last kernel of a group of layers, and how many copies of it stand beside it."""
        self.kept: tuple[int, ...] = ()
        """Storages that were there when forward ended, by number."""
        self.short_numbers: dict[int, int] = {}
        """Where layers were added: which storage of the pass that was recorded each of theirs is a copy of."""
        self._tracker = tracker
        self._versions: dict[int, int] = {}
        self._call_count = 0

    def storage_bytes(self) -> dict[int, int]:
        """Bytes of every storage of the pass that was recorded, by number."""
        tracker = self._tracker
        return {
            number: size
            for kind, number, size in zip(tracker.kinds, tracker.storages, tracker.sizes, strict=True)
            if kind == ALLOCATE
        }

    def count(self, index: int) -> int:
        """How often a kernel runs, the copies of its layers included."""
        return 1 + sum(copies for begin, end, copies in self.repeated if begin <= index < end)

    def _used(self, tensors: Sequence[Tensor]) -> list[Use]:
        uses = []
        for tensor in tensors:
            place = self._tracker.place(tensor)
            if place is not None:
                number, whole = place
                uses.append(Use((number, self._versions.get(number, 0)), touched_bytes(tensor), whole))
        return uses

    def note(self, phase: Phase, cost: Cost, args: Args, kwargs: Named, out: object) -> None:
        """Add the kernels of one call; its tensors have been seen by the tracker (others hold next to nothing)."""
        reads = self._used(tensors_in(kwargs, tensors_in(args)))
        outputs = tensors_in(out)
        given = {use.value[0] for use in reads}
        for number in given.intersection(use.value[0] for use in self._used(outputs)):
            self._versions[number] = self._versions.get(number, 0) + 1
        writes = self._used(outputs)
        self._call_count += 1
        kept = [raw for raw in cost.ops if not _is_fusible(raw)]
        for place, raw in enumerate(kept):
            self._add(phase, raw, reads, writes if place == 0 else ())
        for raw in cost.ops:
            if _is_fusible(raw) and raw.name != GROUP_NORM_LAYOUT:
                self._add(phase, raw, *(self._beside(raw, reads, writes) if kept else (reads, writes)))

    def _add(self, phase: Phase, raw: RawOp, reads: Sequence[Use], writes: Sequence[Use]) -> None:
        fusible = _is_fusible(raw)
        further = raw.figures[1] - sum(use.size_bytes for use in reads) if fusible else 0.0
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


def _is_fusible(raw: RawOp) -> bool:
    return raw.kind not in _KEPT_KINDS and raw.name.rstrip("_") not in operators().left_by_compilers
