"""Which batch size: the largest that fits with head-room, the knee of throughput, and the one to take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.by_key import grouped
from advisor.core.sentences import Arguments, Reason
from advisor.recommend.recommendation import BatchAdvice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from advisor.predict.prediction import Prediction
    from advisor.predict.time_to_train import CriticalBatch
    from advisor.recommend.comparison import Comparison
    from advisor.workload.workload import Workload

WHOLE_NUMBER_FROM = 100
KNEE_FRACTION = 1 / 1.1
"""Throughput that the knee reaches, as a share of the best that fits: no larger batch gains more than 10 %."""
MAX_GLOBAL_BATCH_GROWTH = 8.0
"""How many times the workload's global batch may be advised by default: beyond the critical batch size a larger
batch saves no more time, and that size is unknown without a training run, so growth is bounded."""


def rounded(rate: float) -> float | int:
    """A rate for a sentence: three figures below 100, whole numbers above."""
    return round(rate) if rate >= WHOLE_NUMBER_FROM else float(f"{rate:.3g}")


def largest_global_batch(
    workload: Workload, growth: float = MAX_GLOBAL_BATCH_GROWTH, critical: CriticalBatch | None = None
) -> int:
    """The largest global batch that is advised: `growth` times the workload's, never more than its samples.

    A critical batch size that is given replaces the growth: at it a step still learns half of what its samples hold.
    Only learning bounds the growth: inference may take any batch that its samples fill.
    """
    training, samples = workload.training, workload.data.samples
    own = training.global_batch_size
    most = math.floor(critical.middle if critical is not None and critical.given else own * growth)
    return max(own, samples if training.mode == "inference" else min(most, samples))


def fitting_curve(predictions: Sequence[Prediction]) -> tuple[Prediction, ...]:
    """Set-ups of one device, count and strategy that fit (or whose fit is unknown), by batch size."""
    return tuple(
        sorted(
            (prediction for prediction in predictions if prediction.fits is not False),
            key=lambda prediction: prediction.batch_size_per_device,
        )
    )


def knee_of(curve: Sequence[Prediction]) -> Prediction | None:
    """The smallest batch that no larger one of an ascending curve beats by more than 10 %; None for an empty one."""
    if not curve:
        return None
    best = max(prediction.samples_per_s.value for prediction in curve)
    return next(prediction for prediction in curve if prediction.samples_per_s.value >= KNEE_FRACTION * best)


def choose(curve: Sequence[Prediction], own_batch: int, global_limit: int) -> Prediction | None:
    """The set-up to take: the knee, but not under the workload's batch where that fits, and within the limit.

    None where nothing fits within the limit on the global batch.
    """
    fitting = fitting_curve(curve)
    allowed = [prediction for prediction in fitting if prediction.global_batch_size <= global_limit]
    if not allowed:
        return None
    knee = knee_of(allowed)
    own = next((prediction for prediction in allowed if prediction.batch_size_per_device == own_batch), None)
    if knee is None or own is None:
        return knee
    return own if knee.batch_size_per_device <= own_batch or _inside_scatter(own, knee, allowed) else knee


def _inside_scatter(own: Prediction, knee: Prediction, allowed: Sequence[Prediction]) -> bool:
    """Whether a larger batch gains no more than measurements scatter by: then the workload's own is kept.

    So it is where its range reaches the knee's, or the share of the best that makes a knee: one run in ten that finds
    the best a little faster must not move the advice.
    """
    if "specified" in {own.step_s.basis, knee.step_s.basis}:
        return False
    best = max(allowed, key=lambda prediction: prediction.samples_per_s.value).samples_per_s
    return own.samples_per_s.high >= min(knee.samples_per_s.low, KNEE_FRACTION * best.low)


def advise_batches(
    comparison: Comparison, largest_batch: Callable[[Prediction], int | None] | None = None
) -> tuple[BatchAdvice, ...]:
    """One piece of advice for each device and precision, from its curve on one device.

    `largest_batch` gives the exact largest batch that fits, where the caller can solve for it; otherwise it is
    the largest of the batch sizes that were predicted.
    """
    alone = (prediction for prediction in comparison.predictions if prediction.strategy == "single")
    curves = grouped(alone, lambda prediction: (prediction.device.key, prediction.precision, prediction.added))
    advices = []
    for (key, precision, _), curve in curves.items():
        chosen = choose(curve, comparison.workload.training.batch_size, comparison.global_limit)
        if chosen is not None:
            exact = largest_batch(chosen) if largest_batch is not None else None
            tried = max((prediction.batch_size_per_device for prediction in curve if prediction.fits), default=None)
            knee = knee_of(fitting_curve(curve))
            advices.append(
                BatchAdvice(
                    device_key=key,
                    precision=precision,
                    fused_optimizer_added=chosen.fused_optimizer_added,
                    checkpointing_added=chosen.checkpointing_added,
                    chunked_loss_added=chosen.chunked_loss_added,
                    largest_that_fits=tried if exact is None else exact,
                    knee=knee.batch_size_per_device if knee is not None else None,
                    chosen=chosen.batch_size_per_device,
                    reason=batch_reason(comparison, chosen, curve),
                )
            )
    return tuple(advices)


def _largest_allowed(curve: Sequence[Prediction], global_limit: int) -> int:
    return max(
        (prediction.batch_size_per_device for prediction in curve if prediction.global_batch_size <= global_limit),
        default=0,
    )


def _kept_reason(chosen: Prediction, curve: Sequence[Prediction], global_limit: int, *, held: bool) -> Reason:
    """Why the workload's own batch; `held`: a larger one would gain, but the global limit forbids it."""
    size = chosen.batch_size_per_device
    allowed = _largest_allowed(curve, global_limit)
    if held and allowed > size:
        return Reason.of("why-batch-kept-within", batch=size, allowed_batch=allowed, global_limit=global_limit)
    numbers: Arguments = {"batch": size, "global_limit": global_limit}
    numbers |= {"rate": rounded(chosen.samples_per_s.value), "precision": PRECISION_LABELS[chosen.precision]}
    if held:
        return Reason.of("why-batch-kept-global", **numbers)
    return Reason.of("why-batch-kept" if _larger(chosen, curve) else "why-batch-kept-largest", **numbers)


