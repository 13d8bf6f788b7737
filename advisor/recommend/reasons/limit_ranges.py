"""Where the middle of a figure keeps a limit and its range does not: how far it reaches, and what would stay inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.core.sentences import Arguments, Reason
from advisor.core.units import format_cost
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison, set_up_name
from advisor.recommend.ranking import within_limits
from advisor.recommend.recommendation import Recommendation, prediction_of
from advisor.recommend.tie_decision import expected


def range_reasons(comparison: Comparison, advised: Sequence[Recommendation | None]) -> Iterator[Reason]:
    """A sentence for each limit that the range of an advised set-up passes; power is a board's limit, without range."""
    for recommendation in advised:
        chosen = prediction_of(comparison.predictions, recommendation)
        passed = {} if chosen is None else _passed(chosen, comparison)
        if chosen is not None and passed:
            other = surely_within(comparison, chosen)
            yield from (_told(kind, chosen, other, comparison) for kind in passed)


def surely_within(comparison: Comparison, chosen: Prediction) -> Prediction | None:
    """What keeps every limit with the whole of its range and asks for no more of the code; of those, the goal's best.

    For time, where more cards are always quicker, the fewest.
    """
    most = max(comparison.global_limit, chosen.global_batch_size)
    inside = [
        one
        for one in comparison.kept
        if one.fits is not False
        and not (one.may_run_out and not chosen.may_run_out)
        and one.effort_rank <= chosen.effort_rank
        and one.global_batch_size <= most
        and within_limits(one, comparison.limits, comparison.draws)
        and not _passed(one, comparison)
    ]

    def nearness(one: Prediction) -> tuple[int, bool, float]:
        fewest = one.count if comparison.goal == "time" else 0
        return fewest, one.may_run_out, expected(one, comparison)

    return min(inside, key=nearness, default=None)


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


def _told(kind: str, chosen: Prediction, other: Prediction | None, comparison: Comparison) -> Reason:
    numbers = _ends(kind, chosen, comparison)
    if other is None:
        return Reason.of(f"caveat-{kind}-range", **numbers)
    # The other end is told of the same figure: it lies inside this limit too.
    most = _ends(kind, other, comparison)
    inside: Arguments = {"device": set_up_name(other), "batch": other.batch_size_per_device}
    inside["steps"] = other.gradient_accumulation_steps
    inside |= {"most_s": most["high_s"]} if kind == "hours" else {"most": most["high"]}
    return Reason.of(f"caveat-{kind}-range-instead", **numbers, **inside)


def _ends(kind: str, prediction: Prediction, comparison: Comparison) -> Arguments:
    """The upper end of a figure, and its limit."""
    limits, job_s, cost, currency = comparison.limits, prediction.job_s, prediction.cost, prediction.currency
    if kind == "hours":
        assert job_s is not None  # what keeps a limit has its figure
        return {"high_s": job_s.high, "limit_s": limits.max_job_s or 0.0}
    assert cost is not None
    return {"high": format_cost(cost.high, currency), "limit": f"{limits.max_cost:g} {currency or ''}".strip()}
