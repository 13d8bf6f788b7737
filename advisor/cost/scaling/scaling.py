"""From one card's step to every strategy, count and batch at once: parts that add up, and efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.strategies import STRATEGIES, Strategy, tensor_cards
from advisor.cost.scaling.cell import Cell, Job, Setting
from advisor.cost.scaling.communication import (
    quick_pair,
    slow_host,
)
from advisor.cost.scaling.links import Link
from advisor.cost.scaling.scaling_figures import ScalingFigures, scaling_figures
from advisor.cost.scaling.traffic import Traffic
from advisor.cost.step_parts import OWN_PARTS, StepParts
from advisor.optable.op_columns import Floats

PARTS = (*OWN_PARTS, "communication_s", "imbalance_s")
"""Those of one card's step, and what comes with several cards."""


@dataclass(frozen=True, kw_only=True)
class ScaledGrid:
    """Every set-up; arrays of shape (strategies, counts, cards, batches); seconds of one optimizer step."""

    strategies: tuple[Strategy, ...]
    counts: tuple[int, ...]
    parts_s: dict[str, Floats]
    """By the names of `PARTS`; they add up to `step_s`."""
    step_s: Floats
    alone_s: Floats
    """One card's step with all its micro-batches, shape (cards, batches)."""
    slow_host_s: Floats
    """The step in a host that routes badly; 0 where no such host is to be feared."""
    quick_s: Floats
    """The step if DataParallel's threads did not contend for one lock, and if two cards of several pairs share their
    bridge; infinite for all others."""
    offload_quick_s: Floats
    """By how much off-loading may take less than it was reckoned with; 0 where nothing is off-loaded."""
    offload_slow_s: Floats
    """The same for more."""
    certain: NDArray[np.bool_]
    """Whether the link of each count and card was measured or named; shape (counts, cards)."""

    @property
    def efficiency(self) -> Floats:
        """rate(n) / (n rate(1)) at the same batch a card and accumulation."""
        return self.alone_s / self.step_s

    def index(self, strategy: Strategy, count: int) -> tuple[int, int]:
        """Where a strategy and count stand on the first two axes."""
        return self.strategies.index(strategy), self.counts.index(count)


def scale_steps(  # noqa: PLR0913 - the axes of the grid are named one by one
    steps: StepParts,
    traffic: Traffic,
    links: Sequence[Link],
    memory_bytes_per_s: Sequence[float],
    batch_sizes: Sequence[int],
    *,
    strategies: Sequence[Strategy] = STRATEGIES,
    counts: Sequence[int] = (1, 2, 4, 8),
    setting: Setting | None = None,
    figures: ScalingFigures | None = None,
) -> ScaledGrid:
    """Predict optimizer steps of every strategy on every count of every card at every batch a card.

    `links` and `memory_bytes_per_s` have one entry a card (first axis of `steps`), `batch_sizes` one a column.
    Every one of n cards brings its batch: the global batch is n x batch x accumulation in all strategies but
    `single`, which stays on one card. Raises ValueError when lengths don't match or a count is below 1.
    """
    setting, figures = setting or Setting(), figures or scaling_figures()
    cards, batches = steps.total_s.shape
    if len(links) != cards or len(memory_bytes_per_s) != cards or len(batch_sizes) != batches or min(counts) < 1:
        message = f"{cards} cards x {batches} batches need as many links, bandwidths and batch sizes, and counts >= 1"
        raise ValueError(message)
    shape = (len(strategies), len(counts), cards, batches)
    parts = {name: np.empty(shape) for name in PARTS}
    slow_step, quick_step = np.zeros(shape), np.full(shape, np.inf)
    offload_quick, offload_slow = np.zeros(shape), np.zeros(shape)
    certain = np.empty((len(counts), cards), dtype=bool)
    job = Job(steps, traffic, np.asarray(batch_sizes, dtype=np.float64), setting, figures, memory_bytes_per_s)
    for column, count in enumerate(counts):
        for card, link in enumerate(links):
            cell = Cell(job, card, count, link)
            worst = slow_host(link, count, figures)
            slow_cell = None if worst is None else Cell(job, card, count, worst)
            bridged = quick_pair(link, count)
            quick_cell = None if bridged is None else Cell(job, card, count, bridged)
            certain[column, card] = link.certain
            for row, strategy in enumerate(strategies):
                own, offloaded = cell.parts(strategy)
                for name, value in own.items():
                    parts[name][row, column, card] = value
                if offloaded is not None:
                    offload_quick[row, column, card] = offloaded.quick_s
                    offload_slow[row, column, card] = offloaded.slow_s
                if strategy == "dp" and count > 1:
                    quick_step[row, column, card] = sum((quick_cell or cell).data_parallel(contended=False).values())
                elif quick_cell is not None and strategy != "single":
                    quick_step[row, column, card] = quick_cell.step_s(strategy)
                if slow_cell is not None and (
                    strategy in _ROUTED or (strategy == "tp" and tensor_cards(count) < count)
                ):
                    slow_step[row, column, card] = slow_cell.step_s(strategy)
    return ScaledGrid(
        strategies=tuple(strategies),
        counts=tuple(counts),
        parts_s=parts,
        step_s=sum(parts.values(), start=np.zeros(shape)),
        alone_s=np.stack([Cell(job, card, 1, link).step_s("single") for card, link in enumerate(links)]),
        slow_host_s=slow_step,
        quick_s=quick_step,
        offload_quick_s=offload_quick,
        offload_slow_s=offload_slow,
        certain=certain,
    )


_ROUTED = frozenset({"dp", "ddp", "zero2", "fsdp", "fsdp_offload"})
"""Strategies whose traffic a badly routing host slows; the others have a wide range of their own, but for shards that
tensor parallel groups exchange over a network."""
