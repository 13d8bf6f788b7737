"""Twenty runs on one machine, quiet or disturbed, give one local advice."""

from __future__ import annotations

import math
import random

import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import Precision
from advisor.measure.measurement import Measurement, StepMeasurement, Verdict, VerdictKind
from advisor.measure.statistics import summarise
from advisor.optable.saved_tables import saved_tables
from advisor.protocol.messages import Sample
from advisor.recommend.recommendation import Recommendation
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

RUNS = 20
WORKLOAD = "lstm_classifier"
FIXED_S, EACH_S = 4e-3, 1.1e-3
"""A step of this made-up processor: what is fixed, and what a sample adds."""
BF16_RATIO = 0.98
"""BF16 is hardly faster there: the choice between the precisions is a tie."""
NOISE: dict[str, tuple[float, float, VerdictKind]] = {
    "quiet": (0.01, 0.01, "stable"),
    "restless": (0.03, 0.05, "usable"),
    "busy": (0.12, 0.10, "contended"),
}
"""Scatter in the logarithm, of a whole series and of a sample in it, and the verdict that such series get."""


def measured(state: str, draw: random.Random) -> Measurement:
    own = load_workload(WORKLOAD).training.batch_size
    steps = [
        series(size, precision, state, draw)
        for precision in ("fp32", "bf16_amp")
        for size in (own // 4, own // 2, own, own * 2, own * 4)
    ]
    return Measurement(
        device_key="cpu",
        device_name="Test CPU",
        created_utc="2026-01-01T00:00:00Z",
        workload_name=WORKLOAD,
        environment=None,
        steps=tuple(steps),
        verdict=steps[0].verdict,
    )


def series(size: int, precision: Precision, state: str, draw: random.Random) -> StepMeasurement:
    """Fifteen samples around the truth; others on the machine only ever slow a series down."""
    of_series, of_sample, kind = NOISE[state]
    truth_s = (FIXED_S + EACH_S * size) * (BF16_RATIO if precision == "bf16_amp" else 1.0)
    level = math.exp(abs(draw.gauss(0, of_series)) if state != "quiet" else draw.gauss(0, of_series))
    times = [truth_s * level * math.exp(draw.gauss(0, of_sample)) for _ in range(15)]
    return StepMeasurement(
        batch_size=size,
        precision=precision,
        thread_count=8,
        layer_limit=None,
        samples=tuple(
            Sample(
                series="step",
                batch_size=size,
                precision=precision,
                step_count=1,
                wall_s=time_s,
                device_s=None,
                started_monotonic_s=float(place),
                warm_up=False,
            )
            for place, time_s in enumerate(times)
        ),
        summary=summarise(times, duration_s=sum(times), stop_reason="enough"),
        device_summary=None,
        parts_s={},
        memory=None,
        verdict=Verdict(kind=kind),
    )


def local_advice(state: str, seed: int) -> Recommendation:
    workload = load_workload(WORKLOAD, overrides={"precision": "bf16_amp"})
    facts = Facts(
        machine=machine(),
        tables=dict(saved_tables(load_workload(WORKLOAD))),
        measurements=(measured(state, random.Random(seed)),),
    )
    request = AdviceRequest(workload=workload, measure=True, gpu_keys=("rtx4090",), counts=(1,))
    found = advice_from_facts(request, facts).recommendation_local
    assert found is not None
    return found


def set_up(found: Recommendation) -> tuple[str, int, str]:
    return found.device.key, found.batch_size_per_device, found.precision


@pytest.mark.parametrize("state", NOISE)
def test_twenty_runs_give_one_local_advice(state: str) -> None:
    found = {set_up(local_advice(state, seed)) for seed in range(RUNS)}
    own = load_workload(WORKLOAD).training.batch_size
    assert found == {("cpu", own, "bf16_amp")}
