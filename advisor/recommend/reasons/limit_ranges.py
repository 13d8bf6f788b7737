"""Where the middle of a figure keeps a limit and its range does not: how far it reaches, and what would stay inside."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from advisor.core.sentences import Arguments, Money, Reason
from advisor.predict.prediction import Prediction
from advisor.recommend.batch_size import MAX_GLOBAL_BATCH_GROWTH
from advisor.recommend.comparison import Comparison, set_up_name
from advisor.recommend.ranking import within_limits
from advisor.recommend.reasons.loading import least_job_s
from advisor.recommend.recommendation import Limits, Recommendation, prediction_of
from advisor.recommend.tie_decision import expected

WORTH_NAMING_RATIO = 1.15
"""By so much another's upper end has to lie below the advised one's to be named though it passes the limit too."""


def range_reasons(comparison: Comparison, advised: Sequence[Recommendation | None]) -> Iterator[Reason]:
    """A sentence for each limit that the range of an advised set-up passes; power is a board's limit, without range."""
    for recommendation in advised:
        chosen = prediction_of(comparison.predictions, recommendation)
        passed = {} if chosen is None else _passed(chosen, comparison)
        if chosen is not None and passed:
            instead = _instead(comparison, chosen)
            yield from (_told(kind, chosen, instead(kind), comparison) for kind in passed)


def loading_limit_reasons(comparison: Comparison, advised: Sequence[Recommendation | None]) -> Iterator[Reason]:
    """A sentence for each limit that an advised set-up keeps but for its loading, as far as that is bounded.

    Of this machine's own devices no cost is told: what electricity they draw while they wait is not known.
    """
    limits = comparison.limits
    for chosen in (prediction_of(comparison.predictions, one) for one in advised):
        least = None if chosen is None else least_job_s(comparison, chosen)
        if chosen is None or chosen.job_s is None or least is None:
            continue
        if limits.max_job_s is not None and least > limits.max_job_s:
            yield Reason.of("caveat-hours-loading", least_s=least, limit_s=limits.max_job_s)
        if limits.max_cost is None or chosen.cost is None or chosen.device.local:
            continue
        cost = chosen.cost.value * least / chosen.job_s.value
        if cost > limits.max_cost:
            least_cost = Money(cost=cost, currency=chosen.currency)
            yield Reason.of("caveat-cost-loading", least=least_cost, limit=_limit_of_cost(limits, chosen.currency))


class _Other(NamedTuple):
    """What is told beside a range that passes a limit."""

    kind: Literal["instead", "larger", "nearest"]
    """It keeps every limit surely; so it does with larger steps than any that may be advised; it comes nearest."""
    prediction: Prediction


def _instead(comparison: Comparison, chosen: Prediction) -> Callable[[str], _Other | None]:
    """What to name for a limit: what surely keeps all of them, else what reaches least beyond that one."""
    sure = surely_within(comparison, chosen)
    if sure is not None:
        larger = sure.global_batch_size > max(comparison.global_limit, chosen.global_batch_size)
        return lambda _: _Other("larger" if larger else "instead", sure)

    def nearest(kind: str) -> _Other | None:
        ends = [(_passed(one, comparison).get(kind, math.inf), one) for one in _as_plain(comparison, chosen)]
        high, other = min(ends, key=lambda entry: entry[0], default=(math.inf, chosen))
        nearer = high * WORTH_NAMING_RATIO <= _passed(chosen, comparison)[kind]
        return _Other("nearest", other) if nearer else None

    return nearest


def surely_within(comparison: Comparison, chosen: Prediction) -> Prediction | None:
    """What keeps every limit with the whole of its range and asks for no more of the code; of those, the goal's best.

    For time, where more cards are always quicker, the fewest. Where nothing within the bound on a step's samples does,
    and that is there for want of a trial, the smallest of larger steps.
    """
    most = max(comparison.global_limit, chosen.global_batch_size)

    def nearness(one: Prediction) -> tuple[int, bool, float]:
        fewest = one.count if comparison.goal == "time" else 0
        return fewest, one.may_run_out, expected(one, comparison)

    inside = [one for one in _as_plain(comparison, chosen) if not _passed(one, comparison)]
    if inside or not comparison.bound_is_assumed:
        return min(inside, key=nearness, default=None)
    larger = [
        one
        for one in _as_plain(comparison, chosen, round(most * MAX_GLOBAL_BATCH_GROWTH))
        if one.count > 1 and one.strategy != "dp" and not _passed(one, comparison)
    ]
    return min(larger, key=lambda one: (one.global_batch_size, nearness(one)), default=None)


def _as_plain(comparison: Comparison, chosen: Prediction, most: int | None = None) -> list[Prediction]:
    """What keeps the limits by its middle, fits as surely as the chosen one and asks for no more of the code.

    `most`: samples of a step; None: those that may be advised.
    """
    most = max(comparison.global_limit, chosen.global_batch_size) if most is None else most
    return [
        one
        for one in comparison.kept
        if one.fits is not False
        and not (one.may_run_out and not chosen.may_run_out)
        and one.effort_rank <= chosen.effort_rank
        and one.global_batch_size <= most
        and within_limits(one, comparison.limits, comparison.draws)
    ]


def _passed(prediction: Prediction, comparison: Comparison) -> dict[str, float]:
    """The upper end of each figure whose range goes beyond its limit, seconds or currency."""
    limits, job_s, cost = comparison.limits, prediction.job_s, prediction.cost
    ends = {
        "hours": (None if job_s is None else job_s.high, limits.max_job_s),
        "cost": (None if cost is None else cost.high, limits.max_cost),
    }
    return {
        kind: high for kind, (high, limit) in ends.items() if high is not None and limit is not None and high > limit
    }


def _told(kind: str, chosen: Prediction, named: _Other | None, comparison: Comparison) -> Reason:
    numbers = _ends(kind, chosen, comparison)
    if named is None:
        return Reason.of(f"caveat-{kind}-range", **numbers)
    other, how = named.prediction, named.kind
    # The other end is told of the same figure: where it keeps the limits surely it lies inside this one too.
    most = _ends(kind, other, comparison)
    inside: Arguments = {"device": set_up_name(other), "batch": other.batch_size_per_device}
    inside["steps"] = other.gradient_accumulation_steps
    inside |= {"most_s": most["high_s"]} if kind == "hours" else {"most": most["high"]}
    if how == "larger":
        inside |= {"samples": other.global_batch_size, "advised_samples": chosen.global_batch_size}
    return Reason.of(f"caveat-{kind}-range-{how}", **numbers, **inside)


def _ends(kind: str, prediction: Prediction, comparison: Comparison) -> Arguments:
    """The upper end of a figure, and its limit."""
    limits, job_s, cost, currency = comparison.limits, prediction.job_s, prediction.cost, prediction.currency
    if kind == "hours":
        assert job_s is not None  # what keeps a limit has its figure
        return {"high_s": job_s.high, "limit_s": limits.max_job_s or 0.0}
    assert cost is not None
    return {"high": Money(cost=cost.high, currency=currency), "limit": _limit_of_cost(limits, currency)}


def _limit_of_cost(limits: Limits, currency: str | None) -> Money:
    return Money(cost=limits.max_cost or 0.0, currency=currency)
