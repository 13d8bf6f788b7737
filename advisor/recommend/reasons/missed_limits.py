"""Limits that nothing keeps: the set-up that comes nearest to them, and by how much it misses each."""

from __future__ import annotations

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.by_key import firsts
from advisor.core.sentences import Arguments, Money, Reason
from advisor.core.units import value_of
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison, set_up_name
from advisor.recommend.ranking import against_limits


def is_limited(comparison: Comparison) -> bool:
    """Whether any limit on cost, power or hours is set."""
    limits = comparison.limits
    return any(limit is not None for limit in (limits.max_cost, limits.max_job_s, limits.max_power_w))


def nearest_to_limits(comparison: Comparison, *, local: bool = False) -> tuple[Reason, ...]:
    """One sentence for each limit that the nearest set-up misses; none where every set-up lacks a figure for one.

    Nearest is whose worst excess, as a multiple of its limit, is least; of a device of this machine with `local`.
    """
    nearest = next(
        (prediction for prediction in _nearest_first(comparison) if prediction.device.local or not local), None
    )
    if nearest is None:
        return ()
    return tuple(
        Reason.of(
            f"caveat-nearest-{kind}", **_described(nearest), **_figures(kind, nearest, comparison), times_ratio=ratio
        )
        for kind, ratio in _excess(nearest, comparison).items()
        if ratio > 1
    )


def nearest_of_each_device(comparison: Comparison) -> dict[str, Prediction]:
    """The set-up of each device, by its key, that comes nearest to the limits; none where a figure is lacking."""
    return firsts(_nearest_first(comparison), lambda prediction: prediction.device.key)


def _nearest_first(comparison: Comparison) -> list[Prediction]:
    by_excess = [
        (max(excess.values()), value_of(prediction.job_s), prediction)
        for prediction in comparison.kept
        if prediction.fits is not False
        and prediction.global_batch_size <= comparison.global_limit
        and (excess := _excess(prediction, comparison))
    ]
    return [prediction for _, _, prediction in sorted(by_excess, key=lambda entry: entry[:2])]


def _excess(prediction: Prediction, comparison: Comparison) -> dict[str, float]:
    """What a set-up takes over each limit that is set; empty where a figure is unknown."""
    taken = against_limits(prediction, comparison.limits, comparison.draws)
    if any(value is None for value, _ in taken.values()):
        return {}
    return {kind: value / limit for kind, (value, limit) in taken.items() if value is not None and limit > 0}


def _described(prediction: Prediction) -> Arguments:
    return {
        "device": set_up_name(prediction),
        "precision": PRECISION_LABELS[prediction.precision],
        "batch": prediction.batch_size_per_device,
    }


def _figures(kind: str, prediction: Prediction, comparison: Comparison) -> Arguments:
    """The set-up's own figure and the limit that it misses."""
    value, limit = against_limits(prediction, comparison.limits, comparison.draws)[kind]
    own = value or 0.0
    if kind == "cost":
        return {
            "cost": Money(cost=own, currency=prediction.currency),
            "limit": Money(cost=limit, currency=prediction.currency),
        }
    return {"job_s": own, "limit_s": limit} if kind == "hours" else {"power_w": own, "limit_w": limit}
