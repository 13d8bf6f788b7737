"""What of a model was not timed, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.core.sentences import Reason
from advisor.measure.measurement import StepMeasurement
from advisor.protocol.messages import StageEnded


def why_ended(ended: StageEnded) -> Reason:
    """The sentence for a stage that ended before its first sample."""
    return Reason.of(f"measure-ended-{ended.reason.replace('_', '-')}", batch_size=ended.batch_size or 0)


def part_of_layers(layer_count: int, full_layer_count: int) -> Reason:
    """The sentence for a step of a part of the model."""
    return Reason.of("measure-part-of-layers", layers=layer_count, all=full_layer_count)


def left_out(device_name: str, steps: Sequence[StepMeasurement]) -> tuple[Reason, ...]:
    """For each precision: that only some blocks were run, or from which batch size on nothing was timed."""
    return tuple(
        reason
        for precision in dict.fromkeys(step.precision for step in steps)
        for reason in _left_out_of(device_name, precision, [step for step in steps if step.precision == precision])
    )


def _left_out_of(device_name: str, precision: Precision, steps: Sequence[StepMeasurement]) -> Iterator[Reason]:
    parts = [step for step in steps if step.layer_limit is not None and step.full_layer_count is not None]
    if parts:
        most = max(parts, key=lambda step: step.layer_limit or 0)
        yield part_of_layers(most.layer_limit or 0, most.full_layer_count or 0)
        return
    measured = [step.batch_size for step in steps if step.summary is not None]
    beyond = [step for step in steps if measured and step.summary is None and step.batch_size > max(measured)]
    if beyond:
        yield Reason.of(
            "measure-sizes-left-out",
            device=device_name,
            precision=PRECISION_LABELS[precision],
            batch_size=min(step.batch_size for step in beyond),
            count=len(beyond),
        )
