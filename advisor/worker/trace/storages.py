"""Follows every storage from its first tensor to its last: the stream of allocations behind a memory timeline."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

import torch

from advisor.optable.op_table import ALLOCATE, CONVOLUTION, FREE, GRADIENT

Reference = tuple[object, ...]
"""What an event is of, in words that are the same for each of several parts of a pass that do the same."""


class Event(NamedTuple):
    """One allocation, free or gradient."""

    kind: int
    size: int
    reference: Reference
    event: int


class StorageTracker:
    """Events (kind, storage, bytes) in the order in which they happen; storages are numbered as they appear."""

    def __init__(self) -> None:
        """Start with nothing alive."""
        self.kinds: list[int] = []
        self.storages: list[int] = []
        self.sizes: list[int] = []
        self.counts: dict[int, int] = {}
        """Storages that stand for several alike, by number: of a long loop only a few rounds are traced."""
        self.live_bytes = 0
        self.peak_bytes = 0
        self._live: dict[int, tuple[int, int, object]] = {}
        self._count = 0
        self._open = True

    def append(self, kind: int, storage: int, size: int) -> None:
        """Add one event."""
        self.kinds.append(kind)
        self.storages.append(storage)
        self.sizes.append(size)

    def see(self, tensor: torch.Tensor) -> int:
        """Note the tensor's storage; returns its bytes when it is new, else 0."""
        storage = tensor.untyped_storage()
        key = storage._cdata  # noqa: SLF001 - the only identity that views share
        if key in self._live:
            return 0
        size = storage.nbytes()
        if size == 0:
            return 0
        number = self._count
        self._count += 1
        self._live[key] = (number, size, weakref.ref(storage, self._on_death(key)))
        self.append(ALLOCATE, number, size)
        self.live_bytes += size
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        return size

    def place(self, tensor: torch.Tensor) -> tuple[int, int, object] | None:
        """Number and bytes of the tensor's storage, and what waits for its end; None: never seen, or holds nothing."""
        return self._live.get(tensor.untyped_storage()._cdata)  # noqa: SLF001 - as above

    def events(self, begin: int, end: int, refer: Callable[[int], Reference]) -> list[Event]:
        """Those from one place to another, each with what it refers to (`refer`, of its storage's number).

        Those that free in one go are in a fixed order: theirs is chance.
        """
        events = list[Event]()
        for event in range(begin, end):
            kind = self.kinds[event]
            reference = refer(self.storages[event]) if kind not in {ALLOCATE, CONVOLUTION} else ()
            events.append(Event(kind, self.sizes[event], reference, event))
        ordered: list[Event] = []
        for frees, members in groupby(events, key=lambda event: event.kind == FREE):
            together = list(members)
            ordered += sorted(together, key=repr) if frees else together
        return ordered

    def whole_size(self, event: int) -> int:
        """Bytes of an event's storage, and of those alike that it stands for."""
        return self.sizes[event] * self.counts.get(self.storages[event], 1)

    def _on_death(self, key: int) -> Callable[[object], None]:
        def died(_reference: object) -> None:
            entry = self._live.pop(key, None)
            if entry is not None and self._open:
                self.append(FREE, entry[0], entry[1])
                self.live_bytes -= entry[1]

        return died

    def transient(self, size: float) -> None:
        """A buffer that a kernel takes and gives back at once (no tensor shows it)."""
        if size > 0:
            number = self._count
            self._count += 1
            self.append(ALLOCATE, number, int(size))
            self.append(FREE, number, int(size))

    def convolution(self, size: int) -> None:
        """A place where cuDNN may take a workspace; `size` is input plus output bytes."""
        self.append(CONVOLUTION, -1, size)

    def gradient(self, tensor: torch.Tensor) -> None:
        """The tensor has just become (or been added to) a parameter's gradient."""
        entry = self._live.get(tensor.untyped_storage()._cdata)  # noqa: SLF001 - as above
        if entry is not None:
            self.append(GRADIENT, entry[0], entry[1])

    def alive(self) -> dict[int, int]:
        """Bytes of each storage that is alive now, by number; of those that stand for several, of one."""
        return {number: size for number, size, _ in self._live.values()}

    def close(self) -> None:
        """Take no further events: what dies from now on belongs to the end of the trace."""
        self._open = False
        self._live.clear()
