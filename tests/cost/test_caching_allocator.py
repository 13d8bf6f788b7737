import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.cost.memory.caching_allocator import ROUNDING_BYTES, CachingAllocator
from tests.cost.plain_replay import CapacityExceededError, allocated

MIB = 1 << 20


def test_a_small_block_takes_a_segment_of_two_mebibytes() -> None:
    allocator = CachingAllocator()
    allocated(allocator, 512)
    allocated(allocator, MIB)
    assert allocator.reserved_bytes == 2 * MIB


def test_a_middle_block_takes_a_segment_of_twenty_mebibytes_and_the_rest_serves_others() -> None:
    allocator = CachingAllocator()
    for _ in range(4):
        allocated(allocator, 5 * MIB)
    assert allocator.reserved_bytes == 20 * MIB


def test_a_large_block_has_a_segment_of_its_own_rounded_to_two_mebibytes() -> None:
    allocator = CachingAllocator()
    allocated(allocator, 11 * MIB)
    assert allocator.reserved_bytes == 12 * MIB


def test_a_freed_block_serves_the_next_of_its_size_without_a_new_segment() -> None:
    allocator = CachingAllocator()
    for _ in range(5):
        allocator.release(allocated(allocator, 30 * MIB))
    assert allocator.peak_reserved_bytes == 30 * MIB


def test_the_smallest_free_block_that_is_large_enough_is_taken() -> None:
    allocator = CachingAllocator()
    large, middle = allocated(allocator, 64 * MIB), allocated(allocator, 32 * MIB)
    allocator.release(large)
    allocator.release(middle)
    assert allocated(allocator, 31 * MIB) == middle


def test_freed_neighbours_join_so_that_a_block_of_their_sum_fits() -> None:
    allocator = CachingAllocator()
    parts = [allocated(allocator, 5 * MIB) for _ in range(4)]
    for part in parts:
        allocator.release(part)
    allocated(allocator, 20 * MIB)
    assert allocator.reserved_bytes == 20 * MIB


def test_wholly_free_segments_are_given_back_before_memory_runs_out() -> None:
    allocator = CachingAllocator(capacity_bytes=64 * MIB)
    allocator.release(allocated(allocator, 40 * MIB))
    allocated(allocator, 60 * MIB)
    assert allocator.reserved_bytes == 60 * MIB


def test_a_segment_in_use_is_never_given_back() -> None:
    allocator = CachingAllocator(capacity_bytes=64 * MIB)
    allocated(allocator, 40 * MIB)
    with pytest.raises(CapacityExceededError):
        allocated(allocator, 30 * MIB)


SIZES = st.integers(1, 40 * MIB // ROUNDING_BYTES).map(lambda units: units * ROUNDING_BYTES)


@given(st.lists(st.tuples(SIZES, st.integers(0, 50)), max_size=80))
def test_reserved_memory_always_covers_what_is_alive(steps: list[tuple[int, int]]) -> None:
    allocator = CachingAllocator()
    alive: list[tuple[int, int]] = []
    for size, victim in steps:
        alive.append((allocated(allocator, size), size))
        if victim < len(alive):
            allocator.release(alive.pop(victim)[0])
        assert allocator.reserved_bytes >= sum(size for _, size in alive)
        assert len({block for block, _ in alive}) == len(alive)


@given(st.lists(SIZES, min_size=1, max_size=60))
def test_after_all_is_freed_every_segment_can_be_given_back(sizes: list[int]) -> None:
    allocator = CachingAllocator()
    for block in [allocated(allocator, size) for size in sizes]:
        allocator.release(block)
    whole = max(allocator.reserved_bytes, 10 * MIB)
    allocator.capacity_bytes = whole
    allocated(allocator, whole)
    assert allocator.reserved_bytes == whole


def test_every_segment_asked_of_the_driver_is_counted_and_reuse_asks_for_none() -> None:
    allocator = CachingAllocator()
    for _ in range(3):
        allocator.release(allocated(allocator, 30 * MIB))
    assert allocator.segment_count == 1
    allocated(allocator, 40 * MIB)
    assert allocator.segment_count == 2


def test_before_its_first_block_an_allocator_has_taken_nothing() -> None:
    fresh = CachingAllocator()
    assert (fresh.reserved_bytes, fresh.peak_reserved_bytes, fresh.segment_count) == (0, 0, 0)
