"""How many steps and seconds a training takes when the global batch is held or scaled with the cards."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from msgspec import Meta

from advisor.core.records import Record
from advisor.core.units import Basis, Estimate, around
from advisor.predict.prediction import basis_of

Scaling = Literal["held", "scaled"]


class CriticalBatch(Record, frozen=True, kw_only=True):
    """Samples of a global batch at which twice the optimal number is needed in all; `low` to `high` is its range.

    McCandlish et al. 2018, "An Empirical Model of Large-Batch Training", found hundreds to thousands of images for
    classifiers of small and of ImageNet size and more for language models; fine-tuning lies at the low end. It is a
    property of the data and of how far training has come, so it is asked for, and this range stands in otherwise.
    """

    low: Annotated[float, Meta(gt=0)] = 64.0
    high: Annotated[float, Meta(gt=0)] = 8192.0
    given: bool = False
    """By the user; False: the default range."""

    @property
    def middle(self) -> float:
        """The geometric middle of the range."""
        return math.sqrt(self.low * self.high)


class TimeToTrain(Record, frozen=True, kw_only=True):
    """A whole training at one global batch."""

    scaling: Scaling
    """`held`: at the global batch of the workload on one device; `scaled`: at another one."""
    global_batch_size: int
    """Samples of one optimizer step, of all devices and micro-batches."""
    step_count: Estimate
    """Optimizer steps that pass `sample_count` samples."""
    sample_count: Estimate
    """Samples to reach the same loss as the reference batch does with its own."""
    train_s: Estimate
    """Seconds of these steps."""
    speed_up: Estimate
    """Over the reference set-up on one card."""


def samples_ratio(batch: float, reference_batch: float, critical_batch: float) -> float:
    """Samples needed at `batch` over those at `reference_batch` for the same loss: (1 + B/Bc) / (1 + B0/Bc).

    From E/E_min = 1 + B/B_crit (McCandlish et al. 2018): far below the critical batch more cards cost no extra
    samples, far above it every further sample of a batch is wasted.
    """
    return (1 + batch / critical_batch) / (1 + reference_batch / critical_batch)


def time_to_train(  # noqa: PLR0913 - two set-ups and the data between them
    samples: float,
    reference_batch: int,
    reference_step_s: Estimate,
    global_batch: int,
    step_s: Estimate,
    *,
    critical: CriticalBatch | None = None,
    whole: tuple[float, float] = (1.0, 1.0),
) -> TimeToTrain:
    """Time until the loss that the reference set-up (one card, `samples` in all) reaches.

    `step_s` is of the set-up asked about, at its `global_batch`; a global batch equal to the reference's is `held`
    and needs the same steps. The range joins that of the step with that of the critical batch. `whole` is how many
    steps an epoch takes over those that its samples would fill, of the reference and of the set-up: the last may be
    short and counts as one, but at the low end, as in the job's time.
    """
    critical = critical or CriticalBatch()
    held = global_batch == reference_batch
    ratios = [
        samples_ratio(global_batch, reference_batch, value) for value in (critical.middle, critical.low, critical.high)
    ]
    needed = [samples * ratio for ratio in ratios]
    basis: Basis = step_s.basis if held or critical.given else basis_of(step_s.basis, "specified")
    sample_count = Estimate(value=needed[0], low=min(needed), high=max(needed), basis=basis)
    filled = sample_count.scaled(1 / global_batch)
    step_count = around(filled.value * whole[1], filled.low, filled.high * whole[1], filled.basis)
    train = step_count.times(step_s, basis)
    alone_s = samples / reference_batch * whole[0] * reference_step_s.value
    return TimeToTrain(
        scaling="held" if held else "scaled",
        global_batch_size=global_batch,
        step_count=step_count,
        sample_count=sample_count,
        train_s=train,
        speed_up=train.per(alone_s),
    )


def learning_rate_range(global_batch: int, reference_batch: int) -> tuple[float, float]:
    """Factors on the learning rate to try between: square root and linear scaling with the global batch.

    Linear: Goyal et al. 2017, with a warm-up, for SGD below the critical batch; square root: adaptive optimizers.
    """
    ratio = global_batch / reference_batch
    return min(ratio, math.sqrt(ratio)), max(ratio, math.sqrt(ratio))
