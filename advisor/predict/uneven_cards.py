"""Cards of different speed in one job: the slowest sets the pace, and a fast subset may beat the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.sentences import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.predict.prediction import Strategy
    from advisor.predict.scaling import ScaledGrid


@dataclass(frozen=True, kw_only=True)
class UnevenGroup:
    """Cards that train together with the same batch a card."""

    cards: tuple[int, ...]
    """Rows of the grid, fastest first; one entry a card that takes part."""
    step_s: float
    """Of the slowest, which all wait for."""
    imbalance_s: tuple[float, ...]
    """What each card waits, in the order of `cards`."""

    def samples_per_s(self, batch_size: int) -> float:
        """Rate of the group at a batch a card."""
        return len(self.cards) * batch_size / self.step_s


def group_of(grid: ScaledGrid, cards: Sequence[int], strategy: Strategy, batch: int) -> UnevenGroup:
    """The step of `cards` (rows of the grid, a row once for each such card) training together.

    Raises ValueError when the grid lacks the strategy or the number of cards.
    """
    row, column = grid.index(strategy, len(cards))
    steps = {card: float(grid.step_s[row, column, card, batch]) for card in cards}
    ordered = tuple(sorted(cards, key=steps.__getitem__))
    slowest = steps[ordered[-1]]
    return UnevenGroup(cards=ordered, step_s=slowest, imbalance_s=tuple(slowest - steps[card] for card in ordered))


def best_subset(grid: ScaledGrid, cards: Sequence[int], strategy: Strategy, batch: int) -> UnevenGroup:
    """The fastest cards of `cards` that together train most samples a second; counts the grid lacks are left out."""
    row, column = grid.index(strategy, 1)
    ordered = sorted(cards, key=lambda card: float(grid.step_s[row, column, card, batch]))
    groups = [
        group_of(grid, ordered[:count], strategy, batch) for count in range(1, len(cards) + 1) if count in grid.counts
    ]
    return max(groups, key=lambda group: group.samples_per_s(1))


def uneven_reason(whole: UnevenGroup, best: UnevenGroup) -> Reason | None:
    """Says that some cards slow the others down, and by how much; None where all are worth having."""
    if len(best.cards) == len(whole.cards):
        return None
    return Reason(
        code="scaling-uneven-cards",
        numbers={
            "count": len(whole.cards),
            "best_count": len(best.cards),
            "waiting_s": max(whole.imbalance_s),
            "gain_ratio": best.samples_per_s(1) / whole.samples_per_s(1),
        },
    )
