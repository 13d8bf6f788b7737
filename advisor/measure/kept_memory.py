"""Whether steps on the processor wait for the system, which takes freed memory back and hands it out again."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from advisor.core.sentences import Arguments, Reason
from advisor.measure.measurement import StepMeasurement
from advisor.measure.verdicts import clearly_faster, may_rank

_WORTH_TRYING = 0.10
_LONGEST_STEP_S = 0.3
_FALLS_TO = 0.5


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
    candidates = [
        step
        for step in steps
        if step.layer_limit is None
        and step.summary is not None
        and step.summary.median_s <= _LONGEST_STEP_S
        and (system_share(step) or 0.0) >= _WORTH_TRYING
    ]
    return min(candidates, key=lambda step: abs(math.log(step.batch_size / wanted)), default=None)


def why_keep(device_name: str, steps: Sequence[StepMeasurement], kept: StepMeasurement | None) -> tuple[Reason, ...]:
    """The sentence that advises it: with both times where both may rank and it was clearly faster.

    Where the machine was too busy to compare times, the system's share of them still tells, as far as it fell to less
    than half; none otherwise.
    """
    if kept is None:
        return ()
    key = (kept.batch_size, kept.precision, None)
    step = next((step for step in steps if (step.batch_size, step.precision, step.layer_limit) == key), None)
    if step is None or step.summary is None or kept.summary is None:
        return ()
    share, kept_share = system_share(step), system_share(kept)
    if share is None or kept_share is None or kept_share > _FALLS_TO * share:
        return ()
    numbers: Arguments = {
        "device": device_name,
        "batch_size": step.batch_size,
        "system_fraction": share,
        "kept_fraction": kept_share,
    }
    if not (may_rank(step) and may_rank(kept)):
        return (Reason.of("measure-memory-handed-back-unclear", **numbers),)
    if not clearly_faster(kept.summary, step.summary):
        return ()
    return (
        Reason.of(
            "measure-memory-handed-back", **numbers, step_s=step.summary.median_s, kept_step_s=kept.summary.median_s
        ),
    )
