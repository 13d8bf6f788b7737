"""How far a series may be trusted, and when one device may be called faster than another."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

from advisor.core.sentences import Reason
from advisor.hardware.machine import Gpu, GpuReading, Reading
from advisor.measure.measurement import StepMeasurement, Summary, Verdict
from advisor.measure.statistics import drift_bound_fraction, drift_ratio, half_width_fraction, reaches_95
from advisor.measure.stopping import StoppingLimits
from advisor.protocol.messages import Sample

THROTTLE_BITS = 0x8 | 0x20 | 0x40 | 0x80
"""Hardware slowdown, software thermal, hardware thermal, power brake (NVML's clock event reasons)."""
POWER_CAP_BIT = 0x4

_UNSTABLE_HALF_WIDTH = 0.05
_HIDDEN_DRIFT = 0.04
_LEAST_FOR_INTERVAL = 3
_CLEAR_DIFFERENCE = 0.03
_LOW_CLOCK_RATIO = 0.75
_CLOCK_FALL = 0.05
_TEMPERATURE_RISE_CELSIUS = 3.0
_LEAST_READINGS = 2
_OTHERS_LEAST_BYTES = 300 * 1024 * 1024
_OTHERS_MEMORY_FRACTION = 0.05
_OTHERS_UTILISATION = 0.05
_PRESSURE = 0.05
_STEAL = 0.02
_LEAST_CPU_SHARE = 0.97
_FOREIGN_CORES = 0.25


def judge(
    samples_s: Sequence[float],
    limits: StoppingLimits,
    *,
    throttled: Reason | None = None,
    contended: Reason | None = None,
) -> Verdict:
    """The verdict on the kept samples of one series (seconds a step, in order).

    `throttled` is given where throttling left nothing over; `contended` where others used the device meanwhile.
    `stable` needs at least six samples, an interval within the limit, and a drift that is below 4 % with 99 %
    certainty; an interval beyond 5 % or a drift beyond the limit makes `unstable`.
    """
    if not samples_s:
        if throttled is not None:
            return Verdict(kind="throttled", reason=throttled)
        return Verdict(kind="not_measured", reason=Reason.of("measure-no-samples"))
    width = half_width_fraction(samples_s)
    if contended is not None:
        return Verdict(kind="contended", half_width_fraction=width, reason=contended)
    unstable = _why_unstable(samples_s, width, limits)
    if unstable is not None:
        return Verdict(kind="unstable", half_width_fraction=width, reason=unstable)
    exact = reaches_95(len(samples_s)) and width <= limits.half_width_fraction
    if exact and drift_bound_fraction(samples_s) < _HIDDEN_DRIFT:
        return Verdict(kind="stable", half_width_fraction=width)
    return Verdict(kind="usable", half_width_fraction=width)


def clearly_faster(first: Summary, second: Summary) -> bool:
    """Whether the first series is faster beyond doubt: the intervals don't touch and medians differ by over 3 %."""
    return first.high_s < second.low_s and second.median_s > first.median_s * (1.0 + _CLEAR_DIFFERENCE)


def may_rank(measured: StepMeasurement) -> bool:
    """Whether this series may say anything about which device is faster."""
    return measured.summary is not None and measured.verdict.kind in {"stable", "usable"}


def throttled_spans(readings: Sequence[Reading], gpu: Gpu) -> tuple[tuple[float, float, Reason], ...]:
    """Spans (start, end, why) of monotonic time in which the GPU was slowed by heat, hardware or a low clock.

    Hardware or thermal bits in at least two readings; the median clock below 75 % of the default; or a clock that
    fell by over 5 % while the temperature rose. A power cap is normal at full load and is not among them.
    """
    seen = states_of(readings, gpu)
    bits = [(at, state) for at, state in seen if (state.throttle_bits or 0) & THROTTLE_BITS]
    if len(bits) >= _LEAST_READINGS:
        joined = 0
        for _, state in bits:
            joined |= (state.throttle_bits or 0) & THROTTLE_BITS
        reason = Reason.of("measure-throttled-bits", gpu=gpu.name, bits=f"0x{joined:x}")
        return tuple((*_span_around(at, [when for when, _ in seen]), reason) for at, _ in bits)
    busy = [state.sm_clock_hz for _, state in seen if state.sm_clock_hz is not None and _is_busy(state)]
    if len(busy) < _LEAST_READINGS:
        return ()
    whole = (-math.inf, math.inf)
    clock_hz = statistics.median(busy)
    if gpu.sm_clock_default_hz and clock_hz < _LOW_CLOCK_RATIO * gpu.sm_clock_default_hz:
        fraction = clock_hz / gpu.sm_clock_default_hz
        return ((*whole, Reason.of("measure-throttled-low-clock", gpu=gpu.name, clock_fraction=fraction)),)
    fall = _clock_fall(seen)
    if fall is not None:
        return ((*whole, Reason.of("measure-throttled-hot", gpu=gpu.name, fall_fraction=fall)),)
    return ()


def power_capped(readings: Sequence[Reading], gpu: Gpu) -> bool:
    """Whether the power limit held the clock in most busy readings: normal at full load, but worth saying."""
    throttles = [state.throttle_bits for _, state in states_of(readings, gpu) if state.throttle_bits is not None]
    return len(throttles) >= _LEAST_READINGS and sum(bool(value & POWER_CAP_BIT) for value in throttles) * 2 > len(
        throttles
    )


def others_on_gpu(readings: Sequence[Reading], gpu: Gpu) -> Reason | None:
    """Whether somebody else used the GPU in readings taken before our own context was made."""
    seen = [state for _, state in states_of(readings, gpu)]
    used = [state.memory_used_bytes for state in seen if state.memory_used_bytes is not None]
    total = gpu.memory_total_bytes or 0
    if used and statistics.median(used) > max(_OTHERS_LEAST_BYTES, _OTHERS_MEMORY_FRACTION * total):
        return Reason.of("measure-others-hold-memory", used_bytes=statistics.median(used))
    busy = [state.utilisation_fraction for state in seen if state.utilisation_fraction is not None]
    if len(busy) >= _LEAST_READINGS and statistics.median(busy) > _OTHERS_UTILISATION:
        return Reason.of("measure-others-use-gpu", busy_fraction=statistics.median(busy))
    return None


def others_on_cpu(
    readings: Sequence[Reading], samples: Sequence[Sample], *, thread_count: int, core_count: int | None
) -> Reason | None:
    """Whether others took processor time while the samples were made (`readings` of the same time).

    Pressure over 5 %, steal over 2 %, less than 97 % of a core on one thread, or, where the system tells no
    pressure, more than a quarter of a core in use beyond our own.
    """
    pressure = _median([reading.cpu_pressure_fraction for reading in readings])
    if pressure is not None and pressure > _PRESSURE:
        return Reason.of("measure-cpu-pressure", pressure_fraction=pressure)
    steal = _median([reading.steal_fraction for reading in readings])
    if steal is not None and steal > _STEAL:
        return Reason.of("measure-cpu-stolen", steal_fraction=steal)
    shares = [sample.process_cpu_s / sample.wall_s for sample in samples if sample.process_cpu_s and sample.wall_s > 0]
    if not shares:
        return None
    own = statistics.median(shares)
    if thread_count == 1 and own < _LEAST_CPU_SHARE:
        return Reason.of("measure-cpu-waited", share_fraction=own)
    foreign = None if pressure is not None else foreign_cores(readings, own_cores=own, core_count=core_count)
    return None if foreign is None else Reason.of("measure-cpu-shared", foreign_cores=foreign)


def foreign_cores(readings: Sequence[Reading], *, own_cores: float, core_count: int | None) -> float | None:
    """Cores in use beyond our own, where they are more than a quarter of one."""
    used = _median([reading.cpu_utilisation_fraction for reading in readings])
    if used is None or core_count is None or used * core_count - own_cores <= _FOREIGN_CORES:
        return None
    return round(used * core_count - own_cores, 2)


def states_of(readings: Iterable[Reading], gpu: Gpu) -> list[tuple[float, GpuReading]]:
    """When a reading tells of this GPU, and what."""
    return [(reading.monotonic_s, state) for reading in readings for state in reading.gpus if state.key == gpu.key]


def _why_unstable(samples_s: Sequence[float], width: float, limits: StoppingLimits) -> Reason | None:
    if len(samples_s) < _LEAST_FOR_INTERVAL:
        return Reason.of("measure-few-samples", count=len(samples_s))
    if width > _UNSTABLE_HALF_WIDTH:
        return Reason.of("measure-interval-too-wide", half_width_fraction=width)
    ratio = drift_ratio(samples_s)
    if ratio is not None and abs(ratio - 1.0) > limits.drift_fraction:
        return Reason.of("measure-drifted", drift_fraction=ratio - 1.0)
    return None


def _median(values: Sequence[float | None]) -> float | None:
    finite = [value for value in values if value is not None]
    return statistics.median(finite) if len(finite) >= _LEAST_READINGS else None


def _is_busy(state: GpuReading) -> bool:
    return state.utilisation_fraction is None or state.utilisation_fraction > 0.5  # noqa: PLR2004 - half the time


def _span_around(at: float, times: Sequence[float]) -> tuple[float, float]:
    """From the reading before to the reading after: the state may have changed anywhere between."""
    before = max((when for when in times if when < at), default=-math.inf)
    after = min((when for when in times if when > at), default=math.inf)
    return before, after


def _clock_fall(seen: Sequence[tuple[float, GpuReading]]) -> float | None:
    """By how much the clock fell from the first third to the last while the temperature rose, if over 5 %."""
    busy = [
        (state.sm_clock_hz, state.temperature_celsius)
        for _, state in seen
        if state.sm_clock_hz is not None and state.temperature_celsius is not None and _is_busy(state)
    ]
    third = len(busy) // 3
    if third < _LEAST_READINGS:
        return None
    first, last = busy[:third], busy[-third:]
    clock = statistics.median(clock for clock, _ in first)
    fall = 1.0 - statistics.median(clock for clock, _ in last) / clock if clock > 0.0 else 0.0
    rise = statistics.median(heat for _, heat in last) - statistics.median(heat for _, heat in first)
    return fall if fall > _CLOCK_FALL and rise >= _TEMPERATURE_RISE_CELSIUS else None
