"""A replay of torch's CUDA caching allocator: which blocks and segments a stream of allocations ends up holding.

Rules and sizes are those of `c10/cuda/CUDACachingAllocator.cpp` without expandable segments: sizes are rounded up to
512 bytes; up to 1 MiB come from segments of 2 MiB, below 10 MiB from segments of 20 MiB, larger ones from a segment
of their own rounded up to 2 MiB; the smallest free block that is large enough is taken and split; neighbours are
merged when freed; when the capacity would be passed, every wholly free segment is given back first.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from heapq import heappop, heappush
from operator import length_hint

ROUNDING_BYTES = 512
_SMALL_LIMIT_BYTES = 1 << 20
_SMALL_SEGMENT_BYTES = 2 << 20
MIDDLE_LIMIT_BYTES = 10 << 20
_MIDDLE_SEGMENT_BYTES = 20 << 20
SEGMENT_ROUNDING_BYTES = 2 << 20
_NONE = -1


def in_segments(size: int, times: int) -> list[int]:
    """So many allocations of a size, made and freed one after the other, as whole segments full of them.

    What is left of such a segment counts as taken, though something else might find room there.
    """
    if size >= MIDDLE_LIMIT_BYTES:
        return [size] * times
    segment = _SMALL_SEGMENT_BYTES if size <= _SMALL_LIMIT_BYTES else _MIDDLE_SEGMENT_BYTES
    whole, rest = divmod(times, segment // size)
    return [segment] * whole + ([rest * size] if rest else [])


class _Pool:
    """Free blocks by size, then by age.

    A few sizes hold most of the blocks of a long timeline, so that each size has a heap of its blocks' numbers. A
    block that left otherwise than by `CachingAllocator.play` stays in its heap until it is met there. Who gives one
    back puts it there: a call for each would cost as much as what it does.
    """

    __slots__ = ("blocks", "sizes")

    def __init__(self) -> None:
        self.sizes: list[int] = []
        """In order, each with a heap in `blocks`, which may be empty."""
        self.blocks: dict[int, list[int]] = {}

    def copy(self) -> _Pool:
        other = _Pool()
        other.sizes = self.sizes.copy()
        other.blocks = {size: heap.copy() for size, heap in self.blocks.items()}
        return other


class CachingAllocator:
    """Blocks are numbers; sizes must be multiples of ROUNDING_BYTES and positive."""

    def __init__(self, capacity_bytes: float = float("inf")) -> None:
        """Start empty, with `capacity_bytes` for segments."""
        self.capacity_bytes = capacity_bytes
        self.stops_before_giving_back = False
        """Let nothing happen where the capacity would be passed, so that whoever then goes on with a larger one goes on
        as if that had been there from the start."""
        self.reserved_bytes = 0
        self.peak_reserved_bytes = 0
        self.segment_count = 0
        """Segments asked of the driver so far, those given back included."""
        self.refused_bytes = float("inf")
        """The least sum of segments that passed the capacity, whether or not giving some back made room."""
        self._size: list[int] = []
        self._free_size: list[int] = []
        """A block's size while it is free, 0 while it is in use, merged or given back."""
        self._previous: list[int] = []
        self._next: list[int] = []
        self._small: list[bool] = []
        self._free_small = _Pool()
        self._free_large = _Pool()
        self._whole: set[int] = set()
        """Blocks that were a wholly free segment when they were released; some are in use again."""

    def play(self, events: Sequence[int], blocks: list[int], start: int = 0) -> int | None:  # noqa: C901, PLR0912 - calls would cost as much as what they do
        """Go through events from `start` on: a size is allocated, its block added to `blocks`; ~n gives the n-th back.

        The event at which the capacity does not suffice, which then has not happened; None after the last.
        """
        sizes, free_size, previous, next_ = self._size, self._free_size, self._previous, self._next
        small, whole, add_block = self._small, self._whole, blocks.append
        free_small, free_large = self._free_small, self._free_large
        small_heaps, large_heaps = free_small.blocks, free_large.blocks
        cut = self._cut
        ahead = iter(events if start == 0 else events[start:])
        for event in ahead:
            if event >= 0:
                heap = (small_heaps if event <= _SMALL_LIMIT_BYTES else large_heaps).get(event)
                while heap:  # most blocks are asked for in a size in which one was given back
                    block = heappop(heap)
                    if free_size[block] == event:
                        free_size[block] = 0
                        break
                else:
                    block = cut(event)
                    if block == _NONE:
                        return len(events) - length_hint(ahead) - 1
                add_block(block)
                continue
            block = blocks[~event]  # it joins free neighbours of its segment
            size, before, after = sizes[block], previous[block], next_[block]
            if after != _NONE and free_size[after]:
                size += free_size[after]
                free_size[after] = 0
                after = next_[block] = next_[after]
                if after != _NONE:
                    previous[after] = block
            if before != _NONE and free_size[before]:
                size += free_size[before]
                next_[before] = after
                if after != _NONE:
                    previous[after] = before
                block = before
                before = previous[block]
            sizes[block] = free_size[block] = size
            if before == _NONE == after:
                whole.add(block)
            heaps = small_heaps if small[block] else large_heaps
            heap = heaps.get(size)
            if heap is None:
                heaps[size] = [block]
                insort(free_small.sizes if small[block] else free_large.sizes, size)
            else:
                heappush(heap, block)
        return None

    def release(self, block: int) -> None:
        """Give a block back; it joins free neighbours of its segment."""
        self.play((~0,), [block])

    def copy(self, capacity_bytes: float) -> CachingAllocator:
        """One that goes on from here by itself, with another capacity, which nothing has passed yet."""
        other = CachingAllocator(capacity_bytes)
        other.reserved_bytes, other.peak_reserved_bytes = self.reserved_bytes, self.peak_reserved_bytes
        other.segment_count = self.segment_count
        other._size, other._free_size = self._size.copy(), self._free_size.copy()
        other._previous, other._next = self._previous.copy(), self._next.copy()
        other._small, other._whole = self._small.copy(), self._whole.copy()
        other._free_small, other._free_large = self._free_small.copy(), self._free_large.copy()
        return other

    def _cut(self, size: int) -> int:
        """The oldest of the smallest free blocks of at least `size` bytes, or a new segment, split; _NONE without."""
        small = size <= _SMALL_LIMIT_BYTES
        pool, free_size, whole_size = self._free_small if small else self._free_large, self._free_size, self._size
        sizes, heaps = pool.sizes, pool.blocks
        place, block = bisect_left(sizes, size), _NONE
        while place < len(sizes):
            held = sizes[place]
            heap = heaps[held]
            while heap:
                block = heappop(heap)
                if free_size[block] == held:
                    break
                block = _NONE
            if block != _NONE:
                free_size[block] = 0
                break
            del sizes[place], heaps[held]
        else:
            block = self._new_segment(size, small=small)
            if block == _NONE:
                return _NONE
        rest = whole_size[block] - size
        if rest >= ROUNDING_BYTES if small else rest > _SMALL_LIMIT_BYTES:
            previous, next_, remainder = self._previous, self._next, len(free_size)
            after = next_[block]
            whole_size[block] = size
            whole_size.append(rest)
            free_size.append(rest)
            previous.append(block)
            next_.append(after)
            self._small.append(small)
            if after != _NONE:
                previous[after] = remainder
            next_[block] = remainder
            alike = heaps.get(rest)
            if alike is None:
                heaps[rest] = [remainder]
                insort(sizes, rest)
            else:
                heappush(alike, remainder)
        return block

    def _append(self, size: int, previous: int, next_: int, *, small: bool) -> int:
        self._size.append(size)
        self._previous.append(previous)
        self._next.append(next_)
        self._free_size.append(0)
        self._small.append(small)
        return len(self._size) - 1

    def _new_segment(self, size: int, *, small: bool) -> int:
        if small:
            segment = _SMALL_SEGMENT_BYTES
        elif size < MIDDLE_LIMIT_BYTES:
            segment = _MIDDLE_SEGMENT_BYTES
        else:
            segment = -(-size // SEGMENT_ROUNDING_BYTES) * SEGMENT_ROUNDING_BYTES
        if self._refuses(segment):
            if self.stops_before_giving_back:
                return _NONE
            self._give_back_free_segments()
            if self._refuses(segment):
                return _NONE
        self.segment_count += 1
        self.reserved_bytes += segment
        self.peak_reserved_bytes = max(self.peak_reserved_bytes, self.reserved_bytes)
        return self._append(segment, _NONE, _NONE, small=small)

    def _refuses(self, segment: int) -> bool:
        asked = self.reserved_bytes + segment
        if asked <= self.capacity_bytes:
            return False
        if not self.stops_before_giving_back:
            self.refused_bytes = min(self.refused_bytes, asked)
        return True

    def _give_back_free_segments(self) -> None:
        for block in self._whole:
            if self._previous[block] == _NONE == self._next[block]:
                self.reserved_bytes -= self._free_size[block]
                self._free_size[block] = 0
        self._whole.clear()
