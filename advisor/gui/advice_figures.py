"""Picks from an advice what its charts show; no Qt, so that it is tested as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.catalogue.precisions import Precision
    from advisor.predict.prediction import Prediction
    from advisor.recommend.recommendation import Recommendation
    from advisor.store.advice_record import AdviceRecord


def batch_curve(advice: AdviceRecord, device_key: str, precision: Precision) -> tuple[Prediction, ...]:
    """One device alone at every batch size that was looked at, ascending."""
    found: dict[int, Prediction] = {}
    for prediction in advice.predictions:
        alone = prediction.device.key == device_key and prediction.count == 1 and prediction.precision == precision
        if alone:
            known = found.get(prediction.batch_size_per_device)
            if known is None or prediction.gradient_accumulation_steps < known.gradient_accumulation_steps:
                found[prediction.batch_size_per_device] = prediction
    return up_to_the_limit([found[size] for size in sorted(found)])


def up_to_the_limit(curve: Sequence[Prediction]) -> tuple[Prediction, ...]:
    """What fits, and the first batch that does not: larger ones would only squeeze the curve."""
    fitting = [one for one in curve if one.fits is not False]
    beyond = [
        one
        for one in curve
        if one.fits is False and (not fitting or one.batch_size_per_device > fitting[-1].batch_size_per_device)
    ]
    return (*fitting, *beyond[:1])


def cpu_key(advice: AdviceRecord) -> str | None:
    """The CPU among the candidates, if it is one."""
    return next((prediction.device.key for prediction in advice.predictions if prediction.device.key == "cpu"), None)


def strategies_of(advice: AdviceRecord, chosen: Recommendation) -> tuple[Prediction, ...]:
    """The advised device at the advised batch and precision: every count, strategy and accumulation, best first."""
    found: dict[tuple[int, str, int], Prediction] = {}
    for one in advice.predictions:
        if one.differs_at_most_by(chosen, "count", "strategy", "gradient_accumulation_steps"):
            found.setdefault((one.count, one.strategy, one.gradient_accumulation_steps), one)
    return tuple(sorted(found.values(), key=lambda one: (one.count, -one.samples_per_s.value)))


def memory_rows(advice: AdviceRecord, chosen: Recommendation, limit: int = 6) -> tuple[Prediction, ...]:
    """What one of the advised devices needs at batch sizes around the advised one, ascending.

    Holds the advised batch, the largest that fits and the first that does not, and fills up with smaller ones.
    """
    found: dict[int, Prediction] = {}
    for one in advice.predictions:
        if one.memory_parts and one.differs_at_most_by(chosen, "batch_size_per_device", "gradient_accumulation_steps"):
            found.setdefault(one.batch_size_per_device, one)
    curve = up_to_the_limit([found[size] for size in sorted(found)])
    fitting = [one for one in curve if one.fits is not False]
    kept = [one for one in curve if one.fits is False or one is fitting[-1]]
    kept += [one for one in curve if one.batch_size_per_device == chosen.batch_size_per_device and one not in kept]
    kept += [one for one in reversed(curve) if one not in kept][: max(limit - len(kept), 0)]
    return tuple(sorted(kept, key=lambda one: one.batch_size_per_device))
