"""Cards of different speed in one job: the slowest sets the pace, and the others wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.catalogue.strategies import Strategy
    from advisor.cost.scaling.scaling import ScaledGrid


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
