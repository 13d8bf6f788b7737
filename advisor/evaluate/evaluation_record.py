"""What an evaluation found: every row's answer, and how far the predictions are off, overall and by group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from advisor.core.records import Record
from advisor.evaluate.row_answer import RowAnswer
from advisor.predict.evaluation import Score, ScoredStep, score, scores_by
from advisor.workload.workload import length_of


class BatchScore(Record, frozen=True, kw_only=True):
    """Largest batches against those that ran and failed."""

    row_count: int
    right_fraction: float
    """The predicted batch lies from the one that ran to below the one that failed."""
    too_high_fraction: float
    """It would have run out of memory."""


class EfficiencyScore(Record, frozen=True, kw_only=True):
    """Efficiencies of several cards: mean absolute error as a fraction of perfect scaling."""

    row_count: int
    mean_error_fraction: float
    covered_fraction: float


class PeakScore(Record, frozen=True, kw_only=True):
    """Peaks of memory: absolute errors relative to the published peak."""

    row_count: int
    mean_error_fraction: float
    median_error_fraction: float
    bias_fraction: float
    """Median of the signed errors; positive means predictions are too high."""
    covered_fraction: float


class Evaluation(Record, frozen=True, kw_only=True):
    """One evaluated file."""

    answers: tuple[RowAnswer, ...]
    overall: Score
    by_family: tuple[Score, ...]
    by_gpu: tuple[Score, ...]
    by_precision: tuple[Score, ...]
    largest_batches: BatchScore | None
    efficiencies: EfficiencyScore | None
    peaks: PeakScore | None

    @property
    def refused(self) -> tuple[RowAnswer, ...]:
        """Rows that could not be predicted."""
        return tuple(answer for answer in self.answers if answer.reason is not None)

    @property
    def none_predicted(self) -> bool:
        """Whether there are rows, and none of them could be predicted."""
        return bool(self.answers) and len(self.refused) == len(self.answers)


def evaluation_of(answers: Sequence[RowAnswer]) -> Evaluation:
    """Score the answers; rows with `use = no` are kept but not counted."""
    steps = [step for answer in answers if answer.row.scored and (step := scored_step(answer)) is not None]
    return Evaluation(
        answers=tuple(answers),
        overall=score(steps),
        by_family=scores_by(steps, lambda step: step.family),
        by_gpu=scores_by(steps, lambda step: step.gpu_key),
        by_precision=scores_by(steps, lambda step: step.precision),
        largest_batches=_largest_batches(answers),
        efficiencies=_efficiencies(answers),
        peaks=_peaks(answers),
    )


def scored_step(answer: RowAnswer) -> ScoredStep | None:
    """The measured step of a row on one card beside its prediction; None where either is missing."""
    row, workload, step = answer.row, answer.workload, answer.step_s
    if row.measured_s is None or step is None or workload is None:
        return None
    training = workload.training
    return ScoredStep(
        workload=row.workload,
        mode=_mode(answer),
        precision=row.precision or training.precision,
        length=length_of(workload),
        layout="nhwc" if training.channels_last else "nchw",
        optimizer=f"{training.optimizer}{' fused' if training.fused_optimizer else ''}",
        gpu_key=row.gpu_key,
        family=answer.family or "",
        batch_size=training.batch_size,
        measured_s=row.measured_s,
        predicted_s=step.value,
        low_s=step.low,
        high_s=step.high,
    )


def _mode(answer: RowAnswer) -> str:
    """Mode and layout: only runs alike in both are ranked against each other."""
    row, layout = answer.row, answer.row.layout
    words: list[str] = [] if answer.workload is None else [answer.workload.training.mode]
    if layout.count > 1:
        words.append(f"x {layout.count} {layout.data_parallel}")
        degrees = (("tp", layout.tensor), ("pp", layout.pipeline), ("cp", layout.context))
        words += [f"{name} {degree}" for name, degree in degrees if degree > 1]
    if row.accumulation_steps > 1:
        words.append(f"of {row.accumulation_steps}")
    return " ".join(words)


def _largest_batches(answers: Sequence[RowAnswer]) -> BatchScore | None:
    counted = [
        (answer.largest_batch, answer.row)
        for answer in answers
        if answer.row.scored and answer.largest_batch is not None
    ]
    if not counted:
        return None
    too_high = [
        row.smallest_batch_that_failed is not None and batch >= row.smallest_batch_that_failed for batch, row in counted
    ]
    too_low = [batch < (row.largest_batch_that_ran or 0) for batch, row in counted]
    wrong = np.logical_or(too_high, too_low)
    return BatchScore(
        row_count=len(counted),
        right_fraction=float(1.0 - np.mean(wrong)),
        too_high_fraction=float(np.mean(too_high)),
    )


def _efficiencies(answers: Sequence[RowAnswer]) -> EfficiencyScore | None:
    counted = [
        (answer.row.efficiency, answer.efficiency)
        for answer in answers
        if answer.row.scored and answer.row.efficiency is not None and answer.efficiency is not None
    ]
    if not counted:
        return None
    return EfficiencyScore(
        row_count=len(counted),
        mean_error_fraction=float(np.mean([abs(estimate.value - true) for true, estimate in counted])),
        covered_fraction=float(np.mean([estimate.holds(true) for true, estimate in counted])),
    )


def _peaks(answers: Sequence[RowAnswer]) -> PeakScore | None:
    counted = [
        (answer.row.peak_bytes, answer.peak_bytes)
        for answer in answers
        if answer.row.scored and answer.row.peak_bytes is not None and answer.peak_bytes is not None
    ]
    if not counted:
        return None
    errors = np.array([estimate.value / true - 1.0 for true, estimate in counted])
    return PeakScore(
        row_count=len(counted),
        mean_error_fraction=float(np.mean(np.abs(errors))),
        median_error_fraction=float(np.median(np.abs(errors))),
        bias_fraction=float(np.median(errors)),
        covered_fraction=float(np.mean([estimate.holds(true) for true, estimate in counted])),
    )
