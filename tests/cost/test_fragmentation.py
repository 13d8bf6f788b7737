"""Fast replays against plain ones: the same blocks, the same peaks, the same need, bit for bit."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.cost.memory.caching_allocator import CachingAllocator
from advisor.cost.memory.fragmentation import _outcomes_of, _Replay, needed_bytes, reserved_bytes, survives
from advisor.cost.memory.replay import StepSetup, Stream, live_peak, stream_of
from advisor.cost.memory.replayed_steps import steps_of
from advisor.optable.op_table import ALLOCATE, CONVOLUTION, FREE, GRADIENT, MemoryTimeline
from advisor.optable.saved_tables import known_tables
from advisor.workload.workload_file import load_workload
from tests.cost.plain_replay import Block, CapacityExceededError, PlainAllocator, allocated, plain_need, plain_peak

MIB = 2**20
SIZES = st.one_of(st.just(0), st.integers(1, 3 * MIB), st.integers(3 * MIB, 40 * MIB), st.sampled_from([512, 12 * MIB]))


@st.composite
def timelines(draw: st.DrawFn) -> MemoryTimeline:
    """Any order of allocations, frees and gradients, of the batch's size or not; some storages are never freed."""
    count = draw(st.integers(1, 25))
    size0 = [float(draw(SIZES)) for _ in range(count)]
    size1 = [float(draw(st.sampled_from([0, 0, 700, MIB]))) for _ in range(count)]
    events = [(ALLOCATE, storage) for storage in range(count)]
    resident = draw(st.integers(0, min(3, count)))
    alive: list[int] = []
    later: list[tuple[int, int]] = []
    for event in events[resident:]:
        later.append(event)
        alive.append(event[1])
        for _ in range(draw(st.integers(0, 2))):
            if alive:
                storage = alive.pop(draw(st.integers(0, len(alive) - 1)))
                later.append((draw(st.sampled_from([FREE, FREE, GRADIENT, CONVOLUTION])), storage))
    every = events[:resident] + later
    return MemoryTimeline(
        kind=tuple(kind for kind, _ in every),
        storage=tuple(storage for _, storage in every),
        size0_bytes=tuple(size0[storage] for _, storage in every),
        size1_bytes=tuple(size1[storage] for _, storage in every),
        resident_event_count=resident,
        backward_start=len(every),
    )


LISTS = st.lists(st.integers(1, 30 * MIB).map(float), max_size=4).map(tuple)
SETUPS = st.builds(
    StepSetup,
    states=LISTS,
    temporaries=LISTS,
    persistent=LISTS,
    gathered=LISTS,
    gradients_kept=st.booleans(),
    gradients_freed=st.booleans(),
    update_share=st.sampled_from([0.0, 0.5]),
)


