"""A replay of torch's CUDA caching allocator: which blocks and segments a stream of allocations ends up holding.

Rules and sizes are those of `c10/cuda/CUDACachingAllocator.cpp` without expandable segments: sizes are rounded up to
512 bytes; up to 1 MiB come from segments of 2 MiB, below 10 MiB from segments of 20 MiB, larger ones from a segment
of their own rounded up to 2 MiB; the smallest free block that is large enough is taken and split; neighbours are
merged when freed; when the capacity would be passed, every wholly free segment is given back first.
"""

from __future__ import annotations

from bisect import bisect_left, insort

ROUNDING_BYTES = 512
_SMALL_LIMIT_BYTES = 1 << 20
_SMALL_SEGMENT_BYTES = 2 << 20
_MIDDLE_LIMIT_BYTES = 10 << 20
_MIDDLE_SEGMENT_BYTES = 20 << 20
_SEGMENT_ROUNDING_BYTES = 2 << 20
_NUMBER_BITS = 40
"""A free block's key is size << 40 | number: sorted by size, then by age."""
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1
_NONE = -1


class CapacityExceededError(Exception):
    """An allocation does not fit: the real allocator would raise out of memory here."""


class CachingAllocator:
    """Blocks are numbers; sizes passed to `allocate` must be multiples of ROUNDING_BYTES and positive."""

    def __init__(self, capacity_bytes: float = float("inf")) -> None:
        """Start empty, with `capacity_bytes` for segments."""
        self.capacity_bytes = capacity_bytes
        self.reserved_bytes = 0
        self.peak_reserved_bytes = 0
        self.segment_count = 0
        """Segments asked of the driver so far, those given back included."""
        self._size: list[int] = []
        self._previous: list[int] = []
        self._next: list[int] = []
        self._free: list[bool] = []
        self._small: list[bool] = []
        self._free_small: list[int] = []
        self._free_large: list[int] = []

    def allocate(self, size: int) -> int:
        """A block of at least `size` bytes; raises CapacityExceededError."""
        small = size <= _SMALL_LIMIT_BYTES
        pool = self._free_small if small else self._free_large
        place = bisect_left(pool, size << _NUMBER_BITS)
        if place < len(pool):
            block = pool.pop(place) & _NUMBER_MASK
            self._free[block] = False
        else:
            block = self._new_segment(size, small=small)
        rest = self._size[block] - size
        if rest >= ROUNDING_BYTES if small else rest > _SMALL_LIMIT_BYTES:
            self._split(block, size, rest, pool, small=small)
        return block

    def release(self, block: int) -> None:
        """Give a block back; it joins free neighbours of its segment."""
        size, previous, next_, free = self._size, self._previous, self._next, self._free
        pool = self._free_small if self._small[block] else self._free_large
        after = next_[block]
        if after != _NONE and free[after]:
            del pool[bisect_left(pool, size[after] << _NUMBER_BITS | after)]
            size[block] += size[after]
            free[after] = False
            next_[block] = next_[after]
            if next_[after] != _NONE:
                previous[next_[after]] = block
        before = previous[block]
        if before != _NONE and free[before]:
            del pool[bisect_left(pool, size[before] << _NUMBER_BITS | before)]
            size[before] += size[block]
            next_[before] = next_[block]
            if next_[block] != _NONE:
                previous[next_[block]] = before
            block = before
        free[block] = True
        insort(pool, size[block] << _NUMBER_BITS | block)

    def _split(self, block: int, size: int, rest: int, pool: list[int], *, small: bool) -> None:
        after = self._next[block]
        remainder = self._append(rest, block, after, small=small)
        if after != _NONE:
            self._previous[after] = remainder
        self._next[block] = remainder
        self._size[block] = size
        self._free[remainder] = True
        insort(pool, rest << _NUMBER_BITS | remainder)

    def _append(self, size: int, previous: int, next_: int, *, small: bool) -> int:
        self._size.append(size)
        self._previous.append(previous)
        self._next.append(next_)
        self._free.append(False)
        self._small.append(small)
        return len(self._size) - 1

    def _new_segment(self, size: int, *, small: bool) -> int:
        if small:
            segment = _SMALL_SEGMENT_BYTES
        elif size < _MIDDLE_LIMIT_BYTES:
            segment = _MIDDLE_SEGMENT_BYTES
        else:
            segment = -(-size // _SEGMENT_ROUNDING_BYTES) * _SEGMENT_ROUNDING_BYTES
        if self.reserved_bytes + segment > self.capacity_bytes:
            self._give_back_free_segments()
            if self.reserved_bytes + segment > self.capacity_bytes:
                raise CapacityExceededError
        self.segment_count += 1
        self.reserved_bytes += segment
        self.peak_reserved_bytes = max(self.peak_reserved_bytes, self.reserved_bytes)
        return self._append(segment, _NONE, _NONE, small=small)

    def _give_back_free_segments(self) -> None:
        for pool in (self._free_small, self._free_large):
            kept = []
            for key in pool:
                block = key & _NUMBER_MASK
                if self._previous[block] == _NONE and self._next[block] == _NONE:
                    self.reserved_bytes -= self._size[block]
                    self._free[block] = False
                else:
                    kept.append(key)
            pool[:] = kept
