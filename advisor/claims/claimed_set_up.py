"""A claimed time seen at one precision and batch: what is claimed of a step, expected, and the least there can be."""

from __future__ import annotations

import math
from typing import NamedTuple

import msgspec

from advisor.catalogue.precisions import Precision
from advisor.claims.bounds import Bound, step_bound
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.setting import range_over, usual_precision
from advisor.core.sentences import SaidError
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from advisor.recommend.candidates import batch_sizes_around
from advisor.workload.workload import Workload, with_training

EPOCH_SLACK = 1.15
"""An epoch's wall time holds a validation pass, checkpoints and the loader's start beside its steps."""
_OPEN: tuple[Precision, ...] = ("fp32", "tf32", "bf16_amp", "fp16_amp")
"""Meant where a claim names no precision."""
_LARGEST_FACTOR = 16
_SMALLEST_FACTOR = 0.2


class ClaimedSetUp(NamedTuple):
    """A claim seen at one precision and batch: what is claimed, expected, and the least there can be."""

    precision: Precision
    batch_size: int
    claimed_step_s: float
    expected: Estimate
    best: Prediction
    """The prediction of the fastest variant of the card."""
    device: str
    """The card, without what tells its variants apart where several are meant."""
    bound: Bound | None
    """Of the variant that it allows most."""
    bounded: str
    """That variant's name."""

    @property
    def impossible(self) -> bool:
        """Whether the claimed step beats the card's roofline."""
        return self.bound is not None and self.claimed_step_s < self.bound.step_s

    @property
    def holds(self) -> bool:
        """Whether the claimed step lies in the expected range."""
        return self.expected.holds(self.claimed_step_s)

    @property
    def reached(self) -> bool:
        """Whether such a step is at least not faster than expected."""
        return self.claimed_step_s >= self.expected.low


def open_precisions(workload: Workload) -> tuple[Precision, ...]:
    """What a claim without a precision may mean: what most use, and what its workload is trained in."""
    return tuple(dict.fromkeys((*_OPEN, workload.training.precision)))


def claimed_set_ups(
    claim: Claim, predictor: Predictor, workload: Workload, precision: Precision, *, fitting: bool = True
) -> list[ClaimedSetUp]:
    """The claim at one precision, at its batch or, where a rate names none, at every batch that may be meant."""
    own = workload.training.batch_size
    open_batch = claim.batch_size is None and claim.step_s is None
    batches = [batch for batch in batch_sizes_around(own) if _SMALLEST_FACTOR * own <= batch <= _LARGEST_FACTOR * own]
    batches = (batches if fitting else batches[:1]) if open_batch else [own]
    reached_set_ups = []
    for batch in batches:
        set_up = _set_up(claim, predictor, workload, precision, batch)
        if set_up is not None and (not open_batch or not fitting or set_up.best.fits is not False):
            reached_set_ups.append(set_up)
    return reached_set_ups


def _set_up(
    claim: Claim, predictor: Predictor, workload: Workload, precision: Precision, batch: int
) -> ClaimedSetUp | None:
    count = claim.count or 1
    cards = [spec for key in claim.gpus if usual_precision(spec := predictor.specs[key], precision) == precision]
    strategy = (claim.strategy or "ddp") if count > 1 else "single"
    candidates = tuple(candidate(spec, precision, batch, count=count, strategy=strategy) for spec in cards)
    changed = with_training(workload, precision=precision, batch_size=batch)
    predictions = predictor.predict(changed, candidates)
    expected = range_over([_with_waits(claim, prediction) for prediction in predictions])
    if expected is None:
        return None
    best = min(predictions, key=lambda prediction: prediction.step_s.value)
    tables = predictor.tables(changed)
    bounds = [
        (bound, spec.name)
        for spec in cards
        if (bound := step_bound(tables, spec, precision, batch, claim.mode)) is not None
    ]
    bound, bounded = min(bounds, key=lambda pair: pair[0].step_s, default=(None, ""))
    claimed_s, device = _claimed_step_s(claim, workload, batch, count), shared_name(cards)
    return ClaimedSetUp(precision, batch, claimed_s, expected, best, device, bound, bounded)


def _with_waits(claim: Claim, prediction: Prediction) -> Estimate:
    """The step that a claim would time: an epoch or a job also waits for loader and start-up now and then."""
    if claim.epoch_s is None and claim.job_s is None:
        return prediction.step_s
    return msgspec.structs.replace(prediction.step_s, high=prediction.step_s.high * EPOCH_SLACK)


def _claimed_step_s(claim: Claim, workload: Workload, batch: int, count: int) -> float:
    if claim.step_s is not None:
        return claim.step_s
    if claim.samples_per_s is not None:
        return batch * count / claim.samples_per_s
    length = workload.data.sequence_length
    whole_s = claim.job_s or claim.epoch_s
    if whole_s is not None and claim.trained_tokens is not None and length is not None:
        return whole_s / max(1, math.ceil(claim.trained_tokens / length / (batch * count)))
    if whole_s is not None and claim.trained_samples is not None:
        return whole_s / math.ceil(claim.trained_samples / (batch * count))
    steps = math.ceil(workload.data.samples / (batch * count))
    if claim.epoch_s is not None:
        return claim.epoch_s / steps
    if claim.job_s is not None:
        return claim.job_s / max(1, math.ceil(steps * workload.training.epochs))
    raise SaidError.of("claim-no-figure")


def nearest_own(set_ups: list[ClaimedSetUp], workload: Workload) -> ClaimedSetUp | None:
    """The set_up nearest to what the workload itself says: its precision first, then its batch."""
    training = workload.training
    return min(
        set_ups,
        key=lambda set_up: (
            set_up.precision != training.precision,
            abs(math.log(set_up.batch_size / training.batch_size)),
        ),
        default=None,
    )
