"""The measured steps of a local device as points to lean on, extended to the whole model where only a part was run."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.catalogue.precisions import ComputedPrecision
from advisor.core.by_key import grouped
from advisor.measure.measurement import DOUBTED, Measurement, StepMeasurement, VerdictKind
from advisor.measure.statistics import reaches_95
from advisor.protocol.messages import StepPart

_EXTRA_WIDTH: dict[VerdictKind, float] = {"stable": 0.0, "usable": 0.0, "contended": 0.10, "unstable": 0.10}
_LEAST_WIDTH = 0.01
_FEW_SAMPLES_WIDTH = 0.03
_WARM_UP_WIDTH = 0.5
"""First steps of a batch size also allocate and choose kernels: they may take half as much again (assumed)."""
_EXTENDED_WIDTH = 0.08
_SCALED_WIDTH = 0.40
_HALF_WIDTH_ERRORS = 1.96
"""Half of an interval that holds the median in 95 of 100 cases, in standard errors."""


@dataclass(frozen=True)
class Anchor:
    """A step time at a batch size that was measured, or extended from measured parts of the model."""

    batch_size: int
    step_s: float
    width_fraction: float
    """Half of its own range."""
    log_error: float
    """Standard error of its logarithm by its own samples: what its threads waited for others is left out."""
    whole: bool
    """Whether the whole model ran at this batch size."""
    device_share: float
    """Share of the step in which the device was busy; 1 on a CPU."""
    parts_s: dict[StepPart, float] = field(default_factory=dict)


def anchors_of(measurement: Measurement, precision: ComputedPrecision) -> tuple[Anchor, ...]:
    """Anchors of one precision by rising batch size; none where nothing of it was measured.

    Series that were throttled say nothing; contended and unstable ones do, with a wider range of their own, unless a
    larger batch disproves them.
    """
    disproved = disproved_batches(measurement, precision)
    steps = [
        step
        for step in measurement.steps
        if step.precision == precision
        and _median_s(step) > 0.0
        and step.verdict.kind in _EXTRA_WIDTH
        and not (step.layer_limit is None and step.batch_size in disproved)
    ]
    whole = [_whole(step) for step in steps if step.layer_limit is None]
    seen = {anchor.batch_size for anchor in whole}
    partial = [
        step
        for step in steps
        if step.layer_limit is not None and step.full_layer_count is not None and step.batch_size not in seen
    ]
    return tuple(sorted(whole + _extended(partial), key=lambda anchor: anchor.batch_size))


def disproved_batches(measurement: Measurement, precision: ComputedPrecision) -> tuple[int, ...]:
    """Batch sizes whose whole step was disturbed so much that a larger batch took less, which no model's does.

    Others on the machine only ever slow a step, by up to a hundred times where its threads wait for one another.
    """
    timed = [
        (step.batch_size, step.summary, step.verdict.kind in DOUBTED)
        for step in measurement.steps
        if step.precision == precision and step.layer_limit is None and step.summary is not None
    ]
    return tuple(
        size
        for size, summary, doubted in timed
        if doubted and any(larger > size and other.high_s < summary.low_s for larger, other, _ in timed)
    )


def _whole(step: StepMeasurement) -> Anchor:
    return Anchor(
        batch_size=step.batch_size,
        step_s=_median_s(step),
        width_fraction=_width(step),
        log_error=_noise(step) / _HALF_WIDTH_ERRORS,
        whole=True,
        device_share=_device_share(step),
        parts_s=dict(step.parts_s),
    )


def _extended(steps: Sequence[StepMeasurement]) -> list[Anchor]:
    """The whole model's time from a part of its blocks, for each batch size."""
    by_batch = grouped(steps, lambda step: step.batch_size)
    return [_extend(sorted(steps, key=lambda step: step.layer_limit or 1)) for steps in by_batch.values()]


def _extend(steps: Sequence[StepMeasurement]) -> Anchor:
    """On the line through two numbers of blocks; in proportion where one was measured or more took no longer."""
    first, last = steps[0], steps[-1]
    full, low, high = last.full_layer_count or 1, first.layer_limit or 1, last.layer_limit or 1
    one_s, other_s = _median_s(first), _median_s(last)
    parts: dict[StepPart, float]
    if other_s > one_s:
        further = (full - high) / (high - low)
        step_s = other_s + further * (other_s - one_s)
        parts = {
            part: time_s + further * max(0.0, time_s - first.parts_s.get(part, 0.0))
            for part, time_s in last.parts_s.items()
        }
        width = _EXTENDED_WIDTH + max(_width(first), _width(last))
    else:
        scale = (full + 1) / (high + 1)  # what is not in the blocks counted as one block
        step_s = scale * other_s
        parts = {part: scale * time_s for part, time_s in last.parts_s.items()}
        width = _SCALED_WIDTH
    share = _device_share(last)
    error = width / _HALF_WIDTH_ERRORS
    return Anchor(last.batch_size, step_s, width, error, whole=False, device_share=share, parts_s=parts)


def _median_s(step: StepMeasurement) -> float:
    return step.summary.median_s if step.summary is not None else 0.0


def _width(step: StepMeasurement) -> float:
    return _noise(step, _waited(step) if step.verdict.kind == "contended" else 0.0)


def _noise(step: StepMeasurement, least: float = 0.0) -> float:
    summary = step.summary
    assert summary is not None  # anchors_of takes no other steps
    interval = max(summary.high_s - summary.median_s, summary.median_s - summary.low_s) / summary.median_s
    few = 0.0 if reaches_95(summary.sample_count) else _FEW_SAMPLES_WIDTH
    if step.verdict.reason is not None and step.verdict.reason.code == "measure-only-warm-up":
        few += _WARM_UP_WIDTH
    return max(_LEAST_WIDTH, interval, least) + few + _EXTRA_WIDTH[step.verdict.kind]


def _waited(step: StepMeasurement) -> float:
    """By how much a step may have taken longer than alone, where others were in the way of its threads.

    One thread waits for its own turns: wall over processor time. Of several, each operator waits for the last one: with
    a share s of the time that they want, all of them run at once in s at the most and, for two that are scheduled
    independently, in s * s at the least. The share is that of processor time; where what others took is known, the
    share of both together, so that a model that keeps few of its threads busy is not taken for a crowded one.
    """
    kept = [sample for sample in step.samples if not sample.warm_up and sample.process_cpu_s and sample.wall_s > 0]
    if not kept or not step.thread_count:
        return 0.0
    used = statistics.median((sample.process_cpu_s or 0.0) / sample.wall_s for sample in kept)
    if step.thread_count == 1:
        return max(0.0, 1.0 / used - 1.0)
    share = min(1.0, max(used / step.thread_count, _share_by_reason(step, used)))
    return 1.0 / share**2 - 1.0


def _share_by_reason(step: StepMeasurement, used_cores: float) -> float:
    """Share of the wanted processor time that was had, as far as the reason of the verdict bounds it from below."""
    numbers = step.verdict.reason.numbers if step.verdict.reason is not None else {}
    foreign, pressure = numbers.get("foreign_cores"), numbers.get("pressure_fraction", numbers.get("steal_fraction"))
    if isinstance(foreign, int | float):
        return used_cores / (used_cores + foreign)
    return 1.0 - pressure if isinstance(pressure, int | float) else 0.0


def _device_share(step: StepMeasurement) -> float:
    if step.device_summary is None or step.summary is None or step.summary.median_s <= 0.0:
        return 1.0
    return min(1.0, step.device_summary.median_s / step.summary.median_s)
