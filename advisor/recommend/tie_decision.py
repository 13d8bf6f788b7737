"""What decides inside a tie: what is here already, or the least expected cost, energy or time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from advisor.core.sentences import Money, Names, Reason
from advisor.core.units import Estimate, value_of
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison, set_up_name
from advisor.recommend.ranking import Row, is_trusted, score, touches, within_limits
from advisor.recommend.strategy import STARTING_S, is_over_at_once

_ALIKE_FRACTION = 0.005
"""Times that differ by less read alike, and decide nothing that anybody would notice."""


def preference(
    row: Row, first: Sequence[Row], comparison: Comparison
) -> tuple[bool, bool, bool, bool, tuple[float, float]]:
    """Sorts the leaders of a tie (`first`), the one to take first.

    For time: what is here already, unless another leader is clearly ahead of it at another batch size. Then for every
    goal what holds a step by itself, at most sharded, what has room for the whole range of its memory need, and what
    runs of its maker's cards bear out. Then for time the cheaper where all of them have prices and the shorter expected
    time; for cost and energy the least that is expected of it and the shorter job.
    """
    prediction = row.prediction
    here = comparison.goal == "time" and prediction.device.local and not _is_outrun(prediction, first, comparison)
    priced = all(row.prediction.cost is not None for row in first)
    leans = not prediction.holds_plainly
    figures = _figures(prediction, comparison, priced=priced)
    return (not here, leans, prediction.may_run_out, not prediction.is_borne_out, figures)


def _figures(prediction: Prediction, comparison: Comparison, *, priced: bool) -> tuple[float, float]:
    """What is compared inside a tie, the first one first; `priced`: a price is known of all of them."""
    own = expected(prediction, comparison)
    if comparison.goal == "time":
        return (value_of(prediction.cost) if priced else 0.0, own)
    return (own, value_of(prediction.job_s))


def _is_outrun(own: Prediction, first: Sequence[Row], comparison: Comparison) -> bool:
    """Whether another leader's card would be clearly ahead at another batch size: the tie is that of this one alone."""
    if is_over_at_once(own):
        return False
    rivals = {_card(row.prediction) for row in first if row.prediction.device != own.device}
    figure = score(own, comparison.goal)
    return figure is not None and any(
        value.high < figure.low and not touches(value, figure)
        for prediction in comparison.kept
        if _card(prediction) in rivals
        and prediction.fits is not False
        and prediction.global_batch_size <= comparison.global_limit
        if within_limits(prediction, comparison.limits, comparison.draws)
        if (value := score(prediction, comparison.goal)) is not None
    )


def _card(prediction: Prediction) -> tuple[object, ...]:
    return prediction.device.key, prediction.count, prediction.strategy, prediction.precision


def expected(prediction: Prediction, comparison: Comparison) -> float:
    """The middle of the goal's figure; infinite where it is unknown."""
    return value_of(score(prediction, comparison.goal))


def counted_on(comparison: Comparison) -> Callable[[Prediction, Estimate], Estimate]:
    """A figure that reaches no further up than the same set-up does in another precision that may be advised.

    Who finds that FP8 gains nothing goes back to 16 bits: that its range is wide, since no published run bears it out,
    is no reason to call another card as good that takes as long as none of its own precisions may. And a job that takes
    less than its start counts as that much: what another one is ahead by nobody would notice.
    """
    highest: dict[tuple[object, ...], float] = {}
    for prediction in comparison.kept:
        figure = score(prediction, comparison.goal)
        if figure is not None and prediction.fits is not False:
            key = prediction.set_up_but("precision")
            highest[key] = min(figure.high, highest.get(key, math.inf))

    def figure_counted_on(prediction: Prediction, estimate: Estimate) -> Estimate:
        if not is_trusted(prediction, comparison.untrusted):
            return estimate
        most = highest.get(prediction.set_up_but("precision"), estimate.high)
        start_s = STARTING_S if comparison.goal == "time" and is_over_at_once(prediction) else 0.0
        return replace(estimate, high=max(start_s, estimate.value, min(most, estimate.high)))

    return figure_counted_on


