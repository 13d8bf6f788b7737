"""The measured steps of a local device as points to lean on, extended to the whole model where only a part was run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.measure.measurement import Measurement, StepMeasurement, VerdictKind
from advisor.measure.statistics import reaches_95
from advisor.units import Precision
from advisor.worker.messages import StepPart

_EXTRA_WIDTH: dict[VerdictKind, float] = {"stable": 0.0, "usable": 0.0, "contended": 0.10, "unstable": 0.10}
_LEAST_WIDTH = 0.01
_FEW_SAMPLES_WIDTH = 0.03
_EXTENDED_WIDTH = 0.08
_SCALED_WIDTH = 0.40


@dataclass(frozen=True)
class Anchor:
    """A step time at a batch size that was measured, or extended from measured parts of the model."""

    batch_size: int
    step_s: float
    width_fraction: float
    """Half of its own range."""
    whole: bool
    """Whether the whole model ran at this batch size."""
    device_share: float
    """Share of the step in which the device was busy; 1 on a CPU."""
    parts_s: dict[StepPart, float] = field(default_factory=dict)


def anchors_of(measurement: Measurement, precision: Precision) -> tuple[Anchor, ...]:
    """Anchors of one precision by rising batch size; none where nothing of it was measured.

    Series that were throttled say nothing; contended and unstable ones do, with a wider range of their own.
    """
    steps = [
        step
        for step in measurement.steps
        if step.precision == precision and step.summary is not None and step.verdict.kind in _EXTRA_WIDTH
    ]
    whole = [_whole(step) for step in steps if step.layer_limit is None]
    seen = {anchor.batch_size for anchor in whole}
    partial = [step for step in steps if step.layer_limit is not None and step.batch_size not in seen]
    return tuple(sorted(whole + _extended(partial), key=lambda anchor: anchor.batch_size))


def _whole(step: StepMeasurement) -> Anchor:
    return Anchor(
        batch_size=step.batch_size,
        step_s=_median_s(step),
        width_fraction=_width(step),
        whole=True,
        device_share=_device_share(step),
        parts_s=dict(step.parts_s),
    )


def _extended(steps: Sequence[StepMeasurement]) -> list[Anchor]:
    """The whole model's time on the line through two numbers of blocks; in proportion where one was measured."""
    by_batch: dict[int, list[StepMeasurement]] = {}
    for step in steps:
        if step.full_layer_count is not None:
            by_batch.setdefault(step.batch_size, []).append(step)
    anchors = []
    for batch_size, found in by_batch.items():
        found.sort(key=lambda step: step.layer_limit or 0)
        first, last = found[0], found[-1]
        full, low, high = last.full_layer_count or 1, first.layer_limit or 1, last.layer_limit or 1
        if high > low:
            blocks = (full - low) / (high - low)
            width = _EXTENDED_WIDTH + max(_width(first), _width(last))

            def extend(one: float, other: float, blocks: float = blocks) -> float:
                return max(one, other, one + blocks * (other - one))
        else:
            width = _SCALED_WIDTH

            def extend(one: float, other: float, blocks: float = (full + 1) / (high + 1)) -> float:
                return max(one, other) * blocks

        parts: dict[StepPart, float] = {
            part: extend(first.parts_s.get(part, 0.0), time_s) for part, time_s in last.parts_s.items()
        }
        step_s = extend(_median_s(first), _median_s(last))
        anchors.append(Anchor(batch_size, step_s, width, whole=False, device_share=_device_share(last), parts_s=parts))
    return anchors


def _median_s(step: StepMeasurement) -> float:
    return step.summary.median_s if step.summary is not None else 0.0


def _width(step: StepMeasurement) -> float:
    summary = step.summary
    if summary is None or summary.median_s <= 0.0:
        return _SCALED_WIDTH
    interval = max(summary.high_s - summary.median_s, summary.median_s - summary.low_s) / summary.median_s
    few = 0.0 if reaches_95(summary.sample_count) else _FEW_SAMPLES_WIDTH
    return max(_LEAST_WIDTH, interval) + few + _EXTRA_WIDTH[step.verdict.kind]


def _device_share(step: StepMeasurement) -> float:
    if step.device_summary is None or step.summary is None or step.summary.median_s <= 0.0:
        return 1.0
    return min(1.0, step.device_summary.median_s / step.summary.median_s)
