"""A device whose truth is known goes through steering, collection and verdict as a real one does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from advisor.hardware.machine import Cpu, Gpu, GpuReading, HostMemory, Machine, Reading, Software
from advisor.measure.collection import Collection
from advisor.measure.measurement import StepMeasurement
from advisor.measure.plan import DevicePlan
from advisor.measure.steering import Steering
from advisor.measure.stopping import StoppingLimits
from advisor.measure.verdicts import judge
from advisor.protocol.messages import Pause, Sample, StageEnded, StageStarted, Stop, Warm

GPU = Gpu(
    uuid="GPU-synthetic",
    index=0,
    vendor="nvidia",
    name="Synthetic",
    sm_clock_default_hz=1.5e9,
    memory_total_bytes=8 << 30,
)
CPU = Cpu(
    name="Synthetic CPU",
    architecture="x86_64",
    physical_core_count=2,
    logical_core_count=2,
    usable_core_count=2,
    cgroup_core_limit_count=None,
    max_clock_hz=None,
    instruction_sets=(),
)
MACHINE = Machine(
    cpu=CPU,
    memory=HostMemory(total_bytes=8 << 30, available_bytes=8 << 30, cgroup_limit_bytes=None),
    gpus=(GPU,),
    software=Software(os="none", python="3.11"),
)

Clock = Callable[[float], float]


@dataclass
class SyntheticDevice:
    """Steps of a known median with noise, spikes and drift; optionally slowed from a moment on, as its bits tell."""

    seed: int
    median_s: float = 0.02
    noise: float = 0.005
    spikes: float = 0.05
    drift: float = 0.0
    """Of the step time over the whole series (400 samples at most, or its three seconds)."""
    throttled: Callable[[float], bool] = lambda _at: False
    bits: int = 0x20
    clock_hz: Clock = lambda _at: 1.5e9
    celsius: Clock = lambda _at: 60.0
    on_cpu: bool = False
    now_s: float = 100.0
    pauses: list[float] = field(default_factory=list)

    def run(self, *, span: int = 400) -> StepMeasurement:
        """One stage under the rules; `span` is how many kept samples the drift is spread over."""
        random = np.random.default_rng(self.seed)
        gpu = None if self.on_cpu else GPU
        steering = Steering(on_cpu=self.on_cpu, full_method=False, gpu=gpu)
        key = "cpu" if self.on_cpu else "GPU-synthetic"
        plan = DevicePlan(
            key=key, name=key, torch_device="cpu" if self.on_cpu else "cuda", visible=None, budget_s=30.0,
            calibration_s=0.0, precisions=("fp32",), batch_sizes=(8,),
        )  # fmt: skip
        collection = Collection(plan, MACHINE, "synthetic", steering)
        start = StageStarted(stage=1, series="step", batch_size=8, precision="fp32", budget_s=30.0)
        steering.take(start)
        warm, kept, reason, slowed = False, 0, None, 1.0
        while reason is None and self.now_s < 130.0:
            slowed = 1.4 if self.throttled(self.now_s) else 1.0
            spike = random.exponential(0.5) if random.random() < self.spikes else 0.0
            step_s = self.median_s * slowed * (1.0 + self.noise * random.normal() + spike)
            step_s *= 1.0 + self.drift * kept / span
            self._read(collection, steering, self.now_s)
            sample = Sample(
                series="step", batch_size=8, precision="fp32", step_count=1, wall_s=step_s, device_s=None,
                started_monotonic_s=self.now_s, warm_up=not warm, stage=1, process_cpu_s=step_s,
            )  # fmt: skip
            self.now_s += step_s
            collection.take(sample)
            kept += warm
            warm = warm or self.now_s > 103.0  # the worker's own limit where nobody calls it warm
            for control in steering.take(sample):
                if isinstance(control, Warm):
                    warm = True
                elif isinstance(control, Stop):
                    reason = control.reason
                elif isinstance(control, Pause):
                    self.pauses.append(control.wait_s)
                    self.now_s += control.wait_s
        collection.take(StageEnded(series="step", batch_size=8, precision="fp32", reason=reason or "cap", stage=1))
        return collection.measurement().steps[0]

    def _read(self, collection: Collection, steering: Steering, at: float) -> None:
        if collection.readings and at - collection.readings[-1].monotonic_s < 0.1:
            return
        gpu = GpuReading(
            uuid="GPU-synthetic",
            index=0,
            utilisation_fraction=1.0,
            sm_clock_hz=self.clock_hz(at),
            temperature_celsius=self.celsius(at),
            throttle_bits=self.bits if self.throttled(at) else 0,
        )
        reading = Reading(monotonic_s=at, gpus=() if self.on_cpu else (gpu,), cpu_pressure_fraction=0.0)
        collection.readings.append(reading)
        steering.read([reading])


RUNS = [pytest.param(60, id="sample"), pytest.param(300, id="full", marks=pytest.mark.nightly)]


@pytest.mark.parametrize("count", RUNS)
def test_the_interval_covers_the_true_median_in_nine_of_ten_runs(
    count: int, record_property: Callable[[str, object], None]
) -> None:
    hits = 0
    for seed in range(count):
        device = SyntheticDevice(seed, noise=0.01)
        summary = device.run().summary
        assert summary is not None
        truth = device.median_s * (1.0 + 0.01 * 0.066)  # median of noise with 5 % one-sided spikes
        hits += summary.low_s <= truth <= summary.high_s
    record_property("figure", f"interval covers the median in {hits} of {count} runs")
    assert hits / count >= 0.90


@pytest.mark.parametrize("count", RUNS)
def test_a_drift_of_five_percent_is_hardly_ever_called_stable(
    count: int, record_property: Callable[[str, object], None]
) -> None:
    called = 0
    for seed in range(count):
        for noise in (0.002, 0.01, 0.02):
            kept = [sample.wall_s for sample in SyntheticDevice(seed, noise=noise).run().samples if not sample.warm_up]
            drifting = np.asarray(kept) * np.linspace(1.0, 1.05, len(kept))
            called += judge(list(drifting), StoppingLimits()).kind == "stable"
    record_property("figure", f"5 % drift called stable in {called} of {3 * count} runs")
    assert called / (3 * count) <= 0.01


def test_a_series_that_drifts_while_it_is_made_goes_on_until_the_drift_is_seen() -> None:
    for seed in range(20):
        step = SyntheticDevice(seed, noise=0.005, drift=0.60).run(span=100)
        assert step.verdict.kind == "unstable"
        assert step.verdict.reason is not None
        assert step.verdict.reason.code in {"measure-drifted", "measure-interval-too-wide"}


@pytest.mark.parametrize("count", RUNS)
def test_a_quiet_device_is_called_stable(count: int, record_property: Callable[[str, object], None]) -> None:
    called = sum(
        SyntheticDevice(seed, noise=0.003, spikes=0.02).run().verdict.kind == "stable" for seed in range(count)
    )
    record_property("figure", f"a quiet device called stable in {called} of {count} runs")
    assert called / count >= 0.9


@pytest.mark.parametrize("count", RUNS)
@pytest.mark.parametrize("bits", [0x8, 0x20, 0x40, 0x80])
def test_a_throttled_device_is_always_named_and_gives_no_figure(count: int, bits: int) -> None:
    for seed in range(count // 4):
        step = SyntheticDevice(seed, throttled=lambda _at: True, bits=bits).run()
        assert step.verdict.kind == "throttled"
        assert step.summary is None
        assert step.verdict.reason is not None
        assert step.verdict.reason.numbers["bits"] == f"0x{bits:x}"


@pytest.mark.parametrize("count", RUNS)
def test_blocks_made_while_throttled_are_dropped_and_the_rest_is_right(count: int) -> None:
    for seed in range(count // 4):
        device = SyntheticDevice(seed, throttled=lambda at: 100.7 < at < 101.3, spikes=0.0)
        step = device.run()
        assert step.summary is not None
        assert step.summary.median_s == pytest.approx(device.median_s, rel=0.02)
        assert any(caveat.code == "measure-throttled-dropped" for caveat in step.caveats)
        assert device.pauses
        assert device.pauses == sorted(device.pauses)
        assert max(device.pauses) <= 0.5


def test_a_clock_far_below_the_default_is_named_without_any_bit() -> None:
    step = SyntheticDevice(1, clock_hz=lambda _at: 1.0e9).run()
    assert step.verdict.kind == "throttled"
    assert step.verdict.reason is not None
    assert step.verdict.reason.code == "measure-throttled-low-clock"


def test_a_clock_that_falls_as_the_card_heats_is_named() -> None:
    device = SyntheticDevice(1, clock_hz=lambda at: 1.5e9 - 3e8 * (at - 100), celsius=lambda at: 50 + 20 * (at - 100))
    reason = device.run().verdict.reason
    assert reason is not None
    assert reason.code == "measure-throttled-hot"


def test_a_power_cap_is_normal_and_keeps_its_figure() -> None:
    step = SyntheticDevice(1, throttled=lambda _at: False, bits=0x4).run()
    assert step.verdict.kind == "stable"


def test_the_processor_is_judged_by_its_wider_limit() -> None:
    assert SyntheticDevice(2, on_cpu=True, noise=0.01, spikes=0.0).run().verdict.kind == "stable"
