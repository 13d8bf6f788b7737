"""Picks from an advice what its charts show; no Qt, so that it is tested as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.present.batch_curve import up_to_the_limit

if TYPE_CHECKING:
    from advisor.predict.prediction import Prediction
    from advisor.recommend.recommendation import Recommendation
    from advisor.store.advice_record import AdviceRecord


def cpu_key(advice: AdviceRecord) -> str | None:
    """The CPU among the candidates, if it is one."""
    return next((prediction.device.key for prediction in advice.predictions if prediction.device.key == "cpu"), None)


def strategies_of(advice: AdviceRecord, chosen: Recommendation) -> tuple[Prediction, ...]:
    """The advised device at the advised batch and precision: every count, strategy and accumulation, best first."""
    best: dict[tuple[int, str, int], Prediction] = {}
    for one in advice.predictions:
        if one.differs_at_most_by(chosen, "count", "strategy", "gradient_accumulation_steps"):
            best.setdefault((one.count, one.strategy, one.gradient_accumulation_steps), one)
    return tuple(sorted(best.values(), key=lambda one: (one.count, -one.samples_per_s.value)))


_MEMORY_ROWS = 6


def memory_rows(advice: AdviceRecord, chosen: Recommendation) -> tuple[Prediction, ...]:
    """What one of the advised devices needs at batch sizes around the advised one, ascending.

    Holds the advised batch, the largest that fits and the first that does not, and fills up with smaller ones.
    """
    by_size: dict[int, Prediction] = {}
    for one in advice.predictions:
        if one.memory_parts and one.differs_at_most_by(chosen, "batch_size_per_device", "gradient_accumulation_steps"):
            by_size.setdefault(one.batch_size_per_device, one)
    curve = up_to_the_limit([by_size[size] for size in sorted(by_size)])
    fitting = [one for one in curve if one.fits is not False]
    kept = [one for one in curve if one.fits is False or one is fitting[-1]]
    kept += [one for one in curve if one.batch_size_per_device == chosen.batch_size_per_device and one not in kept]
    kept += [one for one in reversed(curve) if one not in kept][: max(_MEMORY_ROWS - len(kept), 0)]
    return tuple(sorted(kept, key=lambda one: one.batch_size_per_device))
