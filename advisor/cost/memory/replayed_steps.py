"""A training run as the allocator sees it: what its steps ask for and give back, and a run that can stop and go on."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

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
    events: list[int]
    """The size of an allocation; -1 - 2 n: the n-th of them is freed; -2 - 2 n: it is added to a gradient."""
    left: list[int]
    """Allocations that are alive after forward and backward, by number."""


@lru_cache(maxsize=1)
def _passes_of(stream: Stream, batch_size: float) -> _Passes:
    """The last answer alone is kept, as it may be long: what changes the optimizer alone asks for it again."""
    start, counts = stream.resident_count, stream.count.tolist()
    sizes = [int(size) for size in (stream.sizes(batch_size) / stream.count).tolist()]
    events: list[int] = []
    alive: dict[int, range] = {}
    count = 0
    passes = zip(stream.kind_list[start:], stream.storage_list[start:], sizes[start:], counts[start:], strict=True)
    for kind, storage, size, times in passes:
        if kind == ALLOCATE and size:
            made = in_segments(size, times) if stream.storage_events > EVENTS_OF_EACH_BATCH else [size] * times
            alive[storage] = range(count, count + len(made))
            events += made
            count += len(made)
        elif kind in (FREE, GRADIENT) and storage in alive:
            events += [(-1 if kind == FREE else -2) - 2 * number for number in alive.pop(storage)]
    resident = [size for kind, size in zip(stream.kind_list, sizes[:start], strict=False) if kind == ALLOCATE and size]
    return _Passes(resident, events, [number for numbers in alive.values() for number in numbers])


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
    made = shift + sum(event > 0 for event in passes.events)
    gradients = [~_played(event, shift) for event in passes.events if event < 0 and not event & 1]
    of_passes = [_played(event, shift) for event in passes.events if event > 0 or event & 1 or not keeps]
    units = range(len(before), shift)
    first_temporary = made + len(states)
    events = [
        *before,
        *gathered,
        *of_passes,
        *(~(shift + number) for number in passes.left),
        *(~number for number in units),
        *states,
        *temporaries,
        *(~(first_temporary + number) for number in range(len(temporaries))),
    ]
    return _Step(events, gradients if keeps else [])


def _played(event: int, shift: int) -> int:
    """An event of the passes where `shift` allocations come before theirs."""
    return event if event > 0 else ~(shift + (~event >> 1))


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
