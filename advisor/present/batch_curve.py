"""Which predictions of an advice make the curve of a device over its batch sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.predict.additions import ADDITIONS
from advisor.predict.prediction import Prediction, SetUp

_ON_THE_CURVE = ("batch_size_per_device", "gradient_accumulation_steps", *(f"{name}_added" for name in ADDITIONS))


def batch_curve(
    predictions: Iterable[Prediction], device_key: str, precision: Precision, beside: SetUp
) -> tuple[Prediction, ...]:
    """One device alone at every batch size that was looked at, ascending, with the least accumulation of each.

    `beside`: what is advised, beside which it stands; where that off-loads, so does the one device, and what is added
    to free memory there is added here, where the device was looked at so. Where one alone was not looked at, as
    in a question that names set-ups, or holds no step, as many as are advised make the curve.
    """
    of_device = [one for one in predictions if one.device.key == device_key and one.precision == precision]
    strategy = beside.strategy if STRATEGY_FACTS[beside.strategy].offloads else "single"
    alone = [one for one in of_device if (one.count, one.strategy) == (1, strategy)]
    chosen = alone if any(one.fits is not False for one in alone) else _in_numbers(of_device, beside) or alone
    added = beside.added if any(one.added == beside.added for one in chosen) else ()
    curve: dict[int, Prediction] = {}
    for one in chosen:
        if one.added == added:
            least = curve.setdefault(one.batch_size_per_device, one)
            if _stands_before(one, least, beside):
                curve[one.batch_size_per_device] = one
    return up_to_the_limit([curve[size] for size in sorted(curve)])


def _in_numbers(of_device: Sequence[Prediction], beside: SetUp) -> list[Prediction]:
    """Several of a device: in the number and way that is advised, else as its quickest set-up that fits."""
    of_advised = [one for one in of_device if one.differs_at_most_by(beside, *_ON_THE_CURVE)]
    if of_advised or not of_device:
        return of_advised
    fitting = [one for one in of_device if one.fits is not False] or of_device
    quickest = max(fitting, key=lambda one: one.samples_per_s.value)
    return [one for one in of_device if (one.count, one.strategy) == (quickest.count, quickest.strategy)]


def _stands_before(one: Prediction, other: Prediction, beside: SetUp) -> bool:
    """Of one batch size: what is advised itself, where it is of several, else what accumulates less."""
    if beside.count > 1 and beside.set_up in {one.set_up, other.set_up}:
        return one.set_up == beside.set_up
    return one.gradient_accumulation_steps < other.gradient_accumulation_steps


def up_to_the_limit(curve: Sequence[Prediction]) -> tuple[Prediction, ...]:
    """What fits, and the first batch that does not: larger ones would only squeeze the curve."""
    fitting = [point for point in curve if point.fits is not False]
    largest = fitting[-1].batch_size_per_device if fitting else 0
    beyond = [point for point in curve if point.fits is False and point.batch_size_per_device > largest]
    return (*fitting, *beyond[:1])
