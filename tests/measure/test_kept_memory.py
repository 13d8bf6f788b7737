"""When keeping freed memory is tried, and when it is advised."""

from __future__ import annotations

import pytest

from advisor.core.sentences import say
from advisor.measure.kept_memory import system_share, why_keep, worth_keeping
from advisor.measure.measurement import StepMeasurement, Summary, Verdict, VerdictKind
from advisor.measure.statistics import summarise
from advisor.protocol.messages import Sample


def _sample(step_s: float, system_s: float | None, *, warm_up: bool = False) -> Sample:
    return Sample(
        series="step",
        batch_size=8,
        precision="fp32",
        step_count=1,
        wall_s=step_s,
        device_s=None,
        started_monotonic_s=0.0,
        warm_up=warm_up,
        process_cpu_s=step_s,
        system_cpu_s=system_s,
    )


def _step(
    batch_size: int,
    step_s: float,
    system_s: float | None,
    *,
    layer_limit: int | None = None,
    verdict: VerdictKind = "stable",
) -> StepMeasurement:
    seconds = [step_s * (1.0 + 0.001 * number) for number in range(20)]
    summary: Summary | None = summarise(seconds, duration_s=sum(seconds), stop_reason="settled")
    return StepMeasurement(
        batch_size=batch_size,
        precision="fp32",
        thread_count=2,
        layer_limit=layer_limit,
        samples=(_sample(step_s, step_s, warm_up=True), *(_sample(one, system_s) for one in seconds)),
        summary=summary,
        device_summary=None,
        parts_s={},
        memory=None,
        verdict=Verdict(kind=verdict),
    )


def test_the_systems_share_is_that_of_warm_samples() -> None:
    assert system_share(_step(8, 0.020, 0.005)) == pytest.approx(0.25, rel=0.02)
    assert system_share(_step(8, 0.020, None)) is None


def test_the_size_nearest_to_the_wanted_one_is_tried_where_the_system_takes_a_tenth() -> None:
    steps = [_step(1, 0.020, 0.008), _step(32, 0.025, 0.001), _step(256, 0.200, 0.080), _step(1024, 0.9, 0.4)]
    tried = worth_keeping(steps, wanted=32)
    assert tried is not None
    assert tried.batch_size == 256
    assert worth_keeping(steps[1:2], wanted=32) is None
    assert worth_keeping([_step(8, 0.020, 0.008, layer_limit=1)], wanted=8) is None
    assert worth_keeping([_step(8, 0.020, None)], wanted=8) is None
    assert worth_keeping([], wanted=8) is None


def test_it_is_advised_where_the_same_step_became_clearly_faster() -> None:
    steps = [_step(8, 0.020, 0.008), _step(32, 0.030, 0.008)]
    (reason,) = why_keep("AMD EPYC", steps, _step(8, 0.012, 0.0))
    assert reason.numbers["batch_size"] == 8
    assert reason.numbers["step_s"] == pytest.approx(0.020, rel=0.02)
    assert reason.numbers["kept_step_s"] == pytest.approx(0.012, rel=0.02)
    assert "MALLOC_TRIM_THRESHOLD_=-1" in say(reason, "en")
    assert "MALLOC_TRIM_THRESHOLD_=-1" in say(reason, "zh")


def test_it_is_not_advised_where_it_brought_nothing_or_was_not_tried() -> None:
    steps = [_step(8, 0.020, 0.008)]
    assert why_keep("AMD EPYC", steps, _step(8, 0.0199, 0.0)) == ()
    assert why_keep("AMD EPYC", steps, _step(16, 0.001, 0.0)) == ()
    assert why_keep("AMD EPYC", steps, None) == ()
    assert why_keep("AMD EPYC", steps, _step(8, 0.012, 0.006)) == ()


def test_a_disturbed_comparison_tells_shares_and_no_times() -> None:
    kept = _step(8, 0.012, 0.0)
    for verdict in ("unstable", "contended"):
        (reason,) = why_keep("AMD EPYC", [_step(8, 0.020, 0.008, verdict=verdict)], kept)
        assert reason.code == "measure-memory-handed-back-unclear"
        assert set(reason.numbers) == {"device", "batch_size", "system_fraction", "kept_fraction"}
        assert "40 %" in say(reason, "en")
