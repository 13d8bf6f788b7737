"""Which predictions of an advice make the curve of a device over its batch sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.predict.prediction import Prediction, SetUp


def batch_curve(
    predictions: Iterable[Prediction], device_key: str, precision: Precision, beside: SetUp
) -> tuple[Prediction, ...]:
    """One device alone at every batch size that was looked at, ascending, with the least accumulation of each.

    `beside`: what is advised, beside which it stands; where that off-loads, so does the one device, and what is added
    to free memory there is added here, where the device was looked at so.
    """
    strategy = beside.strategy if STRATEGY_FACTS[beside.strategy].offloads else "single"
    alone = [
        prediction
        for prediction in predictions
        if (prediction.device.key, prediction.count, prediction.precision, prediction.strategy)
        == (device_key, 1, precision, strategy)
    ]
    added = beside.added if any(prediction.added == beside.added for prediction in alone) else ()
    curve: dict[int, Prediction] = {}
    for prediction in alone:
        if prediction.added == added:
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
