"""A replay of torch's CUDA caching allocator: which blocks and segments a stream of allocations ends up holding.

Rules and sizes are those of `c10/cuda/CUDACachingAllocator.cpp` without expandable segments: sizes are rounded up to
512 bytes; up to 1 MiB come from segments of 2 MiB, below 10 MiB from segments of 20 MiB, larger ones from a segment
of their own rounded up to 2 MiB; the smallest free block that is large enough is taken and split; neighbours are
merged when freed; when the capacity would be passed, every wholly free segment is given back first.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from heapq import heappop, heappush

ROUNDING_BYTES = 512
_SMALL_LIMIT_BYTES = 1 << 20
_SMALL_SEGMENT_BYTES = 2 << 20
_MIDDLE_LIMIT_BYTES = 10 << 20
_MIDDLE_SEGMENT_BYTES = 20 << 20
_SEGMENT_ROUNDING_BYTES = 2 << 20
_NONE = -1


class CapacityExceededError(Exception):
    """An allocation does not fit: the real allocator would raise out of memory here."""


class _Pool:
    """Free blocks by size, then by age.

    A few sizes hold most of the blocks of a long timeline, so that each size has a heap of its blocks' numbers. A
    block that left otherwise than by `CachingAllocator.allocate` stays in its heap until it is met there.
    """

    __slots__ = ("blocks", "sizes")

    def __init__(self) -> None:
        self.sizes: list[int] = []
        """In order, each with a heap in `blocks`, which may be empty."""
        self.blocks: dict[int, list[int]] = {}

    def add(self, size: int, block: int) -> None:
        heap = self.blocks.get(size)
        if heap is None:
            self.blocks[size] = [block]
            insort(self.sizes, size)
        else:
            heappush(heap, block)


class CachingAllocator:
    """Blocks are numbers; sizes passed to `allocate` must be multiples of ROUNDING_BYTES and positive."""

    def __init__(self, capacity_bytes: float = float("inf")) -> None:
        """Start empty, with `capacity_bytes` for segments."""
        self.capacity_bytes = capacity_bytes
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

    def allocate(self, size: int) -> int:
        """A block of at least `size` bytes; raises CapacityExceededError."""
        small = size <= _SMALL_LIMIT_BYTES
        pool = self._free_small if small else self._free_large
        free_size = self._free_size
        heap = pool.blocks.get(size)
        while heap:  # most blocks are asked for in a size in which one was given back
            block = heappop(heap)
            if free_size[block] == size:
                free_size[block] = 0
                return block
        block = self._smallest_free(pool, size)
        if block == _NONE:
            block = self._new_segment(size, small=small)
        rest = self._size[block] - size
        if rest >= ROUNDING_BYTES if small else rest > _SMALL_LIMIT_BYTES:
            self._split(block, size, rest, pool, small=small)
        return block

    def release(self, block: int) -> None:
        """Give a block back; it joins free neighbours of its segment."""
        free_size, previous, next_ = self._free_size, self._previous, self._next
        size, before, after = self._size[block], previous[block], next_[block]
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
        self._size[block] = free_size[block] = size
        if before == _NONE == after:
            self._whole.add(block)
        pool = self._free_small if self._small[block] else self._free_large
        pool.add(size, block)

    def _smallest_free(self, pool: _Pool, size: int) -> int:
        """The oldest of the smallest free blocks of at least `size` bytes, taken out of the pool; _NONE without any."""
        sizes, free_size = pool.sizes, self._free_size
        place = bisect_left(sizes, size)
        while place < len(sizes):
            held = sizes[place]
            heap = pool.blocks[held]
            while heap:
                block = heappop(heap)
                if free_size[block] == held:
                    free_size[block] = 0
                    return block
            del sizes[place], pool.blocks[held]
        return _NONE

    def _split(self, block: int, size: int, rest: int, pool: _Pool, *, small: bool) -> None:
        after = self._next[block]
        remainder = self._append(rest, block, after, small=small)
        if after != _NONE:
            self._previous[after] = remainder
        self._next[block] = remainder
        self._size[block] = size
        self._free_size[remainder] = rest
        pool.add(rest, remainder)

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
        elif size < _MIDDLE_LIMIT_BYTES:
            segment = _MIDDLE_SEGMENT_BYTES
        else:
            segment = -(-size // _SEGMENT_ROUNDING_BYTES) * _SEGMENT_ROUNDING_BYTES
        if self._refuses(segment):
            self._give_back_free_segments()
            if self._refuses(segment):
                raise CapacityExceededError
        self.segment_count += 1
        self.reserved_bytes += segment
        self.peak_reserved_bytes = max(self.peak_reserved_bytes, self.reserved_bytes)
        return self._append(segment, _NONE, _NONE, small=small)

    def _refuses(self, segment: int) -> bool:
        asked = self.reserved_bytes + segment
        if asked <= self.capacity_bytes:
            return False
        self.refused_bytes = min(self.refused_bytes, asked)
        return True

    def _give_back_free_segments(self) -> None:
        for block in self._whole:
            if self._previous[block] == _NONE == self._next[block]:
                self.reserved_bytes -= self._free_size[block]
                self._free_size[block] = 0
        self._whole.clear()