def tie_decision(comparison: Comparison, chosen: Prediction, others: Sequence[Prediction]) -> Iterator[Reason]:
    """Which figure decided between the chosen set-up and the nearest of those that it is tied with."""
    if comparison.goal == "time" and chosen.device.local and not all(other.device.local for other in others):
        yield Reason.of("why-tie-here", device=set_up_name(chosen))
        return
    leaning = _ahead(comparison, chosen, [one for one in others if chosen.holds_plainly and not one.holds_plainly])
    if leaning:
        yield Reason.of("why-tie-plain", device=set_up_name(chosen), others=_names(leaning))
    tight = _ahead(comparison, chosen, [one for one in others if one.may_run_out and not chosen.may_run_out])
    if tight:
        yield passed_over(chosen, tight)
    unproven = _ahead(comparison, chosen, [one for one in others if chosen.is_borne_out and not one.is_borne_out])
    if unproven:
        yield Reason.of("why-tie-borne-out", device=set_up_name(chosen), others=_names(unproven))
    others = [one for one in others if one not in (*leaning, *tight, *unproven)]
    if not others:
        return
    if comparison.goal == "energy":
        nearest = min(others, key=lambda prediction: expected(prediction, comparison))
        if chosen.energy_j is not None and nearest.energy_j is not None:
            yield Reason.of(
                "why-tie-energy",
                other=set_up_name(nearest),
                energy_j=chosen.energy_j.value,
                other_energy_j=nearest.energy_j.value,
            )
        return
    priced = [(other.cost.value, other) for other in others if other.cost is not None]
    if chosen.cost is not None and priced and (comparison.goal == "cost" or len(priced) == len(others)):
        cost, nearest = min(priced, key=lambda entry: entry[0])
        yield Reason.of(
            "why-tie-cost",
            other=set_up_name(nearest),
            cost=Money(cost=chosen.cost.value, currency=chosen.currency),
            other_cost=Money(cost=cost, currency=chosen.currency),
        )
        return
    if comparison.goal == "time":
        yield from _decided_by_time(chosen, others)


def _decided_by_time(chosen: Prediction, others: Sequence[Prediction]) -> Iterator[Reason]:
    """The nearest time, or that times are alike; of jobs that are over at once it is told that any device does."""
    timed = [(other.job_s.value, other) for other in others if other.job_s is not None]
    if not timed or chosen.job_s is None:
        return
    job_s, nearest = min(timed, key=lambda entry: entry[0])
    if max(job_s, chosen.job_s.value) < STARTING_S:
        return
    if abs(job_s - chosen.job_s.value) < _ALIKE_FRACTION * job_s:
        yield Reason.of("why-tie-alike", other=set_up_name(nearest), job_s=chosen.job_s.value)
        return
    yield Reason.of("why-tie-time", other=set_up_name(nearest), job_s=chosen.job_s.value, other_job_s=job_s)


def _ahead(comparison: Comparison, chosen: Prediction, others: Sequence[Prediction]) -> tuple[Prediction, ...]:
    """Those of a tie that would have been taken before the chosen one by the figures."""
    priced = all(one.cost is not None for one in (chosen, *others))
    own = _figures(chosen, comparison, priced=priced)
    return tuple(one for one in others if _figures(one, comparison, priced=priced) < own)


def passed_over(chosen: Prediction, tight: Sequence[Prediction]) -> Reason:
    """That those of a tie which may run out of memory come after what has room for the whole of its range."""
    return Reason.of("why-tie-memory", device=set_up_name(chosen), others=_names(tight))


def _names(set_ups: Sequence[Prediction]) -> Names:
    return Names(names=tuple(set_up_name(one) for one in set_ups))
