"""Verdicts on series, on who else was there, and on which device may be called faster."""

from __future__ import annotations

import msgspec
import pytest

from advisor.core.sentences import Reason, message_exists, say
from advisor.hardware.machine import Gpu, GpuReading, Reading
from advisor.measure.measurement import StepMeasurement, Summary, Verdict, VerdictKind
from advisor.measure.stopping import StoppingLimits
from advisor.measure.verdicts import (
    clearly_faster,
    foreign_cores,
    judge,
    may_rank,
    others_on_cpu,
    others_on_gpu,
    power_capped,
    states_of,
    throttled_spans,
)
from advisor.protocol.messages import Sample

LIMITS = StoppingLimits()
GPU = Gpu(uuid="GPU-a", index=0, vendor="nvidia", name="Card", memory_total_bytes=10 << 30, sm_clock_default_hz=1e9)


def _summary(median: float, low: float, high: float) -> Summary:
    return Summary(
        median_s=median, low_s=low, high_s=high, mad_s=0.0, first_quartile_s=low, third_quartile_s=high,
        sample_count=15, duration_s=1.0, stop_reason="settled", drift_ratio=1.0,
    )  # fmt: skip


def _readings(*parts: GpuReading) -> list[Reading]:
    return [Reading(monotonic_s=0.1 * index, gpus=(part,)) for index, part in enumerate(parts)]


def _part(**fields: float) -> GpuReading:
    return GpuReading(uuid="GPU-a", index=0, **fields)  # type: ignore[arg-type]


def _sample(wall_s: float = 1.0, cpu_s: float | None = 1.0) -> Sample:
    return Sample(
        series="step", batch_size=1, precision="fp32", step_count=1, wall_s=wall_s, device_s=None,
        started_monotonic_s=0.0, warm_up=False, process_cpu_s=cpu_s,
    )  # fmt: skip


def test_exact_steady_samples_are_stable() -> None:
    assert judge([1.0, 1.001, 0.999] * 6, LIMITS).kind == "stable"


def test_a_wide_interval_is_usable_up_to_five_percent_and_unstable_beyond() -> None:
    usable = judge([1.0, 1.04, 0.96] * 6, LIMITS)
    assert usable.kind == "usable"
    assert usable.half_width_fraction == pytest.approx(0.04)
    assert judge([1.0, 1.1, 0.9] * 6, LIMITS).kind == "unstable"


def test_drift_is_unstable_and_says_how_much() -> None:
    verdict = judge([1.0 + 0.002 * index for index in range(30)], LIMITS)
    assert verdict.kind == "unstable"
    assert verdict.reason is not None
    assert verdict.reason.code == "measure-drifted"


def test_few_samples_are_never_stable() -> None:
    assert judge([1.0] * 2, LIMITS).kind == "unstable"
    assert judge([1.0] * 5, LIMITS).kind == "usable"


def test_nothing_left_over_is_throttled_or_not_measured() -> None:
    assert judge([], LIMITS).kind == "not_measured"
    reason = Reason.of("measure-throttled-bits", gpu="Card", bits="0x20")
    assert judge([], LIMITS, throttled=reason) == Verdict(kind="throttled", reason=reason)


def test_contention_outweighs_a_good_interval() -> None:
    reason = Reason.of("measure-cpu-pressure", pressure_fraction=0.3)
    assert judge([1.0] * 20, LIMITS, contended=reason).kind == "contended"


def test_devices_rank_only_when_intervals_part_and_medians_differ_by_three_percent() -> None:
    fast, slow = _summary(1.0, 0.99, 1.01), _summary(1.1, 1.09, 1.11)
    assert clearly_faster(fast, slow)
    assert not clearly_faster(slow, fast)
    assert not clearly_faster(fast, _summary(1.02, 1.015, 1.025))
    assert not clearly_faster(fast, _summary(1.1, 1.005, 1.2))


