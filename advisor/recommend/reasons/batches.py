"""Why a batch size: its own, what fits, what has room, what was asked for; why several passes; the learning rate."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.core.sentences import Reason
from advisor.predict.prediction import Prediction
from advisor.predict.time_to_train import learning_rate_range
from advisor.recommend.batch_size import batch_reason
from advisor.recommend.comparison import Comparison


def _own_without_room(prediction: Prediction, chosen: Prediction, own_batch: int) -> bool:
    """Whether it is the set-up at the workload's own batch and lacks room: with more micro-batches it lacks it too."""
    return (
        prediction.fits is False
        and prediction.batch_size_per_device == own_batch
        and prediction.gradient_accumulation_steps <= chosen.gradient_accumulation_steps
        and prediction.differs_at_most_by(chosen, "batch_size_per_device", "gradient_accumulation_steps")
    )


def batch_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """Why this batch size and so many passes a step, and what they ask of the learning rate."""
    training = comparison.workload.training
    own = training.batch_size
    curve = [
        prediction
        for prediction in comparison.predictions
        if prediction.differs_at_most_by(chosen, "batch_size_per_device") or _own_without_room(prediction, chosen, own)
    ]
    passes, tight = tuple(_passes_reasons(comparison, chosen)), _own_tight(comparison, chosen)
    if tight is not None:
        yield _batch_for_room(tight, chosen)
    elif comparison.fixed.batch_size and chosen.batch_size_per_device == own:
        yield Reason.of("why-batch-fixed", batch=own)
    elif not any(reason.code == "why-accumulation-own" for reason in passes):  # it says too what does not fit
        yield batch_reason(comparison, chosen, curve)
    yield from passes
    note = learning_rate_note(chosen.global_batch_size, training.global_batch_size)
    if note is not None and training.mode == "training":
        yield note


def _own_tight(comparison: Comparison, chosen: Prediction) -> Prediction | None:
    """The workload's own batch in one pass, which may not fit, where less at once was taken that has room."""
    own = comparison.workload.training.batch_size
    if chosen.may_run_out or chosen.batch_size_per_device >= own or comparison.held_global_batch is not None:
        return None
    return next(
        (
            one
            for one in comparison.predictions
            if one.batch_size_per_device == own
            and one.may_run_out
            and one.differs_at_most_by(chosen, "batch_size_per_device", "gradient_accumulation_steps")
        ),
        None,
    )


def _batch_for_room(own: Prediction, chosen: Prediction) -> Reason:
    assert own.peak_memory_bytes is not None  # what may run out has both figures
    assert own.usable_memory_bytes is not None
    return Reason.of(
        "why-batch-room",
        batch=chosen.batch_size_per_device,
        own_batch=own.batch_size_per_device,
        steps=chosen.gradient_accumulation_steps,
        device=own.device.name,
        high_bytes=own.peak_memory_bytes.high,
        capacity_bytes=own.usable_memory_bytes,
    )


def _passes_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """Why several passes a step, where that is not the workload's own."""
    if comparison.held_global_batch is not None and chosen.gradient_accumulation_steps > 1:
        yield Reason.of(
            "why-accumulation-held", steps=chosen.gradient_accumulation_steps, global_batch=chosen.global_batch_size
        )
    elif chosen.gradient_accumulation_steps > comparison.workload.training.gradient_accumulation_steps:
        yield from _accumulation_reasons(comparison, chosen)


def _accumulation_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """More passes a step than the workload's own: of its own batch, because that gains, or of one that fits instead."""
    own, steps = comparison.workload.training.batch_size, chosen.gradient_accumulation_steps
    if chosen.batch_size_per_device == own:
        yield Reason.of("why-accumulation", steps=steps)
    elif any(
        prediction.fits is False and prediction.batch_size_per_device == own
        for prediction in comparison.predictions
        if prediction.differs_at_most_by(chosen, "batch_size_per_device", "gradient_accumulation_steps")
    ):
        yield Reason.of(
            "why-accumulation-own",
            device=chosen.device.name,
            own_batch=own,
            batch=chosen.batch_size_per_device,
            steps=steps,
            samples=steps * chosen.batch_size_per_device,
        )


def learning_rate_note(global_batch: int, reference_batch: int) -> Reason | None:
    """What the larger global batch asks of the learning rate; None where the batch is held."""
    if global_batch == reference_batch:
        return None
    low, high = learning_rate_range(global_batch, reference_batch)
    return Reason.of(
        "scaling-learning-rate",
        global_batch=global_batch,
        own_global_batch=reference_batch,
        low_ratio=low,
        high_ratio=high,
    )
