"""What a card reaches of its figures beyond what fitted figures tell, learnt from its published runs: random effects.

The logarithm of measured over predicted time is taken apart into what belongs to a card (a share of its memory
bandwidth, a share of its compute), the same to who published it, to that publisher's host with that card, to the
model, and to the run alone. How much each varies is estimated from all runs (maximum likelihood), and what a card's
runs tell is shrunk accordingly: two runs move a card little, and many of one publisher or one model say little more
than one of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from advisor.cost.efficiencies import CardShare, Efficiencies, Fitted, ShareSpread
from advisor.optable.op_columns import Floats
from advisor.predict.fitting import MeasuredStep, StepSet

_STEP = 1e-2
"""Of the logarithm of a share, for slopes."""
_FREEDOM = 4.0
"""Degrees of Student's distribution that a run's own error is taken to have: outliers pull less."""
_ROUNDS = 3
"""Estimates of the spreads, each with the runs weighed by the last."""
_SMALLEST, _LARGEST, _START = 1e-3, 1.0, 0.05
"""Spreads of a logarithm."""
_EVALUATIONS = 30


class _Part(NamedTuple):
    """A reason for which errors are alike: how much each run is moved by it, and which runs it moves together."""

    slope: Floats
    label: Sequence[Hashable]

    def covariance(self) -> Floats:
        """Of the runs' errors, shape (runs, runs), where the reason has a spread of one."""
        numbers = {label: number for number, label in enumerate(dict.fromkeys(self.label))}
        of = np.array([numbers[label] for label in self.label])
        return np.where(of[:, None] == of[None, :], np.outer(self.slope, self.slope), 0.0)


class CardShares:
    """The shares of cards that published runs tell, of all runs or of those that are kept."""

    def __init__(
        self, steps: Sequence[MeasuredStep], figures: Efficiencies, fitted: Fitted, spread: ShareSpread | None = None
    ) -> None:
        """Lay the runs out around `fitted`; `spread` None: estimated from them, which needs scipy (the extra `fit`)."""
        self._steps = steps
        plain = without_shares(figures)
        self._measured = np.array([step.measured_s for step in steps])
        self._parts = _parts(steps, plain, fitted)
        self._covariances = np.stack([part.covariance() for part in self._parts])
        errors = np.log(self._measured / StepSet(steps, plain).predicted_s(fitted))
        self._noise = np.ones(len(steps))
        self.spread = spread or ShareSpread(**dict.fromkeys(ShareSpread.__struct_fields__, _START))
        for _ in range(_ROUNDS):
            if spread is None:
                self.spread = self._estimated(errors)
            self._noise = self._weighed(errors)

    def told(self, predicted_s: Floats, kept: NDArray[np.bool_] | None = None) -> tuple[CardShare, ...]:
        """The shares of the cards of the kept runs, from what figures without shares predict of all runs."""
        inside = np.flatnonzero(np.ones(len(self._steps)) if kept is None else kept)
        errors = np.log(self._measured / predicted_s)[inside]
        pull = np.linalg.solve(self._covariance()[np.ix_(inside, inside)], errors)
        widths = (self.spread.bandwidth, self.spread.compute)
        logs = [width**2 * part.slope[inside] * pull for part, width in zip(self._parts, widths, strict=False)]
        own = [self._steps[int(index)] for index in inside]
        found = []
        for card in sorted({step.spec.key for step in own}):
            runs = [number for number, step in enumerate(own) if step.spec.key == card]
            bandwidth, compute = (float(np.exp(log[runs].sum())) for log in logs)
            sources = tuple(sorted({own[number].source for number in runs}))
            found.append(
                CardShare(key=card, bandwidth=bandwidth, compute=compute, run_count=len(runs), sources=sources)
            )
        return tuple(found)

    def _widths(self) -> Floats:
        return np.array([getattr(self.spread, name) for name in ShareSpread.__struct_fields__])

    def _covariance(self) -> Floats:
        widths = self._widths()
        shared: Floats = np.tensordot(widths[:-1] ** 2, self._covariances, axes=1)
        return shared + np.diag(widths[-1] ** 2 * self._noise)

    def _weighed(self, errors: Floats) -> Floats:
        """Variance of each run's own error over that of the one in the middle, as Student's distribution has it."""
        own = self.spread.run * self._noise * np.linalg.solve(self._covariance(), errors)
        variance = np.maximum((_FREEDOM + own**2) / (_FREEDOM + 1.0), 0.5)
        return np.asarray(variance / np.median(variance))

    def _estimated(self, errors: Floats) -> ShareSpread:
        """The spreads that make the errors most likely."""
        from scipy.optimize import minimize

        names = ShareSpread.__struct_fields__

        def unlikeliness(logs: Floats) -> tuple[float, Floats]:
            variances = np.exp(2.0 * logs)
            whole = np.tensordot(variances[:-1], self._covariances, axes=1) + np.diag(variances[-1] * self._noise)
            inverse = np.linalg.inv(whole)
            pull = inverse @ errors
            parts = (*self._covariances, np.diag(self._noise))
            slopes = [
                variance * float((inverse * part).sum() - pull @ part @ pull)
                for variance, part in zip(variances, parts, strict=True)
            ]
            return float(np.linalg.slogdet(whole)[1] + errors @ pull), 2.0 * np.array(slopes)

        begin = np.log(self._widths())
        ends = [(np.log(_SMALLEST), np.log(_LARGEST))] * len(names)
        options = {"maxfun": _EVALUATIONS}
        found = minimize(unlikeliness, begin, jac=True, method="L-BFGS-B", bounds=ends, options=options)
        return ShareSpread(**{name: float(width) for name, width in zip(names, np.exp(found.x), strict=True)})


def without_shares(figures: Efficiencies) -> Efficiencies:
    """The figures as they stand for a card of which nothing is told."""
    return msgspec.structs.replace(figures, cards=())


def _parts(steps: Sequence[MeasuredStep], plain: Efficiencies, fitted: Fitted) -> tuple[_Part, ...]:
    """In the order of `ShareSpread`, but for the run's own."""
    cards, sources = [step.spec.key for step in steps], [step.source for step in steps]
    bandwidth, compute = (_slopes(steps, plain, fitted, share) for share in ("bandwidth", "compute"))
    alike = np.ones(len(steps))
    return (
        _Part(bandwidth, cards),
        _Part(compute, cards),
        _Part(bandwidth, sources),
        _Part(compute, sources),
        _Part(alike, list(zip(sources, cards, strict=True))),
        _Part(alike, [step.workload for step in steps]),
    )


def _slopes(steps: Sequence[MeasuredStep], plain: Efficiencies, fitted: Fitted, share: str) -> Floats:
    """By how much the logarithm of each step's time grows with that of a share of its card."""

    def logs(shift: float) -> Floats:
        shares = {"bandwidth": 1.0, "compute": 1.0, share: float(np.exp(shift))}
        cards = tuple(CardShare(key=key, **shares, run_count=0, sources=()) for key in {one.spec.key for one in steps})
        return np.log(StepSet(steps, msgspec.structs.replace(plain, cards=cards)).predicted_s(fitted))

    slopes: Floats = (logs(_STEP) - logs(-_STEP)) / (2.0 * _STEP)
    return slopes
