"""What is known of a running job, gathered from its events; no Qt, so that it is tested as plain data."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from advisor.catalogue.precisions import Precision
from advisor.core.sentences import Reason
from advisor.measure.events import DeviceEnded, DeviceStarted, PhaseStarted, RunProgress
from advisor.measure.measurement import Measurement, Summary, Verdict
from advisor.present.card_names import short_name
from advisor.protocol.messages import Failed, Memory, Progress, Sample, StageEnded

if TYPE_CHECKING:
    from advisor.gui.jobs.forecast import Forecast

JobKind = Literal["advise", "verify"]
_ENDED_BADLY = ("died", "failed")
SeriesKey = tuple[str, int, str, int]
"""Device key, batch size, precision, and which model that was built: parts of a model come at the same batch sizes."""
_SAMPLES_KEPT = 4000
_EARLY_FRACTION = 0.05


@dataclass
class StepSeries:
    """Step times of one batch size on one device, as they come."""

    device_key: str
    device_name: str
    batch_size: int
    precision: Precision
    times_s: list[float] = field(default_factory=list)
    walls_s: list[float] = field(default_factory=list)
    warm_up: list[bool] = field(default_factory=list)
    layer_limit: int | None = None
    """Only so many of the model's repeated blocks were run."""
    peak_bytes: int | None = None
    ended: bool = False
    summary: Summary | None = None
    verdict: Verdict | None = None
    _ordered: list[float] = field(default_factory=list, repr=False)
    """Step times without the warm-up, kept in order: their median is asked for many times a second."""

    def add(self, sample: Sample) -> None:
        """A further block of steps."""
        self.times_s.append(sample.started_monotonic_s)
        self.walls_s.append(sample.wall_s)
        self.warm_up.append(sample.warm_up)
        if not sample.warm_up:
            insort(self._ordered, sample.wall_s)
        if len(self.walls_s) > _SAMPLES_KEPT:
            if not self.warm_up[0]:
                del self._ordered[bisect_left(self._ordered, self.walls_s[0])]
            del self.times_s[0], self.walls_s[0], self.warm_up[0]

    def median_s(self) -> float | None:
        """Median step time: the summary's, or of what came so far without the warm-up."""
        if self.summary is not None:
            return self.summary.median_s
        ordered = self._ordered
        if not ordered:
            return None
        middle = len(ordered) // 2
        return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@dataclass
