"""Gathers what one device's worker sent, and makes the measurement of it: nothing acknowledged is lost."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from advisor.catalogue.precisions import Precision
from advisor.core.moment import utc_text
from advisor.core.sentences import Reason
from advisor.hardware.machine import Gpu, Machine, Reading
from advisor.measure.kept_memory import why_keep
from advisor.measure.left_out import left_out, part_of_layers, why_ended
from advisor.measure.measurement import Measurement, RateMeasurement, StepMeasurement, Summary, Verdict
from advisor.measure.plan import DevicePlan
from advisor.measure.statistics import summarise
from advisor.measure.steering import Steering
from advisor.measure.verdicts import judge, others_on_cpu, others_on_gpu, power_capped, throttled_spans
from advisor.protocol.messages import (
    KEEPING_SERIES,
    STEP_PARTS,
    Environment,
    Failed,
    LoaderPass,
    Memory,
    Sample,
    StageEnded,
    StepPart,
    WorkerEvent,
)

_FEW_SAMPLES = 6
_LAUNCH_BOUND = 0.10
_LOG_CHARACTERS = 4000
_ORDER = ("not_measured", "contended", "throttled", "unstable", "usable", "stable")

StepKey = tuple[int, Precision, int | None]


@dataclass
class _Step:
    """Samples of one batch size, precision and number of blocks."""

    samples: list[Sample] = field(default_factory=list)
    split: list[Sample] = field(default_factory=list)
    memory: Memory | None = None
    ended: StageEnded | None = None


@dataclass
class Collection:
    """Everything of one device so far; `measurement` may be asked for at any moment."""

    plan: DevicePlan
    machine: Machine
    workload_name: str | None
    steering: Steering
    environment: Environment | None = None
    readings: list[Reading] = field(default_factory=list)
    failures: list[Failed] = field(default_factory=list)
    caveats: list[Reason] = field(default_factory=list)
    deaths: list[Reason] = field(default_factory=list)
    """How workers ended without answering; another may have timed steps after each."""
    before: list[Reading] = field(default_factory=list)
    """Readings from before the worker opened the device."""
    layer_limit: int | None = None
    """Of the request under way: memory events do not repeat it."""
    log_tail: str = ""
    known_rates: tuple[RateMeasurement, ...] = ()
    """An earlier calibration that still holds; `calibration_key` says when."""
    _loader: list[LoaderPass] = field(default_factory=list)
    _steps: dict[StepKey, _Step] = field(default_factory=dict)
    _rates: dict[tuple[str, Precision, tuple[tuple[str, float], ...]], list[Sample]] = field(default_factory=dict)
    _rate_ends: dict[int, str] = field(default_factory=dict)
    _kept_memory: _Step = field(default_factory=_Step)

    @property
    def gpu(self) -> Gpu | None:
        """The machine's entry of this device; None for the processor."""
        return self.machine.gpu_of(self.plan.key)

    def take(self, event: WorkerEvent) -> None:
        """Keep what the event says."""
        if isinstance(event, Environment):
            self.environment = event
        elif isinstance(event, Failed):
            self.failures.append(event)
        elif isinstance(event, Memory):
            self._step(event.batch_size, event.precision, self.layer_limit).memory = event
        elif isinstance(event, LoaderPass):
            self._loader.append(event)
        elif isinstance(event, StageEnded):
            if event.series == "step" and event.batch_size is not None:
                self._step(event.batch_size, event.precision, self.layer_limit).ended = event
            elif event.series == KEEPING_SERIES:
                self._kept_memory.ended = event
            elif event.stage is not None:
                self._rate_ends[event.stage] = event.reason
        elif isinstance(event, Sample):
            self._take_sample(event)

    def rates(self) -> tuple[RateMeasurement, ...]:
        """The calibration so far, an earlier one included."""
        return self.known_rates + tuple(self._rate(key, samples) for key, samples in self._rates.items())

    def steps(self) -> tuple[StepMeasurement, ...]:
        """The steps so far, summarised and judged."""
        return tuple(self._measured(key, step) for key, step in self._steps.items())

    def measurement(self) -> Measurement:
        """All of it, summarised and judged."""
        steps = self.steps()
        rates = self.rates()
        gpu = self.gpu
        kept_memory = self._measured_keeping_memory()
        caveats = [
            *self.plan.notes,
            *self.caveats,
            *self._told_deaths(),
            *left_out(self.plan.name, steps),
            *why_keep(self.plan.name, steps, kept_memory),
        ]
        if gpu is not None and power_capped(self.readings, gpu):
            caveats.append(Reason.of("measure-power-capped", gpu=gpu.name))
        return Measurement(
            device_key=self.plan.key,
            device_name=self.plan.name,
            created_utc=utc_text(),
            workload_name=self.workload_name,
            environment=self.environment,
            steps=steps,
            rates=rates,
            readings=tuple(self.readings),
            loader=tuple(self._loader),
            verdict=self._overall(steps, rates),
            caveats=_unique(caveats),
            log_tail=self.log_tail[-_LOG_CHARACTERS:],
            kept_memory=kept_memory,
        )

    def _told_deaths(self) -> list[Reason]:
        """How workers ended; where no step was timed by any of them, that is said too."""
        if any(step.samples for step in self._steps.values()):
            return self.deaths
        return [Reason(code=f"{reason.code}-early", numbers=reason.numbers) for reason in self.deaths]

    def _measured_keeping_memory(self) -> StepMeasurement | None:
        samples = self._kept_memory.samples
        if not samples or samples[-1].batch_size is None:
            return None
        return self._measured((samples[-1].batch_size, samples[-1].precision, None), self._kept_memory)

    def _take_sample(self, sample: Sample) -> None:
        if sample.series in {"step", "split"} and sample.batch_size is not None:
            step = self._step(sample.batch_size, sample.precision, self.layer_limit)
            (step.samples if sample.series == "step" else step.split).append(sample)
        elif sample.series == KEEPING_SERIES:
            self._kept_memory.samples.append(sample)
        elif sample.series != "threads":
            key = (sample.series, sample.precision, tuple(sorted(sample.figures.items())))
            self._rates.setdefault(key, []).append(sample)

    def _step(self, batch_size: int, precision: Precision, layer_limit: int | None) -> _Step:
        return self._steps.setdefault((batch_size, precision, layer_limit), _Step())

    def _measured(self, key: StepKey, step: _Step) -> StepMeasurement:
        batch_size, precision, layer_limit = key
        caveats: list[Reason] = []
        kept, throttled = self._kept(step.samples, caveats)
        reason = "interrupted" if step.ended is None else step.ended.reason
        wall_s = [sample.wall_s for sample in kept]
        summary = _series(wall_s, kept, reason)
        verdict = judge(wall_s, self.steering.limits(), throttled=throttled, contended=self._contended(kept))
        if not kept and throttled is None and step.samples:
            summary = _series([step.samples[-1].wall_s], step.samples[-1:], reason)
            verdict = Verdict(kind="unstable", reason=Reason.of("measure-only-warm-up"))
        elif not step.samples and step.ended is not None:
            verdict = Verdict(kind="not_measured", reason=why_ended(step.ended))
        elif kept and len(kept) < _FEW_SAMPLES:
            caveats.append(Reason.of("measure-few-samples", count=len(kept)))
        device = _series([sample.device_s for sample in kept if sample.device_s is not None], kept, reason)
        if summary is not None and device is not None and device.median_s < (1 - _LAUNCH_BOUND) * summary.median_s:
            waiting = 1.0 - device.median_s / summary.median_s
            caveats.append(Reason.of("measure-launch-bound", waiting_fraction=waiting))
        figures = step.samples[-1].figures if step.samples else {}
        full = figures.get("full_blocks")
        if layer_limit is not None and full is not None:
            caveats.append(part_of_layers(layer_limit, int(full)))
        threads = figures.get("threads")
        return StepMeasurement(
            batch_size=batch_size,
            precision=precision,
            thread_count=None if threads is None else int(threads),
            layer_limit=layer_limit,
            full_layer_count=None if full is None else int(full),
            samples=tuple(step.samples),
            summary=summary,
            device_summary=device,
            parts_s=_parts(step.split or kept or step.samples[-1:]),
            memory=step.memory,
            verdict=verdict,
            caveats=tuple(caveats),
        )

    def _kept(self, samples: Sequence[Sample], caveats: list[Reason]) -> tuple[list[Sample], Reason | None]:
        """Warm samples made while the device was not throttled; a reason where throttling left none."""
        warm = [sample for sample in samples if not sample.warm_up]
        gpu = self.gpu
        if gpu is None or not samples:
            return warm, None
        spans = throttled_spans(self._during(samples), gpu)
        kept = [sample for sample in warm if not any(_overlaps(sample, span) for span in spans)]
        if kept and len(kept) < len(warm):
            dropped = len(warm) - len(kept)
            caveats.append(Reason.of("measure-throttled-dropped", dropped=dropped, all=len(warm)))
        return kept, spans[0][2] if spans and not kept else None

    def _contended(self, samples: Sequence[Sample]) -> Reason | None:
        gpu = self.gpu
        if gpu is not None:
            return others_on_gpu(self.before, gpu)
        if not samples:
            return None
        threads = int(samples[-1].figures.get("threads", 1.0))
        cores = self.machine.cpu.logical_core_count
        return others_on_cpu(self._during(samples), samples, thread_count=threads, core_count=cores)

    def _during(self, samples: Sequence[Sample]) -> list[Reading]:
        """Readings from a little before the first of these samples to the end of the last."""
        first, last = samples[0], samples[-1]
        end = last.started_monotonic_s + last.wall_s * last.step_count
        margin = 0.3
        return [
            reading
            for reading in self.readings
            if first.started_monotonic_s - margin <= reading.monotonic_s <= end + margin
        ]

    def _rate(
        self, key: tuple[str, Precision, tuple[tuple[str, float], ...]], samples: Sequence[Sample]
    ) -> RateMeasurement:
        kind, precision, figures = key
        kept, throttled = self._kept(samples, [])
        reason = self._rate_ends.get(samples[-1].stage if samples[-1].stage is not None else -1, "cap")
        seconds = [sample.timed_s for sample in kept]
        if kind in {"launch", "synchronise", "host_overhead"}:
            seconds = [sample.wall_s for sample in kept]
        return RateMeasurement(
            kind=kind,
            precision=precision,
            figures=dict(figures),
            samples=tuple(samples),
            summary=_series(seconds, kept, reason),
            verdict=judge(seconds, self.steering.limits(), throttled=throttled),
        )

    def _overall(self, steps: Sequence[StepMeasurement], rates: Sequence[RateMeasurement]) -> Verdict:
        """The device's verdict: the weakest of its steps that were measured, else of its calibration."""
        if self.plan.skipped is not None:
            return Verdict(kind="not_measured", reason=self.plan.skipped)
        verdicts = [step.verdict for step in steps if step.verdict.kind != "not_measured"]
        verdicts = verdicts or [rate.verdict for rate in rates if rate.verdict.kind != "not_measured"]
        if verdicts:
            return min(verdicts, key=lambda verdict: _ORDER.index(verdict.kind))
        return Verdict(kind="not_measured", reason=self._why_nothing(steps))

    def _why_nothing(self, steps: Sequence[StepMeasurement]) -> Reason:
        reasons = [step.verdict.reason for step in steps if step.verdict.reason is not None]
        return next(iter([*self.caveats, *reasons]), Reason.of("measure-no-samples"))


