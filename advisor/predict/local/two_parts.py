"""What a step takes at any batch size and what grows with it, bent to the times that were measured on the device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from advisor.optable.op_columns import Floats

RATES = np.array([[1.0 / 2.0, 0.0], [0.0, 1.0 / 0.7]])
COUNTED = np.array([[1.0 / 2.0, -1.0 / 2.0]])
"""What is expected before anything is timed: combinations of log F and log G that are about 0, each over its spread
(assumed). By the device's own rates a growing part is known within a factor of two, a fixed one, which is the
program's and the framework's own time, within seven; of work that was only counted the two factors are alike. It
decides where the timed batch sizes leave one part in the other's noise; where they tell the parts apart it does not
matter."""
_TAILS = 3.0
"""Degrees of freedom of Student's distribution: one factor in seventy is more than five spreads off."""
_LEAST_ERROR = 0.01
_JOINS = (1.0, 2.0, 4.0)
"""Fixed and growing part one after the other, or more and more side by side (a device that waits for its host)."""
_LEAST_FOR_JOIN = 3
_CLEARLY_LESS, _GOOD_MISFIT = 0.5, 0.03
_FARTHEST, _GRID_POINTS, _REFINEMENTS = 12.0, 25, 6
"""The logarithm of F / G is searched to so far on either side, in so many rows of so many."""


@dataclass(frozen=True)
class TwoParts:
    """A step before it is bent to measurements, in any common unit; arrays of shape (batches,)."""

    fixed_s: Floats
    growing_s: Floats
    prior: Floats
    """`RATES` or `COUNTED`."""

    def at(self, places: NDArray[np.intp] | list[int]) -> TwoParts:
        """The same at some of the batch sizes."""
        return TwoParts(self.fixed_s[places], self.growing_s[places], self.prior)


@dataclass(frozen=True)
class Fit:
    """t = ((fixed * F)^join + (growing * G)^join)^(1/join)."""

    logs: Floats
    """Logarithms of F and G."""
    covariance: Floats
    """Theirs, shape (2, 2)."""
    join: float

    def seconds(self, parts: TwoParts) -> Floats:
        """Step times, shape (batches,)."""
        joined: Floats = np.exp(np.logaddexp(*(self.join * self._logs_of(parts))) / self.join)
        return joined

    def log_error(self, parts: TwoParts) -> Floats:
        """Standard error of the logarithm of `seconds`, as far as it comes from F and G; shape (batches,)."""
        slopes = self.slopes(parts)
        return np.asarray(np.sqrt(np.einsum("bi,ij,bj->b", slopes, self.covariance, slopes)))

    def slopes(self, parts: TwoParts) -> Floats:
        """How the logarithm of a time follows those of F and G: the parts' shares, shape (batches, 2)."""
        powers = self.join * self._logs_of(parts)
        return np.asarray(np.exp(powers - np.logaddexp(*powers)).T)

    def _logs_of(self, parts: TwoParts) -> Floats:
        raw = np.maximum(np.stack([parts.fixed_s, parts.growing_s]), 1e-30)
        return np.asarray(np.log(raw) + self.logs[:, None])


def fit_to(parts: TwoParts, times: Floats, errors: Floats) -> Fit:
    """The join that fits best; a plain sum unless another one leaves clearly less, and with one or two times.

    `errors` are the standard errors of the times' logarithms, shape of `times`.
    """
    fits = [_fit_joined(parts, times, np.maximum(errors, _LEAST_ERROR), join) for join in _JOINS]
    if len(times) < _LEAST_FOR_JOIN:
        return fits[0]
    misfits = [float(np.sqrt(np.mean(np.log(times / fit.seconds(parts)) ** 2))) for fit in fits]
    best = int(np.argmin(misfits))
    return fits[best] if misfits[best] < _CLEARLY_LESS * misfits[0] and misfits[0] > _GOOD_MISFIT else fits[0]


def _fit_joined(parts: TwoParts, times: Floats, errors: Floats, join: float) -> Fit:
    """The most probable F and G: normal errors of the times' logarithms, Student's distribution of what is expected.

    Its long tails give way where times tell clearly that a part is far from what was expected. Only the ratio of F to G
    is searched, in rows that become finer: at each one the times' weighted mean is the level.
    """
    fixed, growing = (np.log(np.maximum(part, 1e-30)) for part in (parts.fixed_s, parts.growing_s))
    best, around = 0.0, _FARTHEST
    for _ in range(_REFINEMENTS):
        ratios = best + around * np.linspace(-1.0, 1.0, _GRID_POINTS)
        tilted = np.stack([ratios, -ratios]) / 2.0
        bent = np.logaddexp(join * (fixed + tilted[0][:, None]), join * (growing + tilted[1][:, None])) / join
        left = np.log(times) - bent
        level = np.average(left, axis=1, weights=errors**-2.0)
        logs = tilted + level
        unexpected = np.sum((_TAILS + 1.0) * np.log1p((parts.prior @ logs) ** 2 / _TAILS), axis=0)
        cost = np.sum(((left - level[:, None]) / errors) ** 2, axis=1) + unexpected
        place = int(np.argmin(cost))
        best, around = float(ratios[place]), 2.0 * around / (_GRID_POINTS - 1)
    fit = Fit(logs[:, place], np.zeros((2, 2)), join)
    weights = (_TAILS + 1.0) / (_TAILS + (parts.prior @ fit.logs) ** 2)
    tails = parts.prior * np.sqrt(weights)[:, None]
    slopes = np.vstack([fit.slopes(parts) / errors[:, None], tails])
    return Fit(fit.logs, np.asarray(np.linalg.inv(slopes.T @ slopes)), join)
