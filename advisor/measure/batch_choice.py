"""Which batch sizes are worth measuring in the time there is, and whether only part of the model can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

_SAMPLES = 3.0
_OVERHEAD_STEPS = 1.5
_LEAST_SIZES = 3
_WAYS = ((5, 1.0), (_LEAST_SIZES, 0.0))
"""Most sizes, and seconds of a stage at least: first as it should be, then a few steps of each."""
_HIGHEST_MULTIPLE = 64
_RUNGS = (1, 2, 3, 4, 6, 8, 12)
_PART_LIMITS = (1, 2)


@dataclass(frozen=True)
class BatchChoice:
    """What to measure: batch sizes of the whole model, or of versions with fewer blocks."""

    batch_sizes: tuple[int, ...]
    layer_limits: tuple[int | None, ...] = (None,)
    """None: the whole model. (1, 2): once with one block and once with two, to be extended along a line."""


def ladder(highest: int) -> tuple[int, ...]:
    """Batch sizes people use, up to `highest`: 1 2 3 4 6 8 12 16 24 32 48 and so on."""
    sizes = {rung for rung in _RUNGS if rung <= highest}
    scale = 8
    while scale <= highest:
        sizes |= {size for size in (scale, scale * 3 // 2) if size <= highest}
        scale *= 2
    return tuple(sorted(sizes))


def choose(  # noqa: PLR0913 - what the choice depends on
    *,
    wanted: int,
    most: int,
    budget_s: float,
    expected_s: Callable[[int], float],
    fits: Callable[[int], bool],
    block_count: int | None,
    least: int = 1,
) -> BatchChoice | None:
    """The sizes to measure; None where not even `least` samples fit into memory.

    `wanted` is the workload's own batch size, `most` the number of samples it has, `expected_s` a step's expected
    time and `fits` whether it has room. Three to five sizes are spread evenly in the logarithm from `least` samples to
    the largest that the budget allows, the wanted one among them where it can be. Where three stages do not fit into
    the budget, three sizes up to the wanted one are chosen whose few steps do: they tell more than the three smallest.
    Where not even these do, one and two of the model's `block_count` repeated blocks are measured instead.
    """
    highest = min(most, max(wanted, 8) * _HIGHEST_MULTIPLE)
    sizes = sorted({size for size in (*ladder(highest), min(wanted, most)) if size >= least and fits(size)})
    if not sizes:
        return None
    up_to_wanted = [size for size in sizes if size <= wanted]
    for reach, way in zip((sizes, up_to_wanted), _WAYS, strict=True):
        spread = _affordable(reach, wanted, budget_s, expected_s, way)
        if spread:
            return BatchChoice(spread)
    if block_count is not None and block_count > max(_PART_LIMITS):
        share = (1.0 + max(_PART_LIMITS)) / block_count
        part = _affordable(
            sizes, wanted, budget_s / len(_PART_LIMITS), lambda size: expected_s(size) * min(1.0, share), _WAYS[0]
        )
        return BatchChoice(part or tuple(sizes[:1]), _PART_LIMITS)
    return BatchChoice(tuple(sizes[:_LEAST_SIZES]))


def _affordable(
    sizes: Sequence[int], wanted: int, budget_s: float, expected_s: Callable[[int], float], way: tuple[int, float]
) -> tuple[int, ...]:
    """The widest spread of at least three sizes (or of all there are) whose cost is within the budget.

    A stage costs a cold first step and three samples at least.
    """
    most_sizes, least_stage_s = way
    steps = _SAMPLES + _OVERHEAD_STEPS
    for top in range(len(sizes), 0, -1):
        reachable = sizes[:top]
        for count in range(min(most_sizes, top), min(_LEAST_SIZES, len(sizes)) - 1, -1):
            spread = _spread(reachable, wanted, count)
            if sum(max(least_stage_s, steps * expected_s(size)) for size in spread) <= budget_s:
                return spread
    return ()


def _spread(sizes: Sequence[int], wanted: int, count: int) -> tuple[int, ...]:
    """`count` sizes even in the logarithm from first to last; the nearest one gives way to the wanted size."""
    targets = np.linspace(np.log(sizes[0]), np.log(sizes[-1]), count)
    logs = np.log(np.asarray(sizes, dtype=np.float64))
    chosen = sorted({sizes[int(np.argmin(np.abs(logs - target)))] for target in targets})
    if wanted in sizes and wanted not in chosen:
        inner = chosen[1:-1] or chosen
        nearest = min(inner, key=lambda size: abs(np.log(size) - np.log(wanted)))
        chosen[chosen.index(nearest)] = wanted
    return tuple(sorted(chosen))
