"""All measured steps of the joint fit, and how each of them is scored against a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec
import numpy as np

from advisor.cost.efficiencies import Efficiencies
from advisor.optable.op_columns import Floats
from advisor.predict.evaluation import ScoredStep
from advisor.predict.ranges.step_range import step_band
from advisor.workload.workload import quantization_of
from tests.accuracy.llm_steps import language_model_steps, table_key
from tests.accuracy.own_runs import own_steps
from tests.accuracy.recorded_runs import published_steps
from tests.accuracy.vision_runs import device_bound_steps
from tools.fitting.card_shares import slopes_of
from tools.fitting.fit import MeasuredStep, StepSet


@cache
def fitted_steps() -> tuple[MeasuredStep, ...]:
    """Every run that the figures are fitted on, published or measured by us."""
    return (*published_steps(), *language_model_steps(), *device_bound_steps(), *own_steps())


def method_of(step: MeasuredStep) -> str:
    """What is trained and how the work is shared, in a few words."""
    training = step.training
    trained = "all weights"
    if training.trainable == "lora":
        quantization = quantization_of(training)
        trained = "LoRA" if quantization is None else f"LoRA on {quantization}"
    trained = f"{trained}, compiled" if training.compile else trained
    return trained if step.added_s == 0 else f"{trained}, several cards"


def scored(
    steps: Sequence[MeasuredStep], predicted_s: Floats, figures: Efficiencies, *, new_card: bool = False
) -> list[ScoredStep]:
    """The steps beside `predicted_s`, with the ranges that the program would give them.

    `new_card` says that no fit had seen a step's own card: its range is that of such a card.
    """
    shares = StepSet(steps, figures).host_fraction(figures.fitted)
    slopes = slopes_of(steps, figures)
    found = []
    for step, seconds, share, *slope in zip(steps, predicted_s, shares, *slopes, strict=True):
        known = _without(table_key(step), steps, figures) if new_card else figures
        bandwidth, compute, host = (np.array([[one]]) for one in (*slope, share))
        low, high = step_band(step, [step.spec], host, (bandwidth, compute), known)
        training = step.training
        found.append(
            ScoredStep(
                workload=step.workload,
                mode=training.mode,
                precision=step.precision,
                length=step.length,
                layout="nhwc" if training.channels_last else "nchw",
                optimizer=f"{training.optimizer}{' fused' if training.fused_optimizer else ''}",
                gpu_key=table_key(step),
                family=step.family,
                batch_size=step.batch_size,
                measured_s=step.measured_s,
                predicted_s=float(seconds),
                low_s=float(seconds * low[0, 0]),
                high_s=float(seconds * high[0, 0]),
                source=step.source,
                generation="today" if step.software_year is None else str(step.software_year),
                method=method_of(step),
            )
        )
    return found


def _without(key: str, steps: Sequence[MeasuredStep], figures: Efficiencies) -> Efficiencies:
    """The figures as they would be had no run of this card of the table been there."""
    others = {step.spec.key: step.spec.compute_capability or "" for step in steps if table_key(step) != key}
    return msgspec.structs.replace(
        figures, fitted_cards=tuple(others), fitted_capabilities=tuple(sorted(set(others.values())))
    )
