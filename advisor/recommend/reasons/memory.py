"""What would make a step smaller, told where memory decides: checkpointing, accumulation, a smaller optimizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Reason
from advisor.predict.memory_savings import MemorySaving, saving_reason
from advisor.predict.prediction import Prediction
from advisor.recommend.reasons.set_up import TIGHT_MEMORY_FRACTION
from advisor.recommend.recommendation import Recommendation, prediction_of
from advisor.workload.workload import Workload

_TOLD = 3
"""Savings, the largest first."""
_WORTH_TELLING_FRACTION = 0.05
"""Of what a card lacks: what saves less, as a smaller optimizer beside adapters does, helps nobody to hold a step."""


def memory_story(
    workload: Workload,
    predictions: Sequence[Prediction],
    best: Recommendation | None,
    savings: Callable[[Prediction], tuple[MemorySaving, ...]],
) -> tuple[Reason, ...]:
    """Sentences for the GPU nearest to holding the workload as it was given, else for an advised set-up that is tight.

    `savings` solves what each change would bring to a set-up; it is asked once at most.
    """
    nearest = _nearest_without_room(workload, predictions)
    if nearest is not None:
        told_savings = _told(_worth_telling(nearest, savings(nearest)))
        return (_no_room(nearest), *told_savings) if told_savings else ()
    chosen = _tight(predictions, best)
    return () if chosen is None else _told(savings(chosen))


def _told(savings: Sequence[MemorySaving]) -> tuple[Reason, ...]:
    return tuple(saving_reason(saving) for saving in savings[:_TOLD])


def _worth_telling(nearest: Prediction, savings: Sequence[MemorySaving]) -> list[MemorySaving]:
    assert nearest.peak_memory_bytes is not None  # what lacks room has both figures
    assert nearest.usable_memory_bytes is not None
    lacking = nearest.peak_memory_bytes.value - nearest.usable_memory_bytes
    return [saving for saving in savings if saving.saved_bytes >= _WORTH_TELLING_FRACTION * lacking]


def _nearest_without_room(workload: Workload, predictions: Sequence[Prediction]) -> Prediction | None:
    """Of the single GPUs that cannot hold the workload's own batch, the one that lacks least.

    What frees memory on a card is told already where something was added for that.
    """
    training = workload.training
    held = {prediction.device.key for prediction in predictions if prediction.added and prediction.fits}
    lacking = [
        (prediction.peak_memory_bytes.value - prediction.usable_memory_bytes, prediction.device.name, prediction)
        for prediction in predictions
        if prediction.fits is False
        and prediction.device.key not in {"cpu", *held}
        and prediction.strategy == "single"
        and prediction.precision == training.precision
        and prediction.batch_size_per_device == training.batch_size
        and prediction.peak_memory_bytes is not None
        and prediction.usable_memory_bytes is not None
        # What is off-loaded may lack room in the host, and a card here may have too little free.
        and prediction.peak_memory_bytes.value > prediction.usable_memory_bytes
    ]
    return min(lacking, key=lambda item: item[:2], default=(0.0, "", None))[2]


def _no_room(prediction: Prediction) -> Reason:
    assert prediction.peak_memory_bytes is not None  # what lacks room has both figures
    assert prediction.usable_memory_bytes is not None
    return Reason.of(
        "memory-no-room",
        device=prediction.device.name,
        batch=prediction.batch_size_per_device,
        precision=PRECISION_LABELS[prediction.precision],
        need_bytes=prediction.peak_memory_bytes.value,
        capacity_bytes=prediction.usable_memory_bytes,
    )


def _tight(predictions: Sequence[Prediction], best: Recommendation | None) -> Prediction | None:
    """The prediction of the advised set-up, where a step fills most of a GPU that holds the whole model."""
    if best is None or best.device.key == "cpu" or STRATEGY_FACTS[best.strategy].shards:
        return None
    chosen = prediction_of(predictions, best)
    if chosen is None or chosen.memory_share is None:
        return None
    return chosen if chosen.may_run_out or chosen.memory_share >= TIGHT_MEMORY_FRACTION else None
