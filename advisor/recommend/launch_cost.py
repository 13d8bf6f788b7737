"""What a step costs before it has any work to do: launches and waits, read off its curve over batch sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.predict.prediction import Prediction


def fixed_s(prediction: Prediction, curve: Sequence[Prediction]) -> float:
    """Seconds of a step that do not grow with its batch: launching kernels, synchronising, the optimizer.

    From the slope to the nearest other batch size of the same device and precision in `curve`, the next larger
    one where there is one; never below zero or beyond the step.
    """
    step, size = prediction.step_s.value, prediction.batch_size_per_device
    others = [
        one
        for one in curve
        if one.device.key == prediction.device.key
        and one.precision == prediction.precision
        and one.count == prediction.count
        and one.strategy == prediction.strategy
        and one.gradient_accumulation_steps == prediction.gradient_accumulation_steps
        and one.batch_size_per_device != size
    ]
    if not others:
        return sum(part.duration_s for part in prediction.parts if part.kind in {"host", "synchronisation"})
    near = min(others, key=lambda one: (one.batch_size_per_device < size, abs(one.batch_size_per_device - size)))
    slope = (near.step_s.value - step) / (near.batch_size_per_device - size)
    return min(step, max(0.0, step - max(0.0, slope) * size))
