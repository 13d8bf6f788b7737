"""Limits that nothing keeps: the set-up that comes nearest to them, and by how much it misses each."""

from __future__ import annotations

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.sentences import Arguments, Reason
from advisor.core.units import format_cost, value_of
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison, set_up_name


def is_limited(comparison: Comparison) -> bool:
    """Whether any limit on cost, power or hours is set."""
    limits = comparison.limits
    return any(limit is not None for limit in (limits.max_cost, limits.max_job_s, limits.max_power_w))


def nearest_to_limits(comparison: Comparison, *, local: bool = False) -> tuple[Reason, ...]:
    """One sentence for each limit that the nearest set-up misses; none where every set-up lacks a figure for one.

    Nearest is whose worst excess, as a multiple of its limit, is least; of a device of this machine with `local`.
    """
    nearest = next((one for one in _nearest_first(comparison) if one.device.local or not local), None)
    if nearest is None:
        return ()
    return tuple(
        Reason.of(code, **_described(nearest), **_figures(code, nearest, comparison), times_ratio=ratio)
        for code, ratio in _excess(nearest, comparison).items()
        if ratio > 1
    )


def nearest_of_each_device(comparison: Comparison) -> dict[str, Prediction]:
    """The set-up of each device, by its key, that comes nearest to the limits; none where a figure is lacking."""
    nearest: dict[str, Prediction] = {}
    for one in _nearest_first(comparison):
        nearest.setdefault(one.device.key, one)
    return nearest


def _nearest_first(comparison: Comparison) -> list[Prediction]:
    known = [
        (max(excess.values()), value_of(one.job_s), one)
        for one in comparison.kept
        if one.fits is not False
        and one.global_batch_size <= comparison.global_limit
        and (excess := _excess(one, comparison))
    ]
    return [one for _, _, one in sorted(known, key=lambda entry: entry[:2])]


def _excess(one: Prediction, comparison: Comparison) -> dict[str, float]:
    """What a set-up takes over each limit that is set, by the sentence's code; empty where a figure is unknown."""
    limits = comparison.limits
    wanted = (
        ("caveat-nearest-cost", one.cost.value if one.cost is not None else None, limits.max_cost),
        ("caveat-nearest-hours", one.job_s.value if one.job_s is not None else None, limits.max_job_s),
        ("caveat-nearest-power", _power_w(one, comparison), limits.max_power_w),
    )
    asked = [(code, value, limit) for code, value, limit in wanted if limit is not None]
    if any(value is None for _, value, _ in asked):
        return {}
    return {code: value / limit for code, value, limit in asked if value is not None and limit > 0}


def _power_w(one: Prediction, comparison: Comparison) -> float | None:
    draw = comparison.draws.get(one.device.key)
    return draw.limit_w * one.count if draw is not None and draw.limit_w is not None else None


def _described(one: Prediction) -> Arguments:
    return {
        "device": set_up_name(one),
        "precision": PRECISION_LABELS[one.precision],
        "batch": one.batch_size_per_device,
    }


def _figures(code: str, one: Prediction, comparison: Comparison) -> Arguments:
    """The set-up's own figure and the limit that it misses."""
    limits = comparison.limits
    if code == "caveat-nearest-cost" and one.cost is not None:
        limit = f"{limits.max_cost:g} {one.currency or ''}".strip()
        return {"cost": format_cost(one.cost.value, one.currency), "limit": limit}
    if code == "caveat-nearest-hours" and one.job_s is not None:
        return {"job_s": one.job_s.value, "limit_s": limits.max_job_s or 0.0}
    return {"power_w": _power_w(one, comparison) or 0.0, "limit_w": limits.max_power_w or 0.0}
