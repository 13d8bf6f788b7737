"""The least capacity in which a step survives the caching allocator's fragmentation, by replays of its timeline."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import NamedTuple

from advisor.cost.memory.remembered import remembered
from advisor.cost.memory.replay import StepSetup, Stream, live_peak
from advisor.cost.memory.replayed_steps import EVENTS_OF_EACH_BATCH, Run, steps_of

_TOLERANCE = 0.001
"""Relative precision to which the needed capacity is found."""
_MOST_BRANCHES = 4
_BRANCHES_APART = 0.002
"""Of the capacity between the first two, then twice as far each time: later capacities lie between what is alive and
what a boundless card would take, most often near the first."""
_BATCH_OF_WASTE = 8
"""A timeline of many events is replayed at this batch size alone: the allocator's waste, which follows from the order
of the events, is taken for the same share of what is alive at every other."""


class _Outcome(NamedTuple):
    """What a replay came to, and for which capacities: nothing else is ever compared with the capacity."""

    survived: bool
    reserved_bytes: float
    """Peak of the segments, up to the end or to where the capacity did not suffice: the least capacity of all these."""
    below_bytes: float
    """The least sum of segments that was refused at first: from there on a replay goes another way."""


@lru_cache(maxsize=4096)
def _outcomes_of(timeline: bytes, setup: StepSetup, batch_size: float) -> list[_Outcome]:
    """What replays of one run have come to, to which each adds; `timeline`: a stream's fingerprint."""
    del timeline, setup, batch_size
    return []


class _Replay:
    """Answers for several capacities, which all go the same way up to where the least of them is passed."""

    def __init__(self, stream: Stream, setup: StepSetup, batch_size: float) -> None:
        self._question = (stream, setup, batch_size)
        self._outcomes = _outcomes_of(stream.fingerprint, setup, batch_size)
        """Also those of questions before: the need, whether one card's memory is enough, and whether another's is."""
        self._passed_bytes = 0.0
        """The capacity at which the trunk stands."""

    @cached_property
    def _runs(self) -> tuple[Run, list[Run]]:
        """One that goes on as far as the largest capacity that was asked for, where it has given nothing back.

        Beside it copies of it at the places where it stopped, the earliest first.
        """
        trunk = Run(steps_of(*self._question))
        return trunk, [trunk.copy(math.inf)]

    def outcome(self, capacity_bytes: float) -> _Outcome:
        """What comes of a capacity; nothing is replayed that would go the way of an earlier one."""
        for known in self._outcomes:
            if known.reserved_bytes <= capacity_bytes < known.below_bytes:
                return known
        run = self._at(capacity_bytes)
        survived = run.finished or run.go_on()
        found = _Outcome(survived, run.allocator.peak_reserved_bytes, run.allocator.refused_bytes)
        self._outcomes.append(found)
        return found

    def _at(self, capacity_bytes: float) -> Run:
        """A run that goes on with this capacity from as late as the trunk has been without passing it."""
        trunk, branches = self._runs
        while not trunk.finished and self._passed_bytes < capacity_bytes:
            stop = capacity_bytes
            if self._passed_bytes and len(branches) < _MOST_BRANCHES:
                stop = min(stop, self._passed_bytes * (1 + _BRANCHES_APART * 2 ** len(branches)))
            trunk.allocator.capacity_bytes = self._passed_bytes = stop
            trunk.allocator.stops_before_giving_back = True
            if not trunk.go_on():
                branches.append(trunk.copy(math.inf))
        if trunk.finished and trunk.allocator.peak_reserved_bytes <= capacity_bytes:
            return trunk
        fitting = (one for one in reversed(branches) if one.allocator.peak_reserved_bytes <= capacity_bytes)
        return next(fitting).copy(capacity_bytes)


def needed_bytes(stream: Stream, setup: StepSetup, batch_size: float) -> float:
    """Least capacity in bytes in which training survives the caching allocator's fragmentation, to 0.1 %.

    Of a timeline that is too long to be replayed at each batch size it is estimated from one of them.
    """
    if stream.storage_events > EVENTS_OF_EACH_BATCH and batch_size != _BATCH_OF_WASTE:
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
    if stream.storage_events > EVENTS_OF_EACH_BATCH:
        return needed_bytes(stream, setup, batch_size) <= capacity_bytes
    capacity = capacity_bytes / (1 + _TOLERANCE)
    question = ("survives", tuple(setup), batch_size, capacity)
    answer = remembered(
        stream.fingerprint, question, lambda: float(_Replay(stream, setup, batch_size).outcome(capacity).survived)
    )
    return bool(answer)
