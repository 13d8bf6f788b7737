"""The memory of passes at two batch sizes as one timeline that is affine in the batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from advisor.core.by_key import grouped
from advisor.core.sentences import Reason
from advisor.optable.op_table import ALLOCATE, CONVOLUTION, FREE, MemoryTimeline, through
from advisor.worker.trace.affine import by_chance
from advisor.worker.trace.step_pass import Pass
from advisor.worker.trace.storages import StorageTracker

_TOLERATED_PEAK_FRACTION = 0.02
"""Error of a peak that a timeline may have where the passes do not allocate alike."""
_Group = tuple[object, ...]


def memory_timeline(  # noqa: PLR0913 - two passes, and what tells how they go together
    first: Pass,
    second: Pass,
    low_sizes: Sequence[float],
    batches: tuple[int, int],
    further: Callable[[], tuple[int, Pass]] | None,
    *,
    by_values: bool = False,
) -> MemoryTimeline | Reason:
    """Sizes as c0 + c1 * batch; the order is the second pass's (frees may move by a hair between passes).

    Where a loop goes through the samples, the larger batch allocates more often: what one operator of one module makes
    then grows or shrinks as the most bytes do that are held of it at once, and if need be so does each size of it.
    `low_sizes`: as of `allocated_alike`; `by_values`: sizes are those that samples happened to have.
    Gives a caveat where the peak of the smaller batch, or of a `further` one with its pass, comes out of neither; that
    pass is asked for only where the two do not allocate alike.
    """
    if low_sizes:
        return _timeline(second, low_sizes, batches, by_values=by_values)
    checks = ((batches[0], first), *(() if further is None else (further(),)))
    for by_size in (False, True):
        made = _timeline(second, _by_maker(first, second, by_size=by_size), batches, by_values=by_values)
        if all(_peak_error(made, *check) <= _TOLERATED_PEAK_FRACTION for check in checks):
            return made
    counts = [sum(1 for _ in _made(traced.recorder.tracker)) for traced in (first, second)]
    return Reason.of("trace-memory-streams-differ", first=counts[0], second=counts[1])


def _timeline(second: Pass, low: Sequence[float], batches: tuple[int, int], *, by_values: bool) -> MemoryTimeline:
    """From the smaller batch's size of each event of the second pass."""
    tracker = second.recorder.tracker
    line = by_chance if by_values else through
    order = _settled(tracker, second.backward_start)
    storages = [tracker.storages[event] for event in order]
    sizes = [line(batches, low[event], tracker.sizes[event]) for event in order]
    return MemoryTimeline(
        kind=tuple(tracker.kinds),
        storage=tuple(storages),
        size0_bytes=tuple(size[0] for size in sizes),
        size1_bytes=tuple(size[1] for size in sizes),
        resident_event_count=second.resident_count,
        backward_start=second.backward_start,
        count=tuple(tracker.counts.get(storage, 1) for storage in storages) if tracker.counts else (),
    )


def _settled(tracker: StorageTracker, backward_start: int) -> list[int]:
    """The events, those that free in one go by number: weights that autocast had cast go by their addresses."""
    order: list[int] = []
    events = range(len(tracker.kinds))
    for (frees, _), members in groupby(events, lambda event: (tracker.kinds[event] == FREE, event < backward_start)):
        together = list(members)
        order += sorted(together, key=tracker.storages.__getitem__) if frees else together
    return order


def _peak_error(memory: MemoryTimeline, batch_size: int, traced: Pass) -> float:
    """Share by which the timeline's peak is off that of a pass."""
    tracker = traced.recorder.tracker
    counts = memory.count or [1] * len(memory.kind)
    sizes = [
        count * (fixed_bytes + batch_size * sample_bytes)
        for fixed_bytes, sample_bytes, count in zip(memory.size0_bytes, memory.size1_bytes, counts, strict=True)
    ]
    true = _peak(tracker, [tracker.whole_size(event) for event in range(len(tracker.sizes))])
    return abs(_peak(memory, sizes) - true) / true


def _made(tracker: StorageTracker) -> Iterator[int]:
    """Events that something begins with: its size stands there."""
    return (event for event, kind in enumerate(tracker.kinds) if kind in {ALLOCATE, CONVOLUTION})


