"""Steps of a model that could not be traced: those that were timed here, and no others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from advisor.catalogue.precisions import ComputedPrecision
from advisor.core.units import Estimate
from advisor.cost.step_parts import OWN_PARTS
from advisor.measure.measurement import Measurement
from advisor.predict.device_steps import DeviceSteps
from advisor.predict.local.anchors import Anchor, anchors_of
from advisor.protocol.messages import STEP_PARTS

_TOLERANCE_FRACTION = 0.05
"""Of a timed peak of memory: a step may take other algorithms, or the system count pages otherwise (assumed)."""


def timed_steps(
    measurement: Measurement, batch_sizes: Sequence[int], precision: ComputedPrecision
) -> DeviceSteps | None:
    """Steps of one device, arrays of shape (1, batches): NaN at sizes at which the whole model was not timed.

    None where it was timed at none of them. The 80 % range is that of the series itself.
    """
    anchors = {anchor.batch_size: anchor for anchor in anchors_of(measurement, precision) if anchor.whole}
    timed = [anchors.get(size) for size in batch_sizes]
    if not any(timed):
        return None
    parts = [_parts_of(anchor) if anchor is not None else dict.fromkeys(OWN_PARTS, np.nan) for anchor in timed]
    total_s = np.array([[anchor.step_s if anchor is not None else np.nan for anchor in timed]])
    width = np.array([[anchor.width_fraction if anchor is not None else np.nan for anchor in timed]])
    return DeviceSteps(
        **{name: np.array([[part[name] for part in parts]]) for name in OWN_PARTS},
        low_s=total_s / (1.0 + width),
        high_s=total_s * (1.0 + width),
        measured=np.isfinite(total_s),
        basis=("measured",),
        notes=((),),
    )


def _parts_of(anchor: Anchor) -> dict[str, float]:
    """Parts as they were timed, scaled to the device's busy share of the step; the rest is the host's."""
    timed = {f"{name}_s": anchor.parts_s.get(name, 0.0) for name in STEP_PARTS}
    whole_s = sum(timed.values())
    scale = anchor.device_share * anchor.step_s / whole_s if whole_s > 0.0 else 0.0
    parts = {name: scale * seconds for name, seconds in timed.items()}
    return dict.fromkeys(OWN_PARTS, 0.0) | parts | {"host_s": anchor.step_s - sum(parts.values())}


def timed_peak(
    measurement: Measurement, batch_size: int, precision: ComputedPrecision, beside_bytes: float
) -> Estimate | None:
    """Peak memory of such a step in bytes; None where nobody saw it.

    `beside_bytes`: what the process held before the model, over which the peak was seen.
    """
    peaks = [
        step.memory.peak_reserved_bytes or step.memory.peak_allocated_bytes
        for step in measurement.steps
        if (step.batch_size, step.precision) == (batch_size, precision)
        and step.layer_limit is None
        and step.memory is not None
    ]
    if not peaks:
        return None
    peak = max(peaks) + beside_bytes
    low, high = peak * (1.0 - _TOLERANCE_FRACTION), peak * (1.0 + _TOLERANCE_FRACTION)
    return Estimate(value=peak, low=low, high=high, basis="measured")
