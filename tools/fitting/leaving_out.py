"""Predicts every measured step by figures that were fitted without it and its like: its card, its model, its source."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from advisor.cost.efficiencies import Efficiencies, Fitted
from advisor.optable.op_columns import Floats
from tools.fitting.card_shares import CardShares, without_shares
from tools.fitting.fit import (
    DERIVATIVE_STEPS,
    NOISE,
    SOFT_FROM,
    MeasuredStep,
    StepSet,
    fit,
    fitted_from,
    weights_of,
)
from tools.fitting.priors import PRIORS

_MOST_LINEAR = 0.03
"""Share of the steps up to which leaving them out moves the figures so little that the loss is as good as linear."""
_REWEIGHTED = 12
"""Rounds of least squares with weights from the residuals of the last, which settle a soft-L1 loss."""
Related = Callable[[MeasuredStep, Hashable], bool]


def figures_without(
    steps: Sequence[MeasuredStep],
    key: Callable[[MeasuredStep], Hashable],
    figures: Efficiencies,
    start: Fitted,
    *,
    related: Related | None = None,
) -> tuple[Fitted, ...]:
    """For each value of `key` (a card, a model), in the order of its first step, figures fitted without its steps.

    `start` are the figures of all steps. `related` says which other steps must be left out with a key; None: those
    with the same key. Few steps are left out of the fit's own linear system, many by a fit of their own.
    """
    whole = _Linearised(steps, figures, start)
    found = []
    for kept in _folds(steps, key, related):
        if (~kept).mean() <= _MOST_LINEAR:
            found.append(whole.without(kept))
        else:
            rest = [step for step, stays in zip(steps, kept, strict=True) if stays]
            found.append(fit(StepSet(rest, figures), start))
    return tuple(found)


def leave_out(  # noqa: PLR0913 - what a prediction without some steps depends on
    steps: Sequence[MeasuredStep],
    key: Callable[[MeasuredStep], Hashable],
    figures: Efficiencies,
    start: Fitted,
    *,
    related: Related | None = None,
    fits: Sequence[Fitted] | None = None,
) -> Floats:
    """Predictions, seconds of shape (steps,), each by figures and shares of cards told without all steps of its key.

    `fits` are what `figures_without` gave; None: they are fitted here.
    """
    plain = without_shares(figures)
    shares = CardShares(steps, plain, start) if figures.cards else None
    whole = StepSet(steps, plain)
    predicted = np.zeros(len(steps))
    values = dict.fromkeys(key(step) for step in steps)
    found = fits or figures_without(steps, key, plain, start, related=related)
    for value, kept, fitted in zip(values, _folds(steps, key, related), found, strict=True):
        told = () if shares is None else shares.told(figures.share_spread, whole.predicted_s(fitted), kept)
        inside = [index for index, step in enumerate(steps) if key(step) == value]
        own = msgspec.structs.replace(plain, cards=told)
        predicted[inside] = StepSet([steps[index] for index in inside], own).predicted_s(fitted)
    return predicted


class _Linearised:
    """The logarithm of every step's prediction as a linear function of the logarithms of the figures."""

    def __init__(self, steps: Sequence[MeasuredStep], figures: Efficiencies, start: Fitted) -> None:
        self._steps = steps
        self._names = list(PRIORS)
        self._logs = np.log([getattr(start, name) for name in self._names])
        whole = StepSet(steps, figures)

        def logs_at(logs: Floats) -> Floats:
            found: Floats = np.log(whole.predicted_s(fitted_from(self._names, logs)) / whole.measured_s)
            return found

        self._error = logs_at(self._logs)
        width = DERIVATIVE_STEPS[-1]
        self._slopes = np.stack(
            [
                (logs_at(self._logs + width * unit) - logs_at(self._logs - width * unit)) / (2.0 * width)
                for unit in np.eye(len(self._names))
            ],
            axis=1,
        )

    def without(self, kept: NDArray[np.bool_]) -> Fitted:
        """The figures of the steps that are kept: soft-L1 least squares by weights, priors included."""
        centre = np.log([PRIORS[name].centre for name in self._names])
        spread = np.array([PRIORS[name].spread for name in self._names])
        scale = weights_of([step for step, stays in zip(self._steps, kept, strict=True) if stays]) / NOISE
        slopes = np.vstack([self._slopes[kept] * scale[:, None], np.diag(1.0 / spread)])
        errors = np.concatenate([self._error[kept] * scale, (self._logs - centre) / spread])
        shift: Floats = np.zeros(len(self._names))
        for _ in range(_REWEIGHTED):
            residual = errors + slopes @ shift
            weight = (1.0 + (residual / SOFT_FROM) ** 2) ** -0.25
            shift = np.asarray(np.linalg.lstsq(slopes * weight[:, None], -errors * weight, rcond=None)[0], np.float64)
        return fitted_from(self._names, self._logs + shift)


def _folds(
    steps: Sequence[MeasuredStep], key: Callable[[MeasuredStep], Hashable], related: Related | None
) -> list[NDArray[np.bool_]]:
    """For each value of `key`: which steps stay."""
    return [
        np.array([key(step) != value if related is None else not related(step, value) for step in steps])
        for value in dict.fromkeys(key(step) for step in steps)
    ]
