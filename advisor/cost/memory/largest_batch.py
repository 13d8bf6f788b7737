"""The largest batch that fits a device: an integer, never lowered by more memory."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.cost.memory.need import MemoryQuestion, answered, memory_question
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training

WORST_FRAGMENTATION = 1.3
"""Need over allocated: the worst of 879 published largest batches is 1.27. Below it nothing has to be replayed."""
_DOUBLINGS = 20
"""Batches up to 2^20 are looked at."""


class BatchLimit:
    """Answers which batch sizes fit one set-up; every batch size is solved once, whatever the capacity."""

    def __init__(self, question: MemoryQuestion) -> None:
        """Remember the question; nothing is solved yet."""
        self._question = question
        self._needs: dict[int, float] = {}

    def fits(self, batch_size: int, usable: float) -> bool:
        """Whether the need at `batch_size` is at most `usable` bytes."""
        question = self._question
        least = answered(question, batch_size, replayed=False).need_bytes
        if least > usable or least * WORST_FRAGMENTATION <= usable:
            return least <= usable
        if batch_size not in self._needs:
            self._needs[batch_size] = answered(question, batch_size).need_bytes
        return self._needs[batch_size] <= usable

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

    def largest_of(self, rungs: Sequence[int], usable: float) -> int:
        """The first of `rungs` (falling) that fits; 0 where none does."""
        return next((rung for rung in rungs if self.fits(rung, usable)), 0)


def largest_batch(  # noqa: PLR0913 - one question
    table: OpTable,
    training: Training,
    precision: Precision,
    usable_bytes: float,
    *,
    compute_capability: str | None,
    strategy: Strategy = "single",
    count: int = 1,
    gradients_kept: bool = False,
) -> int | None:
    """The largest integer batch a device with `usable_bytes`; 0: none fits, None: memory is unknown."""
    question = memory_question(
        table,
        training,
        precision,
        compute_capability=compute_capability,
        strategy=strategy,
        count=count,
        gradients_kept=gradients_kept,
    )
    return None if question is None else BatchLimit(question).largest(usable_bytes)
