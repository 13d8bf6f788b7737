"""How far a predicted efficiency may be off: an 80 % range from residuals of cards that were left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from advisor.cost.scaling.scaling_figures import Spread

Floats = NDArray[np.float64]

_MOST = 1.03
"""Efficiency above 1 by more than the noise of two timings is not a fact of several cards."""


_ALONE = 1e-9
"""A card alone is as efficient as itself, but for rounding."""


def efficiency_range(
    efficiency: Floats,
    certain: NDArray[np.bool_],
    factors: Floats,
    spread: Spread,
) -> tuple[Floats, Floats]:
    """(low, high) of efficiencies of shape (strategies, counts, cards, batches).

    The range has a fixed part and one that grows with the predicted loss; a link that is not certain widens it
    downwards. `factors` (2, ...) are extra low and high factors of the step time (tensor and pipeline parallel).
    One card has no range: its efficiency is 1 by definition.
    """
    loss = np.maximum(0.0, 1.0 - efficiency)
    doubt = np.where(certain, 1.0, 1.5)[None, :, :, None]
    low = efficiency - (spread.below_fraction + spread.below_of_loss_ratio * loss) * doubt
    high = np.minimum(_MOST, efficiency + spread.above_fraction + spread.above_of_loss_ratio * loss)
    several = np.abs(1.0 - efficiency) > _ALONE
    low = np.where(several, np.maximum(low, efficiency * 0.1) / factors[1], efficiency)
    return low, np.where(several, np.maximum(high, efficiency) / factors[0], efficiency)
