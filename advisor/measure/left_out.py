"""Why a batch size has no samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.measure.measurement import StepMeasurement
from advisor.sentences import Reason
from advisor.units import Precision
from advisor.worker.messages import StageEnded


def why_ended(ended: StageEnded) -> Reason:
    """The sentence for a stage that ended before its first sample."""
    numbers: dict[str, float | int | str] = {"batch_size": ended.batch_size or 0}
    return Reason(code=f"measure-ended-{ended.reason.replace('_', '-')}", numbers=numbers)


def left_out(steps: Sequence[StepMeasurement]) -> Iterator[Reason]:
    """Why batch sizes were left out: of each precision and number of blocks the smallest one's reason."""
    seen: set[tuple[Precision, int | None]] = set()
    for step in sorted(steps, key=lambda step: step.batch_size):
        kind = (step.precision, step.layer_limit)
        if step.verdict.kind == "not_measured" and step.verdict.reason is not None and kind not in seen:
            seen.add(kind)
            yield step.verdict.reason
