"""How far the step of several cards may be off: an 80 % range from residuals of cards that were left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.strategies import Strategy
from advisor.cost.layout import Layout
from advisor.cost.scaling.layouts import LaidOutStep
from advisor.cost.scaling.scaling import ScaledGrid
from advisor.cost.scaling.scaling_figures import ScalingFigures, Spread, scaling_figures
from advisor.optable.op_columns import Floats
from advisor.predict.device_steps import DeviceSteps

_MOST = 1.03
"""Efficiency above 1 by more than the noise of two timings is not a fact of several cards."""
_MOST_LOSS = 5.0
"""What cards lose to each other takes at most so many times as long: about twice what the fitted range allows for
efficiencies of 0.7 to 0.95 (2.2 to 2.6 times). Below them, where few runs were published, it is an assumption."""
_ALONE = 1e-9
"""A card alone is as efficient as itself, but for rounding."""
_TENSOR_RANGE = (0.85, 1.5)
_PIPELINE_RANGE = (0.9, 1.5)
"""Step time over the prediction: no published run of the calibration set uses either, so the range is wide.

Low: what is replicated or unbalanced is less than assumed; high: half-filled GEMMs, uneven stages, recomputation.
"""
_OF_STRATEGY: dict[Strategy, tuple[float, float]] = {"tp": _TENSOR_RANGE, "pp": _PIPELINE_RANGE}


@dataclass(frozen=True, kw_only=True)
class ScaledRange:
    """The ends of steps, in seconds, and of efficiencies; arrays of shape (strategies, counts, cards, batches)."""

    low_s: Floats
    high_s: Floats
    efficiency_low: Floats
    efficiency_high: Floats


def scaled_range(grid: ScaledGrid, steps: DeviceSteps) -> ScaledRange:
    """The range of every set-up of a grid that was scaled from `steps`."""
    alone = _with_single(grid.step_s, grid.efficiency, grid_efficiency_range(grid), steps)
    quick = np.log(grid.step_s / (grid.step_s - grid.offload_quick_s))
    slow = np.log((grid.step_s + grid.offload_slow_s) / grid.step_s)
    return replace(
        alone,
        low_s=grid.step_s * np.exp(-np.hypot(np.log(grid.step_s / alone.low_s), quick)),
        high_s=grid.step_s * np.exp(np.hypot(np.log(alone.high_s / grid.step_s), slow)),
    )


def grid_efficiency_range(grid: ScaledGrid, figures: ScalingFigures | None = None) -> tuple[Floats, Floats]:
    """(low, high) of every efficiency: from a badly routing host to a shared bridge or threads that never wait."""
    several = np.array(grid.counts)[:, None, None] > 1
    factors = np.ones((2, *grid.step_s.shape))
    for row, strategy in enumerate(grid.strategies):
        for end, factor in enumerate(_OF_STRATEGY.get(strategy, (1.0, 1.0))):
            factors[end, row] = np.where(several, factor, 1.0)
    spread = (figures or scaling_figures()).spread
    low, high = efficiency_range(grid.efficiency, grid.certain, factors, spread)
    slow, step = grid.slow_host_s, grid.step_s
    low = np.minimum(low, np.where(slow > 0, grid.alone_s / np.maximum(slow, step), low))
    return low, np.maximum(high, grid.alone_s / np.maximum(grid.quick_s, grid.alone_s))


def layout_range(laid_out: LaidOutStep, layout: Layout, steps: DeviceSteps) -> ScaledRange:
    """The range of a layout whose replica's step is the one cell of `steps`; arrays of shape (1, 1, 1, 1)."""
    step, efficiency = (np.full((1, 1, 1, 1), number) for number in (laid_out.step_s, laid_out.efficiency))
    if layout.count == 1:
        return _with_single(step, efficiency, (efficiency, efficiency), steps)
    factors = np.ones((2, 1, 1, 1, 1))
    for split, ends in ((layout.tensor * layout.context, _TENSOR_RANGE), (layout.pipeline, _PIPELINE_RANGE)):
        if split > 1:
            factors *= np.array(ends).reshape(2, 1, 1, 1, 1)
    spread = scaling_figures().spread
    low, high = efficiency_range(efficiency, np.full((1, 1), laid_out.link_certain), factors, spread)
    low = np.minimum(low, efficiency * step / np.maximum(laid_out.slow_host_s, step))
    return _with_single(step, efficiency, (low, high), steps)


def _with_single(step: Floats, efficiency: Floats, ends: tuple[Floats, Floats], steps: DeviceSteps) -> ScaledRange:
    """The efficiency's range with that of one card's step, which is independent of it: squares of logarithms add."""
    low, high = ends
    below, above = np.log(steps.total_s / steps.low_s), np.log(steps.high_s / steps.total_s)
    return ScaledRange(
        low_s=step * np.exp(-np.hypot(below, np.log(high / efficiency))),
        high_s=step * np.exp(np.hypot(above, np.log(efficiency / low))),
        efficiency_low=low,
        efficiency_high=high,
    )


def efficiency_range(
    efficiency: Floats,
    certain: NDArray[np.bool_],
    factors: Floats,
    spread: Spread,
) -> tuple[Floats, Floats]:
    """(low, high) of efficiencies of shape (strategies, counts, cards, batches).

    The range has a fixed part and one that grows with the predicted loss; a link that is not certain (`certain` has
    the shape (counts, cards)) widens it downwards, as far as what is lost may last. `factors` (2, ...) are extra low
    and high factors of the step time (tensor and pipeline parallel). One card has no range: its efficiency is 1 by
    definition.
    """
    loss = np.maximum(0.0, 1.0 - efficiency)
    doubt = np.where(certain, 1.0, 1.5)[None, :, :, None]
    low = efficiency - (spread.below_fraction + spread.below_of_loss_ratio * loss) * doubt
    high = np.minimum(_MOST, efficiency + spread.above_fraction + spread.above_of_loss_ratio * loss)
    several = np.abs(1.0 - efficiency) > _ALONE
    least = 1.0 / (1.0 + _MOST_LOSS * np.maximum(0.0, 1.0 / efficiency - 1.0))
    low = np.where(several, np.maximum(low, least) / factors[1], efficiency)
    return low, np.where(several, np.maximum(high, efficiency) / factors[0], efficiency)
