"""What of a model was not timed, and why."""

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
    """That only some blocks were run, else for each precision why its smallest batch size left out was."""
    parts = [step for step in steps if step.layer_limit is not None and step.full_layer_count is not None]
    if parts:
        most = max(parts, key=lambda step: step.layer_limit or 0)
        yield part_of_layers(most.layer_limit or 0, most.full_layer_count or 0)
        return
    seen: set[Precision] = set()
    for step in sorted(steps, key=lambda step: step.batch_size):
        verdict = step.verdict
        if verdict.kind == "not_measured" and verdict.reason is not None and step.precision not in seen:
            seen.add(step.precision)
            yield verdict.reason


def part_of_layers(layer_count: int, full_layer_count: int) -> Reason:
    """The sentence for a step of a part of the model."""
    return Reason(code="measure-part-of-layers", numbers={"layers": layer_count, "all": full_layer_count})
