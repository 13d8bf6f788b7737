"""The allocator's rules and a replay of steps, as plain as can be: what the fast ones are held against."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from advisor.cost.memory.caching_allocator import CachingAllocator
from advisor.cost.memory.replay import StepSetup, Stream, rounded_sizes
from advisor.optable.op_table import ALLOCATE, FREE, GRADIENT

KIB, MIB = 1 << 10, 1 << 20
STEPS = 6


class CapacityExceededError(Exception):
    """An allocation does not fit: the real allocator would raise out of memory here."""


def allocated(allocator: CachingAllocator, size: int) -> int:
    """One block of the fast allocator."""
    blocks: list[int] = []
    if allocator.play([size], blocks) is not None:
        raise CapacityExceededError
    return blocks[0]


@dataclass(eq=False)
class Block:
    """A part of a segment."""

    size: int
    number: int
    free: bool = False


@dataclass
class PlainAllocator:
    """Segments are lists of blocks in order; every question is answered by looking at all of them."""

    capacity: float
    segments: list[tuple[bool, list[Block]]] = field(default_factory=list)
    reserved: int = 0
    peak: int = 0
    asked: int = 0
    blocks: int = 0

    def allocate(self, size: int) -> Block:
        """The smallest free block that is large enough, of these the first made, split; else a new segment."""
        small = size <= MIB
        found = [
            (block.size, block.number, place, parts)
            for of_small, parts in self.segments
            if of_small == small
            for place, block in enumerate(parts)
            if block.free and block.size >= size
        ]
        _, _, place, parts = min(found, key=lambda each: each[:2]) if found else (0, 0, 0, self._segment(size))
        block = parts[place]
        block.free = False
        rest = block.size - size
        if rest >= 512 if small else rest > MIB:
            block.size = size
            parts.insert(place + 1, self._block(rest, free=True))
        return block

    def release(self, block: Block) -> None:
        """Free neighbours become one block, known by the number of the first."""
        block.free = True
        parts = next(parts for _, parts in self.segments if block in parts)
        for first, second in reversed(list(pairwise(parts))):
            if first.free and second.free:
                first.size += second.size
                parts.remove(second)

    def _block(self, size: int, *, free: bool) -> Block:
        self.blocks += 1
        return Block(size, self.blocks, free)

    def _segment(self, size: int) -> list[Block]:
        whole = 2 * MIB if size <= MIB else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        if self.reserved + whole > self.capacity:
            unused = [each for each in self.segments if len(each[1]) == 1 and each[1][0].free]
            self.segments = [each for each in self.segments if each not in unused]
            self.reserved -= sum(parts[0].size for _, parts in unused)
        if self.reserved + whole > self.capacity:
            raise CapacityExceededError
        self.reserved += whole
        self.peak = max(self.peak, self.reserved)
        self.asked += 1
        parts = [self._block(whole, free=False)]
        self.segments.append((size <= MIB, parts))
        return parts


def plain_peak(stream: Stream, setup: StepSetup, batch_size: float, capacity: float) -> float | None:
    """Peak of the segments over the steps; None where the capacity does not suffice."""
    allocator = PlainAllocator(capacity)
    sizes = [int(size) for size in stream.sizes(batch_size)]
    try:
        for kind, size in zip(stream.kind_list[: stream.resident_count], sizes, strict=False):
            if kind == ALLOCATE and size:
                allocator.allocate(size)
        for size in rounded_sizes(setup.persistent):
            allocator.allocate(size)
        gradients: list[Block] = []
        for step in range(STEPS):
            asked = allocator.asked
            _step(allocator, stream, setup, sizes, gradients, first=step == 0)
            if step and allocator.asked == asked:
                break
    except CapacityExceededError:
        return None
    return allocator.peak


def _step(
    allocator: PlainAllocator,
    stream: Stream,
    setup: StepSetup,
    sizes: list[int],
    gradients: list[Block],
    *,
    first: bool,
) -> None:
    if not setup.gradients_kept:
        for block in gradients:
            allocator.release(block)
        gradients.clear()
    kept = (first or not setup.gradients_kept) and not setup.gradients_freed
    end: dict[int, Callable[[Block], None]] = {FREE: allocator.release}
    end[GRADIENT] = gradients.append if kept else allocator.release
    units = [allocator.allocate(size) for size in rounded_sizes(setup.gathered)]
    alive: dict[int, Block] = {}
    for event in range(stream.resident_count, len(sizes)):
        kind, storage = stream.kind_list[event], stream.storage_list[event]
        if kind == ALLOCATE and sizes[event]:
            alive[storage] = allocator.allocate(sizes[event])
        elif kind in end and storage in alive:
            end[kind](alive.pop(storage))
    for block in (*alive.values(), *units):
        allocator.release(block)
    if first:
        for size in rounded_sizes(setup.states):
            allocator.allocate(size)
    for block in [allocator.allocate(size) for size in rounded_sizes(setup.temporaries)]:
        allocator.release(block)


def plain_need(stream: Stream, setup: StepSetup, batch_size: float, low: float, tolerance: float) -> float:
    """The least capacity by halving what lies between the live peak and a boundless card's segments."""
    high = plain_peak(stream, setup, batch_size, float("inf"))
    assert high is not None
    if plain_peak(stream, setup, batch_size, low * (1 + tolerance)) is not None:
        return min(high, low * (1 + tolerance))
    while high - low > tolerance * low:
        middle = (low + high) / 2
        if plain_peak(stream, setup, batch_size, middle) is not None:
            high = middle
        else:
            low = middle
    return high