@pytest.mark.parametrize(
    ("kind", "ranks"),
    [("stable", True), ("usable", True), ("unstable", False), ("throttled", False), ("contended", False)],
)
def test_only_trusted_series_rank(kind: VerdictKind, ranks: bool) -> None:
    step = StepMeasurement(
        batch_size=1, precision="fp32", thread_count=None, layer_limit=None, samples=(),
        summary=_summary(1.0, 1.0, 1.0), device_summary=None, parts_s={}, memory=None, verdict=Verdict(kind=kind),
    )  # fmt: skip
    assert may_rank(step) is ranks


def test_one_reading_with_a_bit_is_chance_and_two_are_throttling() -> None:
    quiet, bit = _part(throttle_bits=0), _part(throttle_bits=0x40)
    assert throttled_spans(_readings(quiet, bit, quiet), GPU) == ()
    spans = throttled_spans(_readings(quiet, bit, bit, quiet), GPU)
    assert [(round(start, 1), round(end, 1)) for start, end, _ in spans] == [(0.0, 0.2), (0.1, 0.3)]


def test_a_low_clock_of_an_idle_card_is_no_throttling() -> None:
    idle = _part(sm_clock_hz=3e8, utilisation_fraction=0.0)
    assert throttled_spans(_readings(idle, idle, idle), GPU) == ()
    busy = _part(sm_clock_hz=3e8, utilisation_fraction=1.0)
    assert throttled_spans(_readings(busy, busy), GPU)[0][2].code == "measure-throttled-low-clock"


def test_unknown_fields_are_no_evidence() -> None:
    unknown = _part()
    assert throttled_spans(_readings(unknown, unknown, unknown), GPU) == ()
    assert not power_capped(_readings(unknown, unknown), GPU)
    assert others_on_gpu(_readings(unknown, unknown), GPU) is None


def test_a_power_cap_is_noticed_when_it_holds_mostly() -> None:
    capped, free = _part(throttle_bits=0x4), _part(throttle_bits=0)
    assert power_capped(_readings(capped, capped, free), GPU)
    assert not power_capped(_readings(capped, free, free), GPU)


def test_memory_or_use_by_others_is_named() -> None:
    full = others_on_gpu(_readings(_part(memory_used_bytes=2 << 30)), GPU)
    assert full is not None
    assert full.code == "measure-others-hold-memory"
    busy = others_on_gpu(_readings(*[_part(utilisation_fraction=0.4)] * 3), GPU)
    assert busy is not None
    assert busy.code == "measure-others-use-gpu"
    assert others_on_gpu(_readings(_part(memory_used_bytes=100 << 20, utilisation_fraction=0.0)), GPU) is None


@pytest.mark.parametrize(
    ("readings", "cpu_s", "threads", "code"),
    [
        ([Reading(monotonic_s=0.0, cpu_pressure_fraction=0.2)] * 3, 1.0, 1, "measure-cpu-pressure"),
        ([Reading(monotonic_s=0.0, steal_fraction=0.05)] * 3, 1.0, 1, "measure-cpu-stolen"),
        ([], 0.8, 1, "measure-cpu-waited"),
        ([], 0.8, 2, None),
        ([Reading(monotonic_s=0.0, cpu_utilisation_fraction=0.9)] * 3, 1.0, 1, "measure-cpu-shared"),
        ([Reading(monotonic_s=0.0, cpu_utilisation_fraction=0.9, cpu_pressure_fraction=0.0)] * 3, 1.0, 1, None),
        ([Reading(monotonic_s=0.0, cpu_pressure_fraction=0.2)], 1.0, 1, None),
    ],
)
def test_others_on_the_processor_are_named(
    readings: list[Reading], cpu_s: float, threads: int, code: str | None
) -> None:
    reason = others_on_cpu(readings, [_sample(cpu_s=cpu_s)] * 3, thread_count=threads, core_count=2)
    assert (reason and reason.code) == code


