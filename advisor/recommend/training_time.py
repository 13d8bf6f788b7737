"""How long training takes to the same loss when the global batch is held at the workload's or scaled with the cards."""

from __future__ import annotations

import math
from collections.abc import Iterator

from advisor.core.sentences import Reason
from advisor.predict.prediction import Prediction
from advisor.predict.time_to_train import CriticalBatch, TimeToTrain, samples_ratio, time_to_train
from advisor.recommend.comparison import Comparison


def training_times(comparison: Comparison, chosen: Prediction) -> tuple[TimeToTrain, ...]:
    """The chosen set-up's training with its global batch held (where that was predicted), then as it is chosen.

    Both end at the loss that one such device reaches with the workload's own batch. Empty outside training, where the
    batch is the workload's own on one device, and where that device's own step is not predicted.
    """
    own, reference = comparison.workload.training.global_batch_size, _reference(comparison, chosen)
    plain = chosen.count == 1 and chosen.global_batch_size == own
    if comparison.workload.training.mode != "training" or plain or reference is None:
        return ()
    held = held_set_up(comparison, chosen)
    set_ups = [held] if held is not None and held.global_batch_size != chosen.global_batch_size else []
    samples = comparison.workload.training.epochs * comparison.workload.data.samples
    return tuple(
        time_to_train(
            samples,
            own,
            reference.step_s,
            prediction.global_batch_size,
            prediction.step_s,
            critical=comparison.critical_batch,
            whole=(_whole(comparison, own), _whole(comparison, prediction.global_batch_size)),
        )
        for prediction in [*set_ups, chosen]
    )


def _whole(comparison: Comparison, global_batch: int) -> float:
    """Steps of an epoch over those that its samples would fill: near one step an epoch they are far fewer."""
    filled = comparison.workload.data.samples / global_batch
    return math.ceil(filled) / filled


def _reference(comparison: Comparison, chosen: Prediction) -> Prediction | None:
    training = comparison.workload.training
    return next(
        (
            prediction
            for prediction in comparison.alone(chosen.device, chosen)
            if prediction.global_batch_size == comparison.workload.training.global_batch_size
            and prediction.batch_size_per_device == training.batch_size
        ),
        None,
    )


def held_set_up(comparison: Comparison, chosen: Prediction) -> Prediction | None:
    """The fastest set-up of as many such devices with the workload's own global batch; None: none was predicted."""
    held = [
        prediction
        for prediction in comparison.predictions
        if prediction.device == chosen.device
        and prediction.precision == chosen.precision
        and prediction.count == chosen.count
        and prediction.added == chosen.added
        and (prediction.strategy == chosen.strategy or {prediction.strategy, chosen.strategy} <= {"dp", "ddp"})
        and prediction.global_batch_size == comparison.workload.training.global_batch_size
        and prediction.fits is not False
    ]
    return min(held, key=lambda prediction: prediction.step_s.value, default=None)


def training_time_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What a grown global batch costs in samples, and what several devices give where it is held."""
    own = comparison.workload.training.global_batch_size
    times = training_times(comparison, chosen)
    held = next((time_to_train for time_to_train in times if time_to_train.scaling == "held"), None)
    scaled = next((time_to_train for time_to_train in times if time_to_train.scaling == "scaled"), None)
    set_up = held_set_up(comparison, chosen)
    if held is not None and set_up is not None and chosen.count > 1:
        yield Reason.of(
            "scaling-held-batch",
            count=chosen.count,
            own_global_batch=own,
            batch=set_up.batch_size_per_device,
            held_s=set_up.job_s.value if set_up.job_s is not None else held.train_s.value,
            speed_up_ratio=held.speed_up.value,
        )
    if scaled is not None and chosen.global_batch_size > own:
        critical = comparison.critical_batch or CriticalBatch()
        ratios = [samples_ratio(chosen.global_batch_size, own, bound) for bound in (critical.high, critical.low)]
        yield Reason.of(
            "scaling-critical-batch-given" if critical.given else "scaling-critical-batch",
            global_batch=chosen.global_batch_size,
            own_global_batch=own,
            low=round(critical.low),
            high=round(critical.high),
            low_ratio=ratios[0],
            high_ratio=ratios[1],
            train_low_s=scaled.train_s.low,
            train_high_s=scaled.train_s.high,
        )
