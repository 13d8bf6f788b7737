"""What the user has fixed: kept in every advice that can keep it, and said where nothing can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.records import Record
from advisor.core.sentences import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.predict.prediction import Prediction
    from advisor.workload.workload import Training


class Fixed(Record, frozen=True, kw_only=True):
    """Which of the workload's settings are the user's own demand, not a starting point."""

    batch_size: bool = False
    """Samples a device in one pass, and no more passes a step than the workload's own."""
    precision: bool = False


FREE = Fixed()


def kept_by(fixed: Fixed, predictions: Sequence[Prediction], training: Training) -> tuple[Prediction, ...]:
    """The predictions that keep what is fixed; one demand after the other is dropped where none that fits keeps it.

    A card that lacks the fixed precision stays with the one that stands in for it.
    """
    kept = tuple(predictions)
    if fixed.batch_size:
        own, steps = training.batch_size, training.gradient_accumulation_steps
        kept = _or_all(
            [one for one in kept if one.batch_size_per_device == own and one.gradient_accumulation_steps <= steps],
            kept,
        )
    if fixed.precision:
        having = {one.device.key for one in kept if one.precision == training.precision}
        exact = [one for one in kept if one.precision == training.precision or one.device.key not in having]
        kept = _or_all(exact, kept)
    return kept


def _or_all(wanted: Sequence[Prediction], every: tuple[Prediction, ...]) -> tuple[Prediction, ...]:
    return tuple(wanted) if any(one.fits is not False for one in wanted) else every


def not_kept(fixed: Fixed, predictions: Sequence[Prediction], training: Training) -> tuple[Reason, ...]:
    """Says which demand nothing that fits could keep."""
    fitting = [prediction for prediction in predictions if prediction.fits is not False]
    found = []
    if fixed.batch_size and fitting and all(one.batch_size_per_device != training.batch_size for one in fitting):
        found.append(Reason.of("caveat-batch-not-kept", batch=training.batch_size))
    if fixed.precision and fitting and all(one.precision != training.precision for one in fitting):
        label = PRECISION_LABELS[training.precision]
        found.append(Reason.of("caveat-precision-not-kept", precision=label))
    return tuple(found)
