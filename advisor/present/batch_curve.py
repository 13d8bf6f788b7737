"""Which predictions of an advice make the curve of a device over its batch sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import STRATEGY_FACTS, Strategy
from advisor.predict.prediction import Prediction


def batch_curve(
    predictions: Iterable[Prediction], device_key: str, precision: Precision, beside: Strategy = "single"
) -> tuple[Prediction, ...]:
    """One device alone at every batch size that was looked at, ascending, with the least accumulation of each.

    `beside`: the strategy whose curve it stands beside; where that off-loads, so does the one device.
    """
    strategy = beside if STRATEGY_FACTS[beside].offloads else "single"
    curve: dict[int, Prediction] = {}
    for prediction in predictions:
        set_up = (prediction.device.key, prediction.count, prediction.precision, prediction.strategy)
        if set_up == (device_key, 1, precision, strategy):
            least = curve.setdefault(prediction.batch_size_per_device, prediction)
            if prediction.gradient_accumulation_steps < least.gradient_accumulation_steps:
                curve[prediction.batch_size_per_device] = prediction
    return up_to_the_limit([curve[size] for size in sorted(curve)])


def up_to_the_limit(curve: Sequence[Prediction]) -> tuple[Prediction, ...]:
    """What fits, and the first batch that does not: larger ones would only squeeze the curve."""
    fitting = [point for point in curve if point.fits is not False]
    largest = fitting[-1].batch_size_per_device if fitting else 0
    beyond = [point for point in curve if point.fits is False and point.batch_size_per_device > largest]
    return (*fitting, *beyond[:1])
