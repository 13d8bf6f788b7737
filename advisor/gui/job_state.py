"""What is known of a running job, gathered from its events; no Qt, so that it is tested as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from advisor.worker.messages import Environment, Failed, Memory, Progress, Sample, StageEnded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.units import Precision

SeriesKey = tuple[str, int, str]
"""Device key, batch size, precision."""
_SAMPLES_KEPT = 4000


@dataclass
class StepSeries:
    """Step times of one batch size on one device, as they come."""

    device_key: str
    batch_size: int
    precision: Precision
    times_s: list[float] = field(default_factory=list)
    walls_s: list[float] = field(default_factory=list)
    warm_up: list[bool] = field(default_factory=list)
    peak_bytes: int | None = None
    ended: str | None = None
    caveats: tuple[str, ...] = ()

    def settled_walls_s(self) -> list[float]:
        """Step times after the warm-up."""
        return [wall for wall, warm in zip(self.walls_s, self.warm_up, strict=True) if not warm]

    def median_s(self) -> float | None:
        """Median step time so far, warm-up left out."""
        ordered = sorted(self.settled_walls_s())
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
    phase: str = ""
    detail: str = ""
    fraction: float = 0.0
    series: dict[SeriesKey, StepSeries] = field(default_factory=dict)
    environments: list[Environment] = field(default_factory=list)
    failures: list[Failed] = field(default_factory=list)
    phases: list[tuple[str, float]] = field(default_factory=list)
    sample_count: int = 0
    version: int = 0

    def apply(self, events: Iterable[object], now_s: float) -> None:
        """Take in events in their order; kinds that this page does not show are counted only."""
        for event in events:
            self.version += 1
            if isinstance(event, Progress):
                self._progress(event, now_s)
            elif isinstance(event, Sample):
                self._sample(event)
            elif isinstance(event, Memory):
                self._series(event.batch_size, event.precision).peak_bytes = event.peak_allocated_bytes
            elif isinstance(event, StageEnded):
                self._stage_ended(event)
            elif isinstance(event, Environment):
                self.environments.append(event)
            elif isinstance(event, Failed):
                self.failures.append(event)
            else:
                self.device_key = getattr(event, "device_key", None) or self.device_key

    def _progress(self, event: Progress, now_s: float) -> None:
        if event.phase != self.phase or event.detail != self.detail:
            self.phases.append((event.phase, now_s))
        self.phase, self.detail = event.phase, event.detail
        self.fraction = min(max(event.fraction, 0.0), 1.0)

    def _series(self, batch_size: int, precision: Precision) -> StepSeries:
        key = (self.device_key, batch_size, precision)
        if key not in self.series:
            self.series[key] = StepSeries(self.device_key, batch_size, precision)
        return self.series[key]

    def _sample(self, event: Sample) -> None:
        self.sample_count += 1
        if event.series != "step" or event.batch_size is None:
            return
        series = self._series(event.batch_size, event.precision)
        series.times_s.append(event.started_monotonic_s)
        series.walls_s.append(event.wall_s)
        series.warm_up.append(event.warm_up)
        if len(series.walls_s) > _SAMPLES_KEPT:
            del series.times_s[0], series.walls_s[0], series.warm_up[0]

    def _stage_ended(self, event: StageEnded) -> None:
        if event.batch_size is not None and event.series == "step":
            series = self._series(event.batch_size, event.precision)
            series.ended, series.caveats = event.reason, event.caveats

    def left_s(self, now_s: float) -> float | None:
        """Seconds left at the pace so far; None while nothing can be said."""
        spent = now_s - self.started_s
        if self.fraction < 0.05 or spent < 1:  # noqa: PLR2004 - too early for a guess
            return None
        return spent * (1 - self.fraction) / self.fraction