@settings(max_examples=150, deadline=None)
@given(timelines(), SETUPS, st.sampled_from([1, 3, 8]), st.floats(0.5, 2.0))
def test_replays_of_any_timeline_come_to_what_plain_ones_do(
    timeline: MemoryTimeline, setup: StepSetup, batch_size: int, share: float
) -> None:
    stream = stream_of(timeline)
    low = live_peak(stream, setup, batch_size).total
    need = plain_need(stream, setup, batch_size, low, 0.001)
    assert needed_bytes(stream, setup, batch_size) == need
    capacity = share * low
    peak = plain_peak(stream, setup, batch_size, capacity)
    assert reserved_bytes(stream, setup, batch_size, capacity) == (need if peak is None else peak)
    held = plain_peak(stream, setup, batch_size, capacity / 1.001) is not None
    assert survives(stream, setup, batch_size, capacity) is held


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(SIZES.filter(bool), st.integers(0, 40)), max_size=60),
    st.one_of(st.just(float("inf")), st.integers(20, 300).map(lambda number: number * MIB)),
)
def test_the_allocator_hands_out_the_blocks_of_a_plain_one(steps: list[tuple[int, int]], capacity: float) -> None:
    fast, plain = CachingAllocator(capacity), PlainAllocator(capacity)
    pairs: dict[int, Block] = {}
    for size, victim in steps:
        size = -(-size // 512) * 512  # noqa: PLW2901 - as the allocator hands them out
        try:
            wanted = plain.allocate(size)
        except CapacityExceededError:
            with pytest.raises(CapacityExceededError):
                allocated(fast, size)
            continue
        block = allocated(fast, size)
        assert block not in pairs
        assert block == wanted.number - 1
        pairs[block] = wanted
        if victim < len(pairs):
            freed = list(pairs)[victim]
            fast.release(freed)
            plain.release(pairs.pop(freed))
        assert (fast.reserved_bytes, fast.peak_reserved_bytes) == (plain.reserved, plain.peak)
        assert fast.segment_count == plain.asked


@contextmanager
def counted_events() -> Iterator[list[int]]:
    """How many events each call of the allocator goes through."""
    counts: list[int] = []
    original = CachingAllocator.play

    def play(self: CachingAllocator, events: Sequence[int], blocks: list[int], start: int = 0) -> int | None:
        stopped = original(self, events, blocks, start)
        counts.append((len(events) if stopped is None else stopped) - start)
        return stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CachingAllocator, "play", play)
        yield counts


def test_capacities_go_together_up_to_where_the_least_of_them_is_passed() -> None:
    table = next(iter(known_tables(load_workload("llama_8b_qlora"), ("amp",)).values()))
    assert table.memory is not None
    stream, setup = stream_of(table.memory), StepSetup(states=(5e8, 5e8), temporaries=(2e8,))
    low = live_peak(stream, setup, 8).total
    capacities = [low * share for share in (1.001, float("inf"), 1.05)]
    with counted_events() as together:
        replay = _Replay(stream, setup, 8)
        outcomes = [replay.outcome(capacity) for capacity in capacities]
    with counted_events() as alone:
        assert [_forgetful(stream, setup).outcome(capacity) for capacity in capacities] == outcomes
    assert sum(together) < 0.9 * sum(alone)


def _forgetful(stream: Stream, setup: StepSetup) -> _Replay:
    _outcomes_of.cache_clear()
    return _Replay(stream, setup, 8)


def test_what_a_replay_came_to_is_known_to_later_questions_of_the_same_run_alone() -> None:
    table = next(iter(known_tables(load_workload("llama_8b_qlora"), ("amp",)).values()))
    assert table.memory is not None
    stream, setup = stream_of(table.memory), StepSetup(states=(5e8, 5e8), temporaries=(2e8,))
    found = _forgetful(stream, setup).outcome(float("inf"))
    assert found.survived
    with counted_events() as repeated:
        assert _Replay(stream, setup, 8).outcome(found.reserved_bytes) == found
    assert repeated == []
    for other in (setup._replace(states=()), 8), (setup, 7):
        with counted_events() as replayed:
            _Replay(stream, *other).outcome(found.reserved_bytes)
        assert sum(replayed) > 0


def test_steps_are_the_same_in_whatever_order_batch_sizes_are_asked_for() -> None:
    timeline = MemoryTimeline(
        kind=(ALLOCATE, ALLOCATE, ALLOCATE, FREE, GRADIENT),
        storage=(0, 1, 2, 1, 2),
        size0_bytes=(1024.0, -1024.0, 512.0, -1024.0, 512.0),
        size1_bytes=(0.0, 512.0, 0.0, 512.0, 0.0),
        resident_event_count=1,
        backward_start=2,
    )
    setup = StepSetup()
    early = [steps_of(Stream(timeline), setup, batch_size) for batch_size in (2, 4)]
    stream = Stream(timeline)
    assert [steps_of(stream, setup, batch_size) for batch_size in (4, 2)] == early[::-1]
    assert early[0].first.events == [1024, 512]
    assert early[1].first.events == [1024, 1024, 512, ~1]
    assert (early[0].later.kept, early[1].later.kept) == ([0], [1])
