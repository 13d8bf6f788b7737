"""A training run as the allocator sees it: what its steps ask for and give back, and a run that can stop and go on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from advisor.cost.memory.caching_allocator import CachingAllocator, in_segments
from advisor.cost.memory.replay import StepSetup, Stream, rounded_sizes
from advisor.optable.op_table import ALLOCATE, FREE, GRADIENT

_STEP_LIMIT = 6
"""Steps that are replayed at most: gradients, states and what was cached move on for a few steps, and fragmentation
grows by up to 3.4 % of the need between the second step and the sixth; twelve need at most 0.2 % more than six."""

EVENTS_OF_EACH_BATCH = 200_000
"""A timeline of more events (a loop over the tokens) is replayed at one batch size alone, and what stands for several
storages alike by whole segments full of them."""


class _Passes(NamedTuple):
    """What forward and backward allocate and free, so that a replay looks nothing up in the timeline."""

    resident: list[int]
    """Sizes of what is there before the first step."""
    events: NDArray[np.int64]
    """The size of an allocation; -1 - 2 n: the n-th of them is freed; -2 - 2 n: it is added to a gradient."""
    left: list[int]
    """Allocations that are alive after forward and backward, by number."""


class _Order(NamedTuple):
    """What is asked for and given back in which order, whatever the sizes."""

    events: NDArray[np.int64]
    """As of `_Passes`, without sizes."""
    asking: NDArray[np.int64]
    """Places of the allocations among them."""
    origin: NDArray[np.int64]
    """The timeline's event that each allocation is of."""
    left: list[int]


@lru_cache(maxsize=1)
def _passes_of(stream: Stream, batch_size: float) -> _Passes:
    """The last answer alone is kept, as it may be long: what changes the optimizer alone asks for it again."""
    sizes = (stream.sizes(batch_size) / stream.count).astype(np.int64)
    asks = (stream.kinds == ALLOCATE) & (sizes > 0)
    resident = sizes[: stream.resident_count][asks[: stream.resident_count]].tolist()
    if stream.storage_events > EVENTS_OF_EACH_BATCH:
        told = zip(asks.tolist(), sizes.tolist(), stream.count.tolist(), strict=True)
        made = [in_segments(size, times) if asked else [] for asked, size, times in told]
        order = _order(stream, asks, [len(one) for one in made])
        given = np.array([size for one in made[stream.resident_count :] for size in one], dtype=np.int64)
    else:
        order = _order_of(stream, asks.tobytes())
        given = sizes[order.origin]
    events = order.events.copy()
    events[order.asking] = given
    return _Passes(resident, events, order.left)


@lru_cache(maxsize=64)
def _order_of(stream: Stream, asks: bytes) -> _Order:
    """The same for all sizes of these events, which differ with the batch and the shares."""
    return _order(stream, np.frombuffer(asks, dtype=np.bool_), stream.count.tolist())


def _order(stream: Stream, asks: NDArray[np.bool_], counts: Sequence[int]) -> _Order:
    """The order of the passes where these events allocate, each as often as `counts` has it."""
    events: list[int] = []
    asking: list[int] = []
    origin: list[int] = []
    alive: dict[int, range] = {}
    start, asked = stream.resident_count, asks.tolist()
    for event in range(start, len(asked)):
        kind, storage = stream.kind_list[event], stream.storage_list[event]
        if kind == ALLOCATE and asked[event]:
            times = counts[event]
            alive[storage] = range(len(asking), len(asking) + times)
            asking += range(len(events), len(events) + times)
            events += [0] * times
            origin += [event] * times
        elif kind in (FREE, GRADIENT) and storage in alive:
            events += [(-1 if kind == FREE else -2) - 2 * number for number in alive.pop(storage)]
    left = [number for numbers in alive.values() for number in numbers]
    return _Order(np.array(events, np.int64), np.array(asking, np.int64), np.array(origin, np.int64), left)


class _Step(NamedTuple):
    """One step as `CachingAllocator.play` takes it."""

    events: list[int]
    kept: list[int]
    """Allocations that are gradients until the next step frees them, by number."""


class Steps(NamedTuple):
    """All that a run asks the allocator for."""

    first: _Step
    """With what is there before it, and the optimizer's states."""
    later: _Step
    """Each step after it."""


def steps_of(stream: Stream, setup: StepSetup, batch_size: float) -> Steps:
    """The steps of a timeline at a batch size."""
    passes = _passes_of(stream, batch_size)
    before = [*passes.resident, *rounded_sizes(setup.persistent)]
    first = _step(passes, setup, before, rounded_sizes(setup.states), keeps=not setup.gradients_freed)
    # Gradients that live on are those of the first step: later ones are added to them.
    keeps = not (setup.gradients_freed or setup.gradients_kept)
    later = _step(passes, setup, [], (), keeps=keeps)
    return Steps(first._replace(kept=[] if setup.gradients_kept else first.kept), later)


def _step(passes: _Passes, setup: StepSetup, before: list[int], states: tuple[int, ...], *, keeps: bool) -> _Step:
    gathered, temporaries = rounded_sizes(setup.gathered), rounded_sizes(setup.temporaries)
    shift = len(before) + len(gathered)
    given_back = passes.events < 0
    gradients = given_back & (passes.events & 1 == 0)
    numbers = shift + (~passes.events >> 1)
    played = np.where(given_back, ~numbers, passes.events)
    made = shift + int(np.count_nonzero(~given_back))
    units = range(len(before), shift)
    first_temporary = made + len(states)
    events = [
        *before,
        *gathered,
        *(played[~gradients] if keeps else played).tolist(),
        *(~(shift + number) for number in passes.left),
        *(~number for number in units),
        *states,
        *temporaries,
        *(~(first_temporary + number) for number in range(len(temporaries))),
    ]
    return _Step(events, numbers[gradients].tolist() if keeps else [])


class Run:
    """Steps through an allocator until one asks the driver for nothing new, as all that follow it then would."""

    def __init__(self, steps: Steps, capacity_bytes: float = float("inf")) -> None:
        """Before the first step."""
        self.allocator = CachingAllocator(capacity_bytes)
        self.finished = False
        self._steps = steps
        self._number = self._place = 0
        """The step, and how many of its events have happened."""
        self._blocks: list[int] = []
        """What this step has allocated."""
        self._segments_before = 0

    def copy(self, capacity_bytes: float) -> Run:
        """One that goes on from here by itself, with another capacity."""
        other = Run(self._steps)
        other.allocator = self.allocator.copy(capacity_bytes)
        other.finished, other._number, other._place = self.finished, self._number, self._place
        other._blocks, other._segments_before = self._blocks.copy(), self._segments_before
        return other

    def go_on(self) -> bool:
        """Run to the end, or to where the capacity does not suffice: whether it is the end."""
        while not self.finished:
            step = self._steps.later if self._number else self._steps.first
            stopped = self.allocator.play(step.events, self._blocks, self._place)
            if stopped is not None:
                self._place = stopped
                return False
            self._end_step(step)
        return True

    def _end_step(self, step: _Step) -> None:
        asked = self.allocator.segment_count
        self.finished = self._number + 1 == _STEP_LIMIT or (self._number > 0 and asked == self._segments_before)
        self.allocator.play([~number for number in step.kept], self._blocks)
        self._number, self._place, self._blocks, self._segments_before = self._number + 1, 0, [], asked
