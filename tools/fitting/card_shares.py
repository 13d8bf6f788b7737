"""What a card reaches of its figures beyond what fitted figures tell, learnt from its published runs: random effects.

The logarithm of measured over predicted time is taken apart into what belongs to a card (a share of its memory
bandwidth, a share of its compute), the same to who published it, to the model, and to the run alone. How much each
varies is estimated from all runs (maximum likelihood), and what a card's runs tell is shrunk accordingly: two runs move
a card little, and many of one publisher or one model say little more than one of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from advisor.cost.efficiencies import CardShare, Efficiencies, Fitted, ShareSpread
from advisor.optable.op_columns import Floats
from advisor.predict.ranges.deviation import FREEDOM, share_slopes
from tools.fitting.fit import MeasuredStep, StepSet

_STILL = 3e-3
"""Of the logarithm of every spread or run's variance: what moves less from one round to the next stands still."""
_MOST_ROUNDS = 60
_MOVING = f"the shares of cards still move after {_MOST_ROUNDS} rounds: runs contradict each other"
_SMALLEST, _LARGEST, _START = 1e-3, 1.0, 0.05
"""Spreads of a logarithm."""
_EVALUATIONS = 30


class _Part(NamedTuple):
    """A reason for which errors are alike: how much each run is moved by it, and which runs it moves together."""

    slope: Floats
    label: Sequence[Hashable]

    def columns(self) -> Floats:
        """Shape (runs, labels): each run's slope at its label; times itself turned, the covariance at a spread of 1."""
        numbers = {label: number for number, label in enumerate(dict.fromkeys(self.label))}
        found = np.zeros((len(self.slope), len(numbers)))
        found[np.arange(len(self.slope)), [numbers[label] for label in self.label]] = self.slope
        return found


class _Inverse:
    """Of a covariance that is `columns` times itself turned, plus `own` on its diagonal, by Woodbury's identity.

    A few hundred reasons move several times as many runs: what is inverted has the size of the reasons.
    """

    def __init__(self, columns: Floats, own: Floats) -> None:
        """`columns` of shape (runs, reasons), each times its spread; `own` of shape (runs,), over 0."""
        self._own = own
        over_own = columns / own[:, None]
        self._core = np.eye(columns.shape[1]) + columns.T @ over_own
        self.times_columns: Floats = np.asarray(np.linalg.solve(self._core, over_own.T).T)
        """The inverse times `columns`."""
        self.diagonal: Floats = 1.0 / own - (over_own * self.times_columns).sum(axis=1)
        self._over_own = over_own

    def times(self, errors: Floats) -> Floats:
        """The inverse times a vector of shape (runs,)."""
        return np.asarray(errors / self._own - self.times_columns @ (self._over_own.T @ errors))

    def log_determinant(self) -> float:
        """Of the covariance itself."""
        return float(np.linalg.slogdet(self._core)[1] + np.log(self._own).sum())


