"""How far the step of a model that nobody published may be off, by what it spends its time on: a standard deviation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from advisor.cost.efficiencies import CardShare, Efficiencies, ShareSpread
from advisor.optable.op_columns import Floats

FREEDOM = 4.0
"""Degrees of Student's distribution that a run's own error is taken to have: outliers pull less."""
_LESS = 0.99
"""Of a share, for slopes."""


def share_slopes(
    seconds: Callable[[Efficiencies], Floats], seconds_now: Floats, keys: Sequence[str], figures: Efficiencies
) -> tuple[Floats, Floats]:
    """By how much the log of a time grows with that of a share of its card's bandwidth, and of its compute.

    Between -1 (all of the step waits for it) and 0. `seconds` predicts by given figures, `seconds_now` is what it
    gives for `figures`; both of any one shape. `keys` are the cards.
    """
    own = {card.key: card for card in figures.cards}
    unknown = (CardShare(key=key, bandwidth=1.0, compute=1.0, run_count=0, sources=()) for key in {*keys} - {*own})
    every = (*figures.cards, *unknown)

    def slope(share: str) -> Floats:
        less = tuple(msgspec.structs.replace(card, **{share: getattr(card, share) * _LESS}) for card in every)
        values: Floats = np.log(seconds(msgspec.structs.replace(figures, cards=less)) / seconds_now) / np.log(_LESS)
        return values

    return slope("bandwidth"), slope("compute")


def log_deviation(slopes: tuple[Floats, Floats], spread: ShareSpread, *, new_card: Floats | float = 0.0) -> Floats:
    """Standard deviation of the log of measured over predicted time for a model and a publisher that no fit has seen.

    `slopes` are those of `share_slopes`; `new_card` is 1.0 where no share of the card is told, of a shape that
    broadcasts against them.
    """
    of_bandwidth = spread.source_bandwidth**2 + new_card * spread.bandwidth**2
    of_compute = spread.source_compute**2 + new_card * spread.compute**2
    alone = spread.model**2 + spread.run**2 * FREEDOM / (FREEDOM - 2.0)
    deviation: Floats = np.sqrt(slopes[0] ** 2 * of_bandwidth + slopes[1] ** 2 * of_compute + alone)
    return deviation