def _larger(chosen: Prediction, curve: Sequence[Prediction]) -> bool:
    """Whether a larger batch was tried and fits."""
    return any(prediction.batch_size_per_device > chosen.batch_size_per_device for prediction in curve)


def _beyond_reason(chosen: Prediction, global_limit: int, samples: int, curve: Sequence[Prediction]) -> Reason:
    less = any(one.global_batch_size < chosen.global_batch_size for one in curve)
    return Reason.of(
        "why-batch-beyond",
        batch=chosen.batch_size_per_device,
        global_batch=chosen.global_batch_size,
        global_limit=global_limit,
        count=chosen.count,
        steps=chosen.gradient_accumulation_steps,
        bound="data" if global_limit >= samples else "growth",
        lacking="time" if less else "room",
    )


def batch_reason(  # noqa: PLR0911 - one return a cause
    comparison: Comparison, chosen: Prediction, tried: Sequence[Prediction]
) -> Reason:
    """Why this batch size: its own, the knee, what fits, or what the global batch allows or asks for.

    `tried`: the same set-up at every batch size of which anything is known, also where it does not fit.
    """
    own_batch, samples = comparison.workload.training.batch_size, comparison.workload.data.samples
    global_limit, held_global_batch = comparison.global_limit, comparison.held_global_batch
    curve = fitting_curve(tried)
    size = chosen.batch_size_per_device
    label = PRECISION_LABELS[chosen.precision]
    bound = global_limit
    if size * chosen.gradient_accumulation_steps == 1:  # the least that so many can take, though they were asked for
        bound = min(bound, largest_global_batch(comparison.workload, critical=comparison.critical_batch))
    if held_global_batch is None and chosen.global_batch_size > bound:
        return _beyond_reason(chosen, bound, samples, curve)
    if held_global_batch is not None:
        uneven = held_global_batch % (own_batch * chosen.count) != 0
        numbers: Arguments = {"batch": size, "own_batch": own_batch}
        numbers |= {"global_batch": held_global_batch, "count": chosen.count}
        return Reason.of("why-batch-divides" if uneven else "why-batch-held", **numbers)
    own = next((prediction for prediction in curve if prediction.batch_size_per_device == own_batch), None)
    if own is None:
        too_large = any(prediction.batch_size_per_device == own_batch for prediction in tried)
        return Reason.of(
            "why-batch-own-does-not-fit" if too_large else "why-batch-own-unknown",
            own_batch=own_batch,
            batch=size,
            device=chosen.device.name,
            precision=label,
        )
    knee = knee_of(curve)
    if chosen.global_batch_size >= samples:
        return Reason.of("why-batch-whole-set", batch=size, samples=samples)
    if size == own_batch:
        held = knee is not None and knee.batch_size_per_device > size
        return _kept_reason(chosen, curve, global_limit, held=held)
    gain = chosen.samples_per_s.value / own.samples_per_s.value
    numbers = {"batch": size, "own_batch": own_batch, "gain_ratio": gain}
    if knee is None or knee.batch_size_per_device <= size:
        return Reason.of("why-batch-knee" if _larger(chosen, curve) else "why-batch-knee-largest", **numbers)
    numbers |= {"global_limit": global_limit}
    allowed = _largest_allowed(curve, global_limit)
    if allowed > size:  # the knee of what the limit leaves
        return Reason.of("why-batch-knee-within", **numbers, allowed_batch=allowed)
    return Reason.of("why-batch-limited", **numbers)