class CardShares:
    """The shares of cards that published runs tell, of all runs or of those that are kept."""

    def __init__(self, steps: Sequence[MeasuredStep], figures: Efficiencies, fitted: Fitted) -> None:
        """Lay the runs out around `fitted`."""
        self._steps = steps
        plain = msgspec.structs.replace(without_shares(figures), fitted=fitted)
        self._measured = np.array([step.measured_s for step in steps])
        self._predicted = StepSet(steps, plain).predicted_s(fitted)
        self._parts = _parts(steps, plain)
        self._columns = [part.columns() for part in self._parts]
        self._noise = np.ones(len(steps))
        """Where the runs' weights stood still last, near which they do without a few of the runs."""

    def told(
        self, spread: ShareSpread, predicted_s: Floats | None = None, kept: NDArray[np.bool_] | None = None
    ) -> tuple[CardShare, ...]:
        """The shares of the cards of the kept runs (None: all), from what figures without shares predict of all runs.

        `predicted_s` None: what the figures predict that the runs are laid out around. The kept runs alone weigh each
        other; the spreads, and how much a share moves a run, are those of all runs. Raises ArithmeticError where the
        runs' weights never stand still.
        """
        inside = np.flatnonzero(np.ones(len(self._steps)) if kept is None else kept)
        errors = np.log(self._measured / (self._predicted if predicted_s is None else predicted_s))[inside]
        pull = self._pull(errors, inside, spread)
        widths = (spread.bandwidth, spread.compute)
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

    def _pull(self, errors: Floats, inside: NDArray[np.intp], spread: ShareSpread) -> Floats:
        """The errors of the chosen runs over their covariance, once the weights of these runs stand still."""
        shared, noise = self._shared(spread)[inside], self._noise[inside]
        for _ in range(_MOST_ROUNDS):
            before, noise = noise, _weighed(errors, shared, noise, spread.run)
            if np.abs(np.log(noise / before)).max() < _STILL:
                break
        else:
            raise ArithmeticError(_MOVING)
        self._noise[inside] = noise
        return _Inverse(shared, spread.run**2 * noise).times(errors)

    def _shared(self, spread: ShareSpread) -> Floats:
        """What runs share, shape (runs, reasons): times itself turned, the covariance but for the runs' own."""
        return self._wide([getattr(spread, name) for name in ShareSpread.__struct_fields__[:-1]])

    def _wide(self, widths: Iterable[float]) -> Floats:
        """The columns of all parts, each part's times its spread."""
        return np.hstack([width * columns for width, columns in zip(widths, self._columns, strict=True)])

    def _slopes(self, inverse: _Inverse, pull: Floats, widths: Floats) -> Iterator[float]:
        """How the unlikeliness goes with the logarithm of each part's variance."""
        start = 0
        for width, columns in zip(widths, self._columns, strict=True):
            end = start + columns.shape[1]
            alike = width * columns
            yield float((alike * inverse.times_columns[:, start:end]).sum() - ((pull @ alike) ** 2).sum())
            start = end

    def spread(self) -> ShareSpread:
        """How much each varies, in turn with the runs' weights until both stand still: expectation maximisation.

        Needs scipy (the extra `fit`). Raises ArithmeticError where they never do.
        """
        errors = np.log(self._measured / self._predicted)
        names = ShareSpread.__struct_fields__
        noise, spread = np.ones(len(errors)), ShareSpread(**dict.fromkeys(names, _START))
        for _ in range(_MOST_ROUNDS):
            before, spread = spread, self._estimated(errors, noise, spread)
            if max(abs(np.log(getattr(spread, name) / getattr(before, name))) for name in names) < _STILL:
                return spread
            noise = _weighed(errors, self._shared(spread), noise, spread.run)
        raise ArithmeticError(_MOVING)

    def _estimated(self, errors: Floats, noise: Floats, start: ShareSpread) -> ShareSpread:
        """The spreads that make the errors most likely where the runs' own errors have variances as `noise` to one."""
        from scipy.optimize import minimize

        names = ShareSpread.__struct_fields__

        def unlikeliness(logs: Floats) -> tuple[float, Floats]:
            widths, variances = np.exp(logs), np.exp(2.0 * logs)
            found = _Inverse(self._wide(widths[:-1]), variances[-1] * noise)
            pull = found.times(errors)
            slopes = [*self._slopes(found, pull, widths[:-1])]
            slopes.append(variances[-1] * float((noise * (found.diagonal - pull**2)).sum()))
            return found.log_determinant() + float(errors @ pull), 2.0 * np.array(slopes)

        begin = np.log([getattr(start, name) for name in names])
        ends = [(np.log(_SMALLEST), np.log(_LARGEST))] * len(names)
        options = {"maxfun": _EVALUATIONS}
        found = minimize(unlikeliness, begin, jac=True, method="L-BFGS-B", bounds=ends, options=options)
        return ShareSpread(**{name: float(width) for name, width in zip(names, np.exp(found.x), strict=True)})


def _weighed(errors: Floats, shared: Floats, noise: Floats, run: float) -> Floats:
    """Variance of each run's own error over `run` squared, as Student's distribution has it of what is known of it.

    What is known of it is its mean and its variance: the square to be expected is more than that of the mean.
    """
    prior = run**2 * noise
    inverse = _Inverse(shared, prior)
    mean, variance = prior * inverse.times(errors), prior - prior**2 * inverse.diagonal
    return np.asarray((FREEDOM + (mean**2 + variance) / run**2) / (FREEDOM + 1.0))


def without_shares(figures: Efficiencies) -> Efficiencies:
    """The figures as they stand for a card of which nothing is told."""
    return msgspec.structs.replace(figures, cards=())


def slopes_of(steps: Sequence[MeasuredStep], figures: Efficiencies) -> tuple[Floats, Floats]:
    """The `share_slopes` of the steps, each of shape (steps,)."""

    def seconds(changed: Efficiencies) -> Floats:
        return StepSet(steps, changed).predicted_s(changed.fitted)

    return share_slopes(seconds, seconds(figures), [step.spec.key for step in steps], figures)


def _parts(steps: Sequence[MeasuredStep], plain: Efficiencies) -> tuple[_Part, ...]:
    """In the order of `ShareSpread`, but for the run's own."""
    cards, sources = [step.spec.key for step in steps], [step.source for step in steps]
    bandwidth, compute = slopes_of(steps, plain)
    return (
        _Part(bandwidth, cards),
        _Part(compute, cards),
        _Part(bandwidth, sources),
        _Part(compute, sources),
        _Part(np.ones(len(steps)), [step.workload for step in steps]),
    )
