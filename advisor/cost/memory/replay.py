"""A memory timeline at one batch size: its events, and its peak of live bytes."""

from __future__ import annotations

from copy import copy
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from advisor.cost.memory.caching_allocator import ROUNDING_BYTES
from advisor.cost.memory.remembered import fingerprint
from advisor.cost.memory.sharding import Shares
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import ALLOCATE, CONVOLUTION, FREE, GRADIENT, Affine, MemoryTimeline


def rounded(sizes: Floats) -> Floats:
    """Sizes as the allocator hands them out."""
    return np.ceil(sizes / ROUNDING_BYTES) * ROUNDING_BYTES


@lru_cache(maxsize=256)
def _rounded_total(sizes: tuple[float, ...]) -> int:
    """What single allocations take together."""
    return sum(rounded_sizes(sizes))


@lru_cache(maxsize=256)
def rounded_sizes(sizes: tuple[float, ...]) -> tuple[int, ...]:
    """The same of single allocations, without empty ones."""
    return tuple(_rounded(size) for size in sizes if size > 0)


def _rounded(size: float) -> int:
    return int(-(-size // ROUNDING_BYTES)) * ROUNDING_BYTES


class _Roles(NamedTuple):
    """What the events of a timeline are of, a yes or no for each; an event may be of several."""

    resident: NDArray[np.bool_]
    weights: NDArray[np.bool_]
    copies: NDArray[np.bool_]
    gradients: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    """Of the batch's size, made by forward and kept for backward."""


class Stream:
    """A timeline prepared for repeated use: columns as arrays for sums, as lists for the replay."""

    def __init__(self, timeline: MemoryTimeline) -> None:
        """Keep the timeline's columns."""
        self.kinds = np.array(timeline.kind, dtype=np.int8)
        self.size0 = np.array(timeline.size0_bytes)
        self.size1 = np.array(timeline.size1_bytes)
        self.kind_list = list(timeline.kind)
        self.storage_list = list(timeline.storage)
        self.count = np.array(timeline.count or [1] * len(timeline.kind))
        """Storages alike that each event stands for."""
        self.resident_count = timeline.resident_event_count
        self.backward_start = timeline.backward_start
        self._signs = np.select([self.kinds == ALLOCATE, self.kinds == FREE], [1.0, -1.0], 0.0)
        self.of_gradients = self.kinds == GRADIENT
        self._kept_signs = np.where(self.of_gradients, -1.0, self._signs)
        self.convolves = bool((self.kinds == CONVOLUTION).any())
        self._sized: tuple[float, bool, Floats] | None = None

    @cached_property
    def fingerprint(self) -> bytes:
        """What the timeline is known by where its replays are remembered."""
        residents = np.array([self.resident_count])
        return fingerprint(self.kinds, np.array(self.storage_list), self.size0, self.size1, self.count, residents)

    @classmethod
    def sharded(cls, timeline: MemoryTimeline, shares: Shares, outputs: Affine = (0.0, 0.0)) -> Stream:
        """The timeline of one device that holds `shares` of what was traced; `outputs`: bytes of the last product's."""
        own = stream_of(timeline)
        roles = own.roles
        factor = np.where(roles.resident, 1.0, shares.activations)
        logits = own.sized_like(outputs)
        factor[roles.kept & ~logits] *= shares.kept
        if shares.without_outputs:
            factor[logits] = 0.0
        factor[roles.copies] = shares.copies
        factor[roles.gradients] = shares.gradients
        factor[roles.weights] = shares.parameters
        return own.resized(own.size0 * factor, own.size1 * factor)

    def resized(self, size0: Floats, size1: Floats) -> Stream:
        """The same events with other sizes; what does not depend on these is held once, as a timeline may be long."""
        other = copy(self)
        other.size0, other.size1, other._sized = size0, size1, None  # noqa: SLF001 - its own class
        for name in ("fingerprint", "roles", "kept_bytes"):
            vars(other).pop(name, None)
        return other

    @cached_property
    def roles(self) -> _Roles:
        """Which events are of what.

        Weights are the resident events without a part that grows with the batch. What a pass makes in a weight's
        size, or half or twice of it, without such a part is a copy or a gradient of one.
        """
        constant, number = self.size1 == 0, np.arange(len(self.kinds))
        resident = number < self.resident_count
        weights = resident & constant & (self.kinds == ALLOCATE)
        sizes = np.unique(self.size0[weights])
        sized = constant & (
            np.isin(self.size0, sizes) | np.isin(2 * self.size0, sizes) | np.isin(self.size0 / 2, sizes)
        )
        storages = np.array(self.storage_list)
        gradients = np.isin(storages, storages[self.kinds == GRADIENT]) & ~resident
        kept = np.isin(storages, self.kept_storages()) & ~resident & ~constant
        return _Roles(resident, np.isin(storages, storages[weights]), sized & ~resident, gradients, kept)

    def kept_storages(self) -> NDArray[np.int64]:
        """What forward made and backward found there, by number."""
        before = slice(self.resident_count, self.backward_start)
        storages, kinds = np.array(self.storage_list, dtype=np.int64)[before], self.kinds[before]
        return np.setdiff1d(storages[kinds == ALLOCATE], storages[kinds == FREE])

    @cached_property
    def kept_bytes(self) -> Affine:
        """What forward keeps for backward, of the batch's size."""
        chosen = (self.kinds == ALLOCATE) & (self.size1 != 0) & np.isin(self.storage_list, self.kept_storages())
        chosen[: self.resident_count] = False
        count = self.count[chosen]
        return float((count * self.size0[chosen]).sum()), float((count * self.size1[chosen]).sum())

    def sized_like(self, figure: Affine) -> NDArray[np.bool_]:
        """Events of a storage as large as `figure`, in its type or in one of half or twice its width."""
        alike = np.zeros(len(self.kinds), dtype=np.bool_)
        for width in (0.5, 1.0, 2.0):
            alike |= (self.size0 == width * figure[0]) & (self.size1 == width * figure[1])
        return alike & (figure[0] + figure[1] > 0)

    def sizes(self, batch_size: float, *, rounding: bool = True) -> Floats:
        """Bytes of every event, rounded as the allocator does; the last answer is kept, as one batch is asked often."""
        if self._sized is None or self._sized[:2] != (batch_size, rounding):
            sizes: Floats = np.maximum(self.size0 + self.size1 * batch_size, 0.0)
            self._sized = (batch_size, rounding, self.count * (rounded(sizes) if rounding else sizes))
        return self._sized[2]

    @property
    def storage_events(self) -> int:
        """Events of single storages."""
        return int(self.count.sum())

    def live(self, sizes: Floats, *, gradients_kept: bool) -> Floats:
        """Live bytes after every event; with kept gradients the new ones die as soon as they are added."""
        signs = self._kept_signs if gradients_kept else self._signs
        result: Floats = np.cumsum(sizes * signs)
        return result

    def resident_bytes(self, sizes: Floats) -> float:
        """Live bytes after the resident events; after all of them where none is."""
        events = slice(self.resident_count or len(sizes))
        return float(np.cumsum(sizes[events] * self._signs[events])[-1])

    def largest_convolution(self, batch_size: float) -> float:
        """Input and output bytes of the largest convolution; 0 without any."""
        if not self.convolves:
            return 0.0
        return float((self.size0 + self.size1 * batch_size)[self.kinds == CONVOLUTION].max())

    def workspace_above_peak(self, batch_size: float, *, gradients_kept: bool, share: float) -> float:
        """By how much the peak would rise if every convolution took `share` of its input and output while it runs."""
        if not self.convolves:
            return 0.0
        sizes = self.sizes(batch_size)
        live = self.live(sizes, gradients_kept=gradients_kept)
        with_workspace = live + np.where(self.kinds == CONVOLUTION, share * sizes, 0.0)
        return float(with_workspace.max() - live.max())


@lru_cache(maxsize=64)
def stream_of(timeline: MemoryTimeline) -> Stream:
    """The prepared timeline; the last few are remembered, as one is asked about many batch sizes."""
    return Stream(timeline)


def compiled_timeline(timeline: MemoryTimeline, outputs: Affine, *, blockwise: bool = False) -> MemoryTimeline:
    """The timeline of a compiled step; the plain one where the trace told no other.

    Where the loss stands outside of what is compiled (a model that returns logits; `blockwise`: only its blocks are
    compiled), what is as large as `outputs` stays.
    """
    if not timeline.compiled_size0_bytes:
        return timeline
    logits = Stream(timeline).sized_like(outputs)
    if timeline.loss_in_model and not blockwise:
        return _with_unused_gradient(timeline, logits)
    size0 = np.where(logits, timeline.size0_bytes, timeline.compiled_size0_bytes)
    size1 = np.where(logits, timeline.size1_bytes, timeline.compiled_size1_bytes)
    return msgspec.structs.replace(timeline, size0_bytes=tuple(size0.tolist()), size1_bytes=tuple(size1.tolist()))


def _with_unused_gradient(timeline: MemoryTimeline, logits: NDArray[np.bool_]) -> MemoryTimeline:
    """A step whose loss was compiled with the model, which returns its logits too.

    Logits are made once, in their own type. As they are returned, backward is handed a gradient for them: zeros as
    large as they are, since nobody used them. While the true gradient is made, all three are alive (seen in the code
    that torch 2.13's compiler writes, and by the peaks of GPT-2 and of a Llama on a card).
    """
    size0, size1 = list(timeline.compiled_size0_bytes), list(timeline.compiled_size1_bytes)
    kind, storage, count = list(timeline.kind), list(timeline.storage), list(timeline.count)
    kept = {
        storage[event] for event in np.flatnonzero(logits[: timeline.backward_start]) if size0[event] + size1[event]
    }
    for event in range(timeline.backward_start, len(kind)):
        if kind[event] == FREE and storage[event] in kept:
            true, unused = max(storage) + 1, max(storage) + 2
            kind[event:event] = [ALLOCATE, ALLOCATE, FREE, FREE]
            storage[event:event] = [unused, true, unused, true]
            size0[event:event], size1[event:event] = [size0[event]] * 4, [size1[event]] * 4
            if count:
                count[event:event] = [count[event]] * 4
            break
    return msgspec.structs.replace(
        timeline,
        kind=tuple(kind),
        storage=tuple(storage),
        size0_bytes=tuple(size0),
        size1_bytes=tuple(size1),
        count=tuple(count),
    )


class StepSetup(NamedTuple):
    """What surrounds forward and backward in a step; sizes in bytes of single allocations."""

    states: tuple[float, ...] = ()
    """Made after the first backward pass, never freed."""
    temporaries: tuple[float, ...] = ()
    """Alive together at the height of the optimizer's step."""
    persistent: tuple[float, ...] = ()
    """Made before the first step, never freed: library workspaces, buckets."""
    gathered: tuple[float, ...] = ()
    """There in forward and backward only: whole units of sharded weights, and their gradients."""
    gradients_kept: bool = False
    """Gradients live through forward: accumulation, or `zero_grad(set_to_none=False)`."""
    gradients_freed: bool = False
    """Each gradient's parameter is stepped as it is ready, and it dies then: gradients are never all there."""
    update_share: float = 0.0
    """Where gradients are freed so: bytes that one such update takes for its length, as a share of the gradient's."""


class Peak(NamedTuple):
    """Live bytes at the worst moment of a steady step, and what they are."""

    total: float
    gradients: float
    in_optimizer: bool


def live_peak(stream: Stream, setup: StepSetup, batch_size: float, *, rounding: bool = True) -> Peak:
    """Peak of the sizes that are alive together, over forward, backward and the optimizer's step."""
    passes, update = moments(stream, setup, batch_size, rounding=rounding)
    return update if update.total > passes.total else passes


def live_bytes(stream: Stream, setup: StepSetup, sizes: Floats) -> Floats:
    """What is alive after each event of forward and backward; gradients that are freed at once with their update."""
    live = stream.live(sizes, gradients_kept=setup.gradients_kept or setup.gradients_freed)
    if setup.gradients_freed:
        live = live + np.where(stream.of_gradients, sizes, 0.0) * (1.0 + setup.update_share)
    return live


def moments(stream: Stream, setup: StepSetup, batch_size: float, *, rounding: bool = True) -> tuple[Peak, Peak]:
    """The worst moment of forward and backward, and that of the optimizer's step."""
    sizes = stream.sizes(batch_size, rounding=rounding)
    live = live_bytes(stream, setup, sizes)
    gradient_events = np.where(stream.of_gradients & (not setup.gradients_freed), sizes, 0.0)
    all_gradients = float(gradient_events.sum())
    constant = float(_rounded_total(setup.states) + _rounded_total(setup.persistent))
    worst = int(np.argmax(live)) if len(live) else 0
    passes = (float(live[worst]) if len(live) else 0.0) + (all_gradients if setup.gradients_kept else 0.0)
    so_far = all_gradients if setup.gradients_kept else float(gradient_events[: worst + 1].sum())
    update = update_bytes(stream, setup, batch_size, rounding=rounding)
    return (
        Peak(passes + constant + _rounded_total(setup.gathered), so_far, in_optimizer=False),
        Peak(update, all_gradients, in_optimizer=True),
    )


def update_bytes(stream: Stream, setup: StepSetup, batch_size: float, *, rounding: bool = True) -> float:
    """Live bytes at the height of the optimizer's step, when no activation is left."""
    sizes = stream.sizes(batch_size, rounding=rounding)
    resident = stream.resident_bytes(sizes) if len(sizes) else 0.0
    gradients = 0.0 if setup.gradients_freed else float(np.where(stream.of_gradients, sizes, 0.0).sum())
    held = (setup.states, setup.persistent, setup.temporaries)
    return resident + gradients + sum(map(_rounded_total, held))