class JobState:
    """Progress, samples and troubles of one job."""

    measure: bool
    started_s: float
    device_key: str = "cpu"
    device_names: dict[str, str] = field(default_factory=dict)
    phase: str = ""
    detail: str = ""
    fraction: float = 0.0
    planned_left_s: float | None = None
    series: dict[SeriesKey, StepSeries] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)
    failures: list[Failed] = field(default_factory=list)
    phases: list[tuple[str | Reason, float]] = field(default_factory=list)
    sample_count: int = 0
    _live: bool = False
    """Whether steps come that no measurement holds yet."""
    _built: int = 0
    """Models that were built so far."""
    kind: JobKind = "advise"
    forecast: Forecast | None = None
    """None where the job's own events say how far it is."""
    troubles: list[Reason] = field(default_factory=list)
    """Why workers ended that should not have."""
    told_percent: int = 0
    told_left_s: float | None = None
    """What every place that tells of the job shows, however often it draws."""
    told_late: bool = False
    """Whether it takes longer than foreseen: then no seconds are told."""

    @classmethod
    def of_measurements(cls, measurements: Sequence[Measurement]) -> JobState:
        """The state as it was when these measurements had ended."""
        state = cls(measure=bool(measurements), started_s=0.0, fraction=1.0)
        for measurement in measurements:
            state._take(measurement)
        for series in state.series.values():
            if series.times_s:
                said = Reason.of("watch-phase-batch", device=short_name(series.device_name), batch=series.batch_size)
                state.phases.append((said, series.times_s[0]))
        state.phases.sort(key=lambda phase: phase[1])
        return state

    def apply(self, events: Iterable[object]) -> None:
        """Take in events in their order; kinds that are not shown are left alone."""
        for event in events:
            if isinstance(event, Sample):
                self._sample(event)
            elif isinstance(event, RunProgress | Progress):
                self._progress(event)
            else:
                self._other(event)

    def _other(self, event: object) -> None:
        if isinstance(event, Memory):
            self._series(event.batch_size, event.precision, self._built).peak_bytes = event.peak_allocated_bytes
        elif isinstance(event, StageEnded):
            if event.batch_size is not None and event.series == "step":
                self._series(event.batch_size, event.precision, self._built).ended = True
        elif isinstance(event, Failed):
            self.failures.append(event)
        elif isinstance(event, DeviceStarted):
            self.device_key = event.device_key
            self.device_names[event.device_key] = event.device_name
        elif isinstance(event, PhaseStarted):
            self.phases.append((event.phase, event.started_monotonic_s))
        elif isinstance(event, DeviceEnded):
            self._take(event.measurement)
            if event.exit_kind in _ENDED_BADLY:
                caveats = [caveat for caveat in event.measurement.caveats if caveat.code.startswith("measure-worker-")]
                self.troubles += caveats[-1:]

    def _progress(self, event: RunProgress | Progress) -> None:
        """A run that plans several workers tells the whole's progress; a single worker's own counts until then."""
        if event.phase == "measure-phase-load":
            self._built += 1
        if isinstance(event, RunProgress):
            self.planned_left_s = event.left_s
        elif self.planned_left_s is not None:
            return
        self.phase, self.detail = event.phase, event.detail
        self.fraction = min(max(event.fraction, 0.0), 1.0)

    def _series(self, batch_size: int, precision: Precision, built: int) -> StepSeries:
        key = (self.device_key, batch_size, precision, built)
        if key not in self.series:
            name = self.device_names.get(self.device_key, self.device_key)
            self.series[key] = StepSeries(self.device_key, name, batch_size, precision)
        return self.series[key]

    def _sample(self, event: Sample) -> None:
        self.sample_count += 1
        if event.series == "step" and event.batch_size is not None:
            series = self._series(event.batch_size, event.precision, self._built)
            series.add(event)
            blocks = event.figures.get("blocks")
            if blocks is not None:
                series.layer_limit = int(blocks)
            self._live = True

    def _take(self, measurement: Measurement) -> None:
        """What a device's measurement holds in the end stands for what came from it live."""
        self._live = False
        self.measurements.append(measurement)
        self.device_key = measurement.device_key
        self.device_names[measurement.device_key] = measurement.device_name
        for key in [key for key in self.series if key[0] == measurement.device_key]:
            del self.series[key]
        for built, step in enumerate(measurement.steps):
            series = self._series(step.batch_size, step.precision, built)
            for sample in step.samples:
                series.add(sample)
            series.ended, series.summary, series.verdict = True, step.summary, step.verdict
            series.layer_limit = step.layer_limit
            if step.memory is not None:
                series.peak_bytes = step.memory.peak_allocated_bytes

    def current(self) -> StepSeries | None:
        """The series that the newest sample belongs to; after the end one of the whole model before one of parts."""
        started = [series for series in self.series.values() if series.times_s]
        ended = not self._live
        return max(started, key=lambda series: (ended and series.layer_limit is None, series.times_s[-1]), default=None)

    @property
    def timed(self) -> list[StepSeries]:
        """Series of which at least one step was timed: a batch size may end before its first one."""
        return [series for series in self.series.values() if series.summary is not None or series.times_s]

    @property
    def step_count(self) -> int:
        """How many series were timed."""
        return len(self.timed)

    def progress(self, now_s: float) -> tuple[float, float | None]:
        """(share done, seconds left or None) at a monotonic time."""
        if self.forecast is not None:
            return self.forecast.at(now_s)
        return self.fraction, self.left_s(now_s)

    def tell(self, now_s: float) -> None:
        """Take what is known at a monotonic time for what is shown from now on."""
        share, self.told_left_s = self.progress(now_s)
        self.told_percent = int(100 * share)
        self.told_late = self.forecast is not None and self.forecast.is_late(now_s)

    def left_s(self, now_s: float) -> float | None:
        """Seconds left: by the plan, else at the pace so far; None while nothing can be said."""
        if self.planned_left_s is not None:
            return self.planned_left_s
        spent = now_s - self.started_s
        if self.fraction < _EARLY_FRACTION or spent < 1:
            return None
        return spent * (1 - self.fraction) / self.fraction