def allocated_alike(first: StorageTracker, second: StorageTracker) -> list[float]:
    """The size at the smaller batch of each event of the second; empty where the passes do not allocate alike."""
    low_events, high_events = (
        [event for event, kind in enumerate(tracker.kinds) if kind != FREE] for tracker in (first, second)
    )
    alike = [(first.kinds[event], first.storages[event]) for event in low_events]
    if alike != [(second.kinds[event], second.storages[event]) for event in high_events]:
        return []
    return _of_storages(second, dict(zip(high_events, (first.sizes[event] for event in low_events), strict=True)))


def _by_maker(first: Pass, second: Pass, *, by_size: bool) -> list[float]:
    """The same by what made each storage: in order where that made as many, else by the most that is held of it.

    `by_size`: of what did not make as many, each size for itself that it made in both passes.
    """
    earlier, later = _makers(first), _makers(second)
    if by_size:
        earlier, later = _divided(first, earlier, second, later), _divided(second, later, first, earlier)
    held = _most_held(first, earlier), _most_held(second, later)
    low_groups, high_groups = (grouped(makers, makers.__getitem__) for makers in (earlier, later))
    low: dict[int, float] = {}
    for group, events in high_groups.items():
        others = low_groups.get(group, [])
        if len(others) == len(events):
            low |= zip(events, (first.recorder.tracker.sizes[other] for other in others), strict=True)
        else:
            share = held[0].get(group, 0) / held[1][group]
            low |= {event: share * second.recorder.tracker.sizes[event] for event in events}
    return _of_storages(second.recorder.tracker, low)


def _makers(traced: Pass) -> dict[int, _Group]:
    """What made each storage, by its first event: among residents its place, else phase, module and operator."""
    tracker, made = traced.recorder.tracker, traced.recorder.made_by
    return {
        event: ("resident", event)
        if event < traced.resident_count
        else made.get(event, ("unseen", tracker.kinds[event]))
        for event in _made(tracker)
    }


def _divided(
    traced: Pass, makers: dict[int, _Group], other: Pass, other_makers: dict[int, _Group]
) -> dict[int, _Group]:
    """The makers, those that made more or less in the other pass with each size that they made there too."""
    counts = Counter(makers.values()), Counter(other_makers.values())
    sizes, others = traced.recorder.tracker.sizes, other.recorder.tracker.sizes
    there = {(maker, others[event]) for event, maker in other_makers.items()}
    return {
        event: (*maker, sizes[event])
        if counts[0][maker] != counts[1][maker] and (maker, sizes[event]) in there
        else maker
        for event, maker in makers.items()
    }


def _most_held(traced: Pass, makers: dict[int, _Group]) -> dict[_Group, int]:
    """The most bytes that are alive at once of what each group made."""
    tracker, alive, most = traced.recorder.tracker, dict[_Group, int](), dict[_Group, int]()
    of_storage: dict[int, _Group] = {}
    for event, (kind, storage, size) in enumerate(zip(tracker.kinds, tracker.storages, tracker.sizes, strict=True)):
        size *= tracker.counts.get(storage, 1)  # noqa: PLW2901 - of all that it stands for
        if event in makers:
            group = makers[event]
            of_storage[storage] = group
            alive[group] = alive.get(group, 0) + size
            most[group] = max(most.get(group, 0), alive[group])
        if kind in {FREE, CONVOLUTION}:
            alive[of_storage[storage]] -= size
    return most


def _of_storages(tracker: StorageTracker, low: dict[int, float]) -> list[float]:
    """A size for every event: what frees or names a storage has that of its beginning."""
    sizes: list[float] = []
    of_storage: dict[int, float] = {}
    for event, (kind, storage) in enumerate(zip(tracker.kinds, tracker.storages, strict=True)):
        if kind in {ALLOCATE, CONVOLUTION}:
            of_storage[storage] = low[event]
        sizes.append(of_storage[storage])
    return sizes


def _peak(events: StorageTracker | MemoryTimeline, sizes: Sequence[float]) -> float:
    """The most bytes alive at once."""
    kinds = events.kinds if isinstance(events, StorageTracker) else events.kind
    alive = most = 0.0
    for kind, size in zip(kinds, sizes, strict=True):
        alive += size if kind == ALLOCATE else -size if kind == FREE else 0.0
        most = max(most, alive)
    return most
