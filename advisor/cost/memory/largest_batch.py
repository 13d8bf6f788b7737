"""The largest batch that fits a device: an integer, never lowered by more memory."""

from __future__ import annotations

from advisor.cost.memory.need import MemoryQuestion, answered, fits_within

WORST_FRAGMENTATION = 1.3
"""Need over allocated: the worst of 879 published largest batches is 1.27. Below it nothing has to be replayed."""
_DOUBLINGS = 20
"""Batches up to 2^20 are looked at."""


class BatchLimit:
    """Answers which batch sizes fit one set-up; each is replayed once a capacity."""

    def __init__(self, question: MemoryQuestion) -> None:
        """Remember the question; nothing is solved yet."""
        self._question = question
        self._found: dict[tuple[int, float], bool] = {}

    def fits(self, batch_size: int, usable: float) -> bool:
        """Whether the need at `batch_size` is at most `usable` bytes."""
        question = self._question
        least = answered(question, batch_size, replayed=False).need_bytes
        if least > usable or least * WORST_FRAGMENTATION <= usable:
            return least <= usable
        key = (batch_size, usable)
        if key not in self._found:
            self._found[key] = fits_within(question, batch_size, usable)
        return self._found[key]

    def largest(self, usable: float, *, tolerance_fraction: float = 0.0) -> int:
        """The largest batch that fits, or one less than it by at most the tolerance; 0 where not one sample does.

        Bisects the same interval for every capacity: a capacity that holds all that another holds can only turn to
        larger batches, so more memory never lowers the answer, even where fragmentation is not monotone.
        """
        low, high = 0, 1 << _DOUBLINGS
        while high - low > max(1, int(tolerance_fraction * low)):
            middle = (low + high) // 2
            if self.fits(middle, usable):
                low = middle
            else:
                high = middle
        return low
