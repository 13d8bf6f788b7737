"""The largest batch that fits a device: an integer, never lowered by more memory."""

from __future__ import annotations

from advisor.cost.memory.need import MemoryQuestion, answered, fits_within

WORST_FRAGMENTATION = 1.3
"""Need over allocated: the worst of 879 published largest batches is 1.27. Below it nothing has to be replayed."""
_DOUBLINGS = 20
"""Batches up to 2^20 are looked at."""


def fits(question: MemoryQuestion, batch_size: int, usable: float) -> bool:
    """Whether the need at `batch_size` is at most `usable` bytes; replayed where fragmentation decides alone."""
    least = answered(question, batch_size, replayed=False).need_bytes
    if least > usable or least * WORST_FRAGMENTATION <= usable:
        return least <= usable
    return fits_within(question, batch_size, usable)


def largest_batch(question: MemoryQuestion, usable: float, *, tolerance_fraction: float = 0.0) -> int:
    """The largest batch that fits, or one less than it by at most the tolerance; 0 where not one sample does.

    Bisects the same interval for every capacity: a capacity that holds all that another holds can only turn to
    larger batches, so more memory never lowers the answer, even where fragmentation is not monotone.
    """
    low, high = 0, 1 << _DOUBLINGS
    while high - low > max(1, int(tolerance_fraction * low)):
        middle = (low + high) // 2
        if fits(question, middle, usable):
            low = middle
        else:
            high = middle
    return low
