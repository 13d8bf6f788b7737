"""Whether steps on the processor wait for the system, which takes freed memory back and hands it out again."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from advisor.measure.measurement import StepMeasurement
from advisor.measure.verdicts import clearly_faster
from advisor.sentences import Reason

_WORTH_TRYING = 0.10
_LONGEST_STEP_S = 0.3


def system_share(step: StepMeasurement) -> float | None:
    """The system's part of a step's processor time, in the median; None where it was not told apart."""
    shares = [
        sample.system_cpu_s / sample.process_cpu_s
        for sample in step.samples
        if not sample.warm_up and sample.system_cpu_s is not None and sample.process_cpu_s
    ]
    return statistics.median(shares) if shares else None


def worth_keeping(steps: Sequence[StepMeasurement], wanted: int) -> StepMeasurement | None:
    """The step to time once more while the process keeps what it frees: nearest to the `wanted` batch size.

    None where the system takes less than a tenth of each; a step over 0.3 s would cost too much.
    """
    found = [
        step
        for step in steps
        if step.layer_limit is None
        and step.summary is not None
        and step.summary.median_s <= _LONGEST_STEP_S
        and (system_share(step) or 0.0) >= _WORTH_TRYING
    ]
    return min(found, key=lambda step: abs(math.log(step.batch_size / wanted)), default=None)


def why_keep(device_name: str, steps: Sequence[StepMeasurement], kept: StepMeasurement | None) -> tuple[Reason, ...]:
    """The sentence that advises it; none where it did not make the same one of the `steps` clearly faster."""
    if kept is None or kept.summary is None:
        return ()
    found = [
        step
        for step in steps
        if (step.batch_size, step.precision, step.layer_limit) == (kept.batch_size, kept.precision, None)
        and step.summary is not None
        and clearly_faster(kept.summary, step.summary)
    ]
    return tuple(
        Reason(
            code="measure-memory-handed-back",
            numbers={
                "device": device_name,
                "batch_size": step.batch_size,
                "system_fraction": system_share(step) or 0.0,
                "step_s": step.summary.median_s if step.summary is not None else 0.0,
                "kept_step_s": kept.summary.median_s,
            },
        )
        for step in found
    )
