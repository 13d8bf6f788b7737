"""What the user has fixed: every advice keeps it, and where nothing that fits can, none is given and it is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.records import Record
from advisor.core.sentences import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from advisor.catalogue.precisions import Precision
    from advisor.predict.prediction import Prediction
    from advisor.workload.workload import Training


class Fixed(Record, frozen=True, kw_only=True):
    """Which of the workload's settings are the user's own demand, not a starting point."""

    batch_size: bool = False
    """Samples a device in one pass, and no more passes a step than the workload's own."""
    precision: bool = False
    checkpointing: bool = False
    """What backward computes again; of nothing that is predicted here is any other looked at."""


FREE = Fixed()


def kept_by(
    fixed: Fixed, predictions: Sequence[Prediction], training: Training, global_batch_size: int | None = None
) -> tuple[Prediction, ...]:
    """The predictions that keep what is fixed, whether they fit or not.

    A card that lacks the fixed precision stays with the one that stands in for it; a `global_batch_size` that was
    asked for is made up of as many passes of the fixed batch as it takes.
    """
    kept = tuple(predictions)
    if fixed.batch_size:
        most = training.gradient_accumulation_steps if global_batch_size is None else global_batch_size
        own = [prediction for prediction in kept if prediction.batch_size_per_device == training.batch_size]
        kept = tuple(prediction for prediction in own if prediction.gradient_accumulation_steps <= most)
    if fixed.precision:
        having = devices_predicted_in(training.precision, predictions)
        kept = tuple(
            prediction
            for prediction in kept
            if prediction.precision == training.precision or prediction.device.key not in having
        )
    return kept


def not_kept(
    fixed: Fixed, predictions: Sequence[Prediction], training: Training, global_batch_size: int | None = None
) -> tuple[Reason, ...]:
    """Says what nothing that fits can keep, where something fits that does not keep it."""

    def is_kept(part: Fixed) -> bool:
        return any_fits(kept_by(part, predictions, training, global_batch_size))

    if not any_fits(predictions) or is_kept(fixed):
        return ()
    label = PRECISION_LABELS[training.precision]
    batch, precision = is_kept(replace(fixed, precision=False)), is_kept(replace(fixed, batch_size=False))
    if batch == precision:
        return (Reason.of("caveat-fixed-not-kept", batch=training.batch_size, precision=label),)
    if precision:
        return (Reason.of("caveat-batch-not-kept", batch=training.batch_size),)
    return (Reason.of("caveat-precision-not-kept", precision=label),)


def devices_predicted_in(precision: Precision, predictions: Iterable[Prediction]) -> frozenset[str]:
    """Keys of those that compute in it; of another device something else stands in for it."""
    return frozenset(prediction.device.key for prediction in predictions if prediction.precision == precision)


def any_fits(predictions: Sequence[Prediction]) -> bool:
    """Whether any of the set-ups fits, or may fit: of some that is unknown."""
    return any(prediction.fits is not False for prediction in predictions)
