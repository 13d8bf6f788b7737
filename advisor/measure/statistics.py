"""Robust figures of a series of step times: median with an order-statistic interval, spread and drift."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from advisor.measure.measurement import Summary

Floats = npt.NDArray[np.float64]

_COVERAGE = 0.95
_THIRDS = 3
_LEAST_FOR_DRIFT = 6
_MAD_TO_SIGMA = 1.4826
_ONE_PERCENT_POINT = 2.326
"""Standard normal quantile of 99 %: a drift above the bound hides below it in at most 1 % of runs."""


@cache
def interval_ranks(sample_count: int) -> tuple[int, int]:
    """Ranks (from 0) of the sorted samples that hold the true median with 95 % probability.

    The binomial order-statistic interval (Conover, Practical Nonparametric Statistics, 3.2). Below six samples
    no pair of ranks reaches 95 %: the extremes are returned, and the caller has to say so (`reaches_95`).
    Raises ValueError for no samples.
    """
    if sample_count < 1:
        message = "an interval needs at least one sample"
        raise ValueError(message)
    tail = 0.0
    rank = 0
    for below in range(sample_count // 2):
        tail += math.exp(
            math.lgamma(sample_count + 1)
            - math.lgamma(below + 1)
            - math.lgamma(sample_count - below + 1)
            - sample_count * math.log(2.0)
        )
        if tail > (1.0 - _COVERAGE) / 2.0:
            break
        rank = below + 1
    low = max(0, rank - 1)
    return low, sample_count - 1 - low


def reaches_95(sample_count: int) -> bool:
    """Whether an order-statistic interval of so many samples can cover the median with 95 % at all."""
    return 2.0 * 0.5**sample_count <= 1.0 - _COVERAGE


def median_interval(samples: Sequence[float] | Floats) -> tuple[float, float, float]:
    """(median, low, high) of the samples, in their unit. Raises ValueError for no samples."""
    ordered = np.sort(np.asarray(samples, dtype=np.float64))
    low, high = interval_ranks(len(ordered))
    return float(np.median(ordered)), float(ordered[low]), float(ordered[high])


def half_width_fraction(samples: Sequence[float] | Floats) -> float:
    """The larger arm of the 95 % interval of the median, as a fraction of the median."""
    median, low, high = median_interval(samples)
    if median <= 0.0:
        return math.inf
    return max(high - median, median - low) / median


def quartiles(samples: Sequence[float] | Floats) -> tuple[float, float]:
    """First and third quartile (linear interpolation)."""
    first, third = np.percentile(np.asarray(samples, dtype=np.float64), [25.0, 75.0])
    return float(first), float(third)


def median_absolute_deviation(samples: Sequence[float] | Floats) -> float:
    """Median distance from the median, unscaled."""
    values = np.asarray(samples, dtype=np.float64)
    return float(np.median(np.abs(values - np.median(values))))


def drift_ratio(samples: Sequence[float] | Floats) -> float | None:
    """Median of the last third over that of the first third; None below six samples."""
    values = np.asarray(samples, dtype=np.float64)
    third = len(values) // _THIRDS
    if len(values) < _LEAST_FOR_DRIFT:
        return None
    first = float(np.median(values[:third]))
    return float(np.median(values[-third:])) / first if first > 0.0 else None


def drift_bound_fraction(samples: Sequence[float] | Floats) -> float:
    """Upper 99 % bound of the size of a linear drift from first to last sample, as a fraction of the median.

    Theil-Sen slope times the span, plus 2.33 standard errors from the residuals' MAD (the error of a least
    squares slope over n even points is sigma * sqrt(12 / n) per span). Infinite below six samples.
    """
    values = np.asarray(samples, dtype=np.float64)
    count = len(values)
    median = float(np.median(values)) if count else 0.0
    if count < _LEAST_FOR_DRIFT or median <= 0.0:
        return math.inf
    first, second = np.triu_indices(count, k=1)
    slope = float(np.median((values[second] - values[first]) / (second - first)))
    residuals = values - slope * np.arange(count)
    sigma = _MAD_TO_SIGMA * median_absolute_deviation(residuals) * math.sqrt(count / (count - 2))  # two were fitted
    error = sigma * math.sqrt(12.0 / count)
    return (abs(slope) * (count - 1) + _ONE_PERCENT_POINT * error) / median


def summarise(samples: Sequence[float], *, duration_s: float, stop_reason: str) -> Summary | None:
    """The summary of a series in seconds a step, in the order in which it was made; None for no samples."""
    if not samples:
        return None
    median, low, high = median_interval(samples)
    first, third = quartiles(samples)
    return Summary(
        median_s=median,
        low_s=low,
        high_s=high,
        mad_s=median_absolute_deviation(samples),
        first_quartile_s=first,
        third_quartile_s=third,
        sample_count=len(samples),
        duration_s=duration_s,
        stop_reason=stop_reason,
        drift_ratio=drift_ratio(samples),
    )