def calibration_key(machine: Machine, device_key: str) -> str:
    """A calibration holds as long as this text stays the same: device, driver, torch and power limit."""
    software, gpu = machine.software, machine.gpu_of(device_key)
    parts: list[object] = [device_key, machine.cpu.name, machine.cpu.usable_core_count, software.torch, software.driver]
    if gpu is not None:
        parts += [gpu.name, gpu.power_limit_w, software.torch_cuda]
    return "|".join(str(part) for part in parts)


def _series(seconds: Sequence[float], samples: Sequence[Sample], stop_reason: str) -> Summary | None:
    duration_s = sum(sample.wall_s * sample.step_count for sample in samples)
    return summarise(seconds, duration_s=duration_s, stop_reason=stop_reason)


def _parts(samples: Sequence[Sample]) -> dict[StepPart, float]:
    medians: dict[StepPart, float] = {}
    for part in STEP_PARTS:
        times = [sample.parts_s[part] for sample in samples if part in sample.parts_s]
        if times:
            medians[part] = statistics.median(times)
    return medians


def _overlaps(sample: Sample, span: tuple[float, float, Reason]) -> bool:
    start = sample.started_monotonic_s
    return start <= span[1] and start + sample.wall_s * sample.step_count >= span[0]


def _unique(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    unique: list[Reason] = []
    for reason in reasons:
        if reason not in unique:
            unique.append(reason)
    return tuple(unique)
