"""The least capacity in which a step survives the caching allocator's fragmentation, by replays of its timeline."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from advisor.cost.memory.caching_allocator import CachingAllocator, CapacityExceededError
from advisor.cost.memory.remembered import remembered
from advisor.cost.memory.replay import StepSetup, Stream, live_peak, rounded_sizes
from advisor.optable.op_table import ALLOCATE, FREE, GRADIENT

_TOLERANCE = 0.001
"""Relative precision to which the needed capacity is found."""
_STEP_LIMIT = 6
"""Steps that are replayed at most: gradients, states and what was cached move on for a few steps, and fragmentation
grows by up to 3.4 % of the need between the second step and the sixth; twelve need at most 0.2 % more than six."""

_EVENTS_OF_EACH_BATCH = 200_000
_BATCH_OF_WASTE = 8
"""A timeline of more events (a loop over the tokens) is replayed at this batch size alone: the allocator's waste, which
follows from the order of the events, is taken for the same share of what is alive at every other."""


class _Passes(NamedTuple):
    """What a replay allocates and frees, so that it looks nothing up in the timeline."""

    resident: list[int]
    """Sizes of what is there before the first step."""
    events: list[int]
    """The size of an allocation; -1 - 2 n: the n-th of them is freed; -2 - 2 n: it is added to a gradient."""
    left: list[int]
    """Allocations that are alive after forward and backward, by number."""


@lru_cache(maxsize=1)
def _passes_of(stream: Stream, batch_size: float) -> _Passes:
    """The last answer alone is kept, as it may be long: what changes the optimizer alone asks for it again."""
    sizes, start = [int(size) for size in stream.sizes(batch_size).tolist()], stream.resident_count
    events: list[int] = []
    alive: dict[int, int] = {}
    count = 0
    passes = zip(stream.kind_list[start:], stream.storage_list[start:], sizes[start:], strict=True)
    for kind, storage, size in passes:
        if kind == ALLOCATE and size:
            alive[storage] = count
            events.append(size)
            count += 1
        elif kind in (FREE, GRADIENT) and storage in alive:
            events.append((-1 if kind == FREE else -2) - 2 * alive.pop(storage))
    resident = [size for kind, size in zip(stream.kind_list, sizes[:start], strict=False) if kind == ALLOCATE and size]
    return _Passes(resident, events, list(alive.values()))


class _Outcome(NamedTuple):
    """What a replay came to, and for which capacities: nothing else is ever compared with the capacity."""

    survived: bool
    reserved_bytes: float
    """Peak of the segments, up to the end or to where the capacity did not suffice: the least capacity of all these."""
    below_bytes: float
    """The least sum of segments that was refused at first: from there on a replay goes another way."""


class _Replay:
    """Steps through the allocator until one asks the driver for nothing new, as all that follow it then would."""

    def __init__(self, stream: Stream, setup: StepSetup, batch_size: float) -> None:
        self._setup = setup
        self._passes = _passes_of(stream, batch_size)
        self._states = rounded_sizes(setup.states)
        self._temporaries = rounded_sizes(setup.temporaries)
        self._persistent = rounded_sizes(setup.persistent)
        self._gathered = rounded_sizes(setup.gathered)
        self._outcomes: list[_Outcome] = []

    def outcome(self, capacity_bytes: float) -> _Outcome:
        """What comes of a capacity; no replay is made that would go the way of an earlier one."""
        for known in self._outcomes:
            if known.reserved_bytes <= capacity_bytes < known.below_bytes:
                return known
        allocator = CachingAllocator(capacity_bytes)
        survived = True
        try:
            self._steps(allocator)
        except CapacityExceededError:
            survived = False
        found = _Outcome(survived, allocator.peak_reserved_bytes, allocator.refused_bytes)
        self._outcomes.append(found)
        return found

    def _steps(self, allocator: CachingAllocator) -> None:
        for size in (*self._passes.resident, *self._persistent):
            allocator.allocate(size)
        gradients: list[int] = []
        for step in range(_STEP_LIMIT):
            segments_before = allocator.segment_count
            self._step(allocator, gradients, first=step == 0)
            if step > 0 and allocator.segment_count == segments_before:
                break

    def _step(self, allocator: CachingAllocator, gradients: list[int], *, first: bool) -> None:
        if not self._setup.gradients_kept:
            for block in gradients:
                allocator.release(block)
            gradients.clear()
        keep = (first or not self._setup.gradients_kept) and not self._setup.gradients_freed
        self._pass(allocator, gradients, keep=keep)
        if first:
            for size in self._states:
                allocator.allocate(size)
        for block in [allocator.allocate(size) for size in self._temporaries]:
            allocator.release(block)

    def _pass(self, allocator: CachingAllocator, gradients: list[int], *, keep: bool) -> None:
        allocate, release = allocator.allocate, allocator.release
        add = gradients.append if keep else release
        units = [allocate(size) for size in self._gathered]
        blocks: list[int] = []
        for event in self._passes.events:
            if event > 0:
                blocks.append(allocate(event))
            elif event & 1:
                release(blocks[-event >> 1])
            else:
                add(blocks[(-event >> 1) - 1])
        for block in (*(blocks[number] for number in self._passes.left), *units):
            release(block)


def needed_bytes(stream: Stream, setup: StepSetup, batch_size: float) -> float:
    """Least capacity in bytes in which training survives the caching allocator's fragmentation, to 0.1 %.

    Of a timeline that is too long to be replayed at each batch size it is estimated from one of them.
    """
    if len(stream.kinds) > _EVENTS_OF_EACH_BATCH and batch_size != _BATCH_OF_WASTE:
        share = needed_bytes(stream, setup, _BATCH_OF_WASTE) / live_peak(stream, setup, _BATCH_OF_WASTE).total
        return share * live_peak(stream, setup, batch_size).total
    question = ("needed", tuple(setup), batch_size)
    return remembered(stream.fingerprint, question, lambda: _needed_bytes(stream, setup, batch_size))


def _needed_bytes(stream: Stream, setup: StepSetup, batch_size: float) -> float:
    replay = _Replay(stream, setup, batch_size)
    low = live_peak(stream, setup, batch_size).total
    enough = low * (1 + _TOLERANCE)
    tight = replay.outcome(enough)
    if tight.survived:
        return enough if math.isfinite(tight.below_bytes) else float(tight.reserved_bytes)
    high = float(replay.outcome(math.inf).reserved_bytes)
    while high - low > _TOLERANCE * low:
        middle = (low + high) / 2
        if replay.outcome(middle).survived:
            high = middle
        else:
            low = middle
    return high


def reserved_bytes(stream: Stream, setup: StepSetup, batch_size: float, capacity_bytes: float) -> float:
    """Peak of the allocator's segments on a card that gives it `capacity_bytes`; what is needed where that is more."""
    found = _Replay(stream, setup, batch_size).outcome(capacity_bytes)
    return found.reserved_bytes if found.survived else needed_bytes(stream, setup, batch_size)


def survives(stream: Stream, setup: StepSetup, batch_size: float, capacity_bytes: float) -> bool:
    """Whether training survives fragmentation in a capacity, to the 0.1 % that `needed_bytes` is told to.

    One replay, where the need itself takes about ten.
    """
    if len(stream.kinds) > _EVENTS_OF_EACH_BATCH:
        return needed_bytes(stream, setup, batch_size) <= capacity_bytes
    capacity = capacity_bytes / (1 + _TOLERANCE)
    question = ("survives", tuple(setup), batch_size, capacity)
    answer = remembered(
        stream.fingerprint, question, lambda: float(_Replay(stream, setup, batch_size).outcome(capacity).survived)
    )
    return bool(answer)