@pytest.mark.parametrize(
    ("used", "own", "cores", "foreign"),
    [(0.9, 1.0, 2, 0.8), (0.6, 1.0, 2, None), (None, 0.0, 2, None), (0.9, 0.0, None, None)],
)
def test_a_quarter_of_a_core_beyond_ones_own_is_others(
    used: float | None, own: float, cores: int | None, foreign: float | None
) -> None:
    seen = [Reading(monotonic_s=0.0, cpu_utilisation_fraction=used)] * 3
    assert foreign_cores(seen, own_cores=own, core_count=cores) == foreign


def test_a_device_without_processor_times_is_not_accused() -> None:
    assert others_on_cpu([], [_sample(cpu_s=None)], thread_count=1, core_count=2) is None


def test_readings_join_by_uuid_and_by_index_only_without_one() -> None:
    reading = Reading(monotonic_s=0.0, gpus=(GpuReading(uuid="GPU-b", index=0), GpuReading(uuid=None, index=1)))
    assert states_of([reading], GPU) == []
    nameless = Gpu(uuid=None, index=1, vendor="amd", name="Other")
    assert states_of([reading], nameless) == [(reading.monotonic_s, reading.gpus[1])]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_reason_of_a_verdict_has_its_sentence(language: str) -> None:
    reasons = [
        judge([1.0, 1.1, 0.9] * 6, LIMITS).reason,
        judge([1.0 + 0.002 * index for index in range(30)], LIMITS).reason,
        judge([1.0], LIMITS).reason,
        judge([], LIMITS).reason,
        others_on_cpu([], [_sample(cpu_s=0.5)], thread_count=1, core_count=2),
    ]
    for reason in reasons:
        assert reason is not None
        assert message_exists(reason.code, language)  # type: ignore[arg-type]
        assert say(reason, language)  # type: ignore[arg-type]


def test_bits_that_are_normal_at_full_load_or_idle_slow_nothing() -> None:
    for normal in (0x1, 0x4):  # idle, power cap
        assert throttled_spans(_readings(*[_part(throttle_bits=normal)] * 3), GPU) == ()


@pytest.mark.parametrize(("over_bytes", "named"), [(0, False), (1, True)])
@pytest.mark.parametrize(("total_bytes", "most_bytes"), [(2_000_000_000, 300 * 2**20), (10_000_000_000, 500_000_000)])
def test_others_may_hold_a_drivers_share_and_not_a_byte_more(
    total_bytes: int, most_bytes: int, over_bytes: int, *, named: bool
) -> None:
    card = msgspec.structs.replace(GPU, memory_total_bytes=total_bytes)
    held = _part(memory_used_bytes=most_bytes + over_bytes)
    assert (others_on_gpu(_readings(held, held, held), card) is not None) is named


@pytest.mark.parametrize(
    ("last_hz", "rise_celsius", "fall"),
    [(0.9e9, 3.0, 0.1), (0.9e9, 2.9, None), (0.96e9, 9.0, None), (0.94e9, 9.0, 0.06)],
)
def test_a_clock_that_falls_a_little_or_without_heat_is_not_said_to_have_fallen_hot(
    last_hz: float, rise_celsius: float, fall: float | None
) -> None:
    cool = [_part(sm_clock_hz=1e9, temperature_celsius=60.0, utilisation_fraction=1.0)] * 3
    hot = [_part(sm_clock_hz=last_hz, temperature_celsius=60.0 + rise_celsius, utilisation_fraction=1.0)] * 3
    reasons = [reason for *_, reason in throttled_spans(_readings(*cool, *cool, *hot), GPU)]
    told = [reason.figure("fall_fraction") for reason in reasons if reason.code == "measure-throttled-hot"]
    assert told == ([] if fall is None else [pytest.approx(fall)])


def test_an_idle_card_that_holds_no_more_than_a_driver_needs_has_no_other_user() -> None:
    idle = _part(utilisation_fraction=0.0, memory_used_bytes=0.0)
    assert others_on_gpu(_readings(idle, idle, idle), GPU) is None
    assert others_on_gpu(_readings(*[_part(utilisation_fraction=0.5)] * 3), GPU) is not None
