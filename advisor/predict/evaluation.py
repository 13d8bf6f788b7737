"""How far predictions of measured steps are off: errors, coverage of the ranges, ranking of pairs of cards."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from advisor.core.by_key import grouped
from advisor.core.records import Record

CLEARLY_APART = 0.10
"""Pairs whose true times differ by more than this share are ranked."""


@dataclass(frozen=True, kw_only=True)
class ScoredStep:
    """A measured step beside its prediction; seconds of one step."""

    workload: str
    mode: str
    precision: str
    length: int | None
    layout: str
    optimizer: str
    gpu_key: str
    family: str
    batch_size: int
    measured_s: float
    predicted_s: float
    low_s: float
    high_s: float
    source: str = ""
    generation: str = ""
    """Year of its software; empty: today's."""
    method: str = ""
    """How it trains: all weights or adapters, quantised or not, on one card or sharded."""

    @property
    def error(self) -> float:
        """Predicted over measured, minus one."""
        return self.predicted_s / self.measured_s - 1.0

    @property
    def covered(self) -> bool:
        """Whether the truth lies inside the 80 % range."""
        return self.low_s <= self.measured_s <= self.high_s

    @property
    def comparable(self) -> Hashable:
        """Steps that share this differ in nothing but card and batch size."""
        return (self.workload, self.mode, self.precision, self.length, self.layout, self.optimizer)


class Score(Record, frozen=True, kw_only=True):
    """The error figures of a group of steps; None where the group has nothing to say."""

    group: str
    step_count: int
    mean_error_fraction: float | None
    """Mean of the absolute relative errors (MAPE)."""
    median_error_fraction: float | None
    bias_fraction: float | None
    """Median of the signed errors: above zero, predictions are too slow."""
    fastest_ratio: float | None
    """Of predicted to measured time where the measured one was shortest beside its prediction."""
    covered_fraction: float | None
    pair_count: int
    ranked_fraction: float | None
    ratio_error_fraction: float | None
    """Mean absolute relative error of the predicted speed-up between two cards."""


def score(steps: Sequence[ScoredStep], group: str = "all", *, among: Sequence[ScoredStep] | None = None) -> Score:
    """Figures of `steps`; pairs are those of `among` (default: `steps`) with at least one of `steps` in them."""
    errors = np.array([step.error for step in steps])
    inside = set(steps)
    pairs = [
        (first, second)
        for first, second in ranked_pairs(steps if among is None else among)
        if first in inside or second in inside
    ]
    ratios = np.array([_ratio_error(*pair) for pair in pairs])
    right = np.array([(_true_ratio(*pair) > 1.0) == (_predicted_ratio(*pair) > 1.0) for pair in pairs])
    return Score(
        group=group,
        step_count=len(steps),
        mean_error_fraction=float(np.abs(errors).mean()) if steps else None,
        median_error_fraction=float(np.median(np.abs(errors))) if steps else None,
        bias_fraction=float(np.median(errors)) if steps else None,
        fastest_ratio=float(1.0 + errors.max()) if steps else None,
        covered_fraction=float(np.mean([step.covered for step in steps])) if steps else None,
        pair_count=len(pairs),
        ranked_fraction=float(right.mean()) if pairs else None,
        ratio_error_fraction=float(ratios.mean()) if pairs else None,
    )


def scores_by(steps: Sequence[ScoredStep], key: Callable[[ScoredStep], str]) -> tuple[Score, ...]:
    """One score for each value of `key`, in alphabetical order."""
    groups = grouped(steps, key)
    return tuple(score(groups[name], name, among=steps) for name in sorted(groups))


def ranked_pairs(steps: Sequence[ScoredStep]) -> list[tuple[ScoredStep, ScoredStep]]:
    """Pairs on two cards of the same work whose true times a sample are clearly apart."""
    return [
        (first, second)
        for group in grouped(steps, lambda step: step.comparable).values()
        for first, second in combinations(group, 2)
        if first.gpu_key != second.gpu_key and abs(np.log(_true_ratio(first, second))) > np.log1p(CLEARLY_APART)
    ]


def _true_ratio(first: ScoredStep, second: ScoredStep) -> float:
    """Time a sample of the first over that of the second."""
    return (first.measured_s / first.batch_size) / (second.measured_s / second.batch_size)


def _predicted_ratio(first: ScoredStep, second: ScoredStep) -> float:
    return (first.predicted_s / first.batch_size) / (second.predicted_s / second.batch_size)


def _ratio_error(first: ScoredStep, second: ScoredStep) -> float:
    """Of the speed-up, the faster card's rate over the slower one's, so that it is above one."""
    if _true_ratio(first, second) < 1.0:
        first, second = second, first
    return abs(_predicted_ratio(first, second) / _true_ratio(first, second) - 1.0)
