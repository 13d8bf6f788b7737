"""Ten minutes of readings in ring buffers made once, and their decimation for drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from advisor.hardware.machine import GpuReading, Reading

Metric = Literal["utilisation", "memory", "power", "clock", "temperature", "pressure"]
GPU_METRICS: tuple[Metric, ...] = ("utilisation", "memory", "power", "clock", "temperature")
HOST = "cpu"
CAPACITY = 6000
"""Ten minutes at 10 Hz."""
SPAN_S = 600.0
BUCKETS = 300
GAP_S = 2.6
"""No reading for this long is drawn as a gap (at rest there is one a second)."""

Floats = "NDArray[np.float64]"


@dataclass(frozen=True)
class PhaseSpan:
    """A measured phase, shaded in the plots; `end_s` None: still going on."""

    name: str
    start_s: float
    end_s: float | None


def gpu_key(reading: GpuReading) -> str:
    """Devices are joined by UUID; the index serves where the driver tells none."""
    return reading.uuid or f"index-{reading.index}"


class ReadingsBuffer:
    """The last `CAPACITY` readings of every device."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        """Memory is taken once; a further GPU takes its own rows when it first appears."""
        self._capacity = capacity
        self._times = np.full(capacity, np.nan)
        self._rows: dict[tuple[Metric, str], NDArray[np.float32]] = {}
        self._count = 0
        self.latest: Reading | None = None
        self.phases: list[PhaseSpan] = []
        for metric in ("utilisation", "memory", "pressure"):
            self._row(metric, HOST)  # type: ignore[arg-type, unused-ignore]

    def _row(self, metric: Metric, device: str) -> NDArray[np.float32]:
        key = (metric, device)
        if key not in self._rows:
            self._rows[key] = np.full(self._capacity, np.nan, dtype=np.float32)
        return self._rows[key]

    def add(self, readings: Iterable[Reading]) -> None:
        """Append readings in the order of their time."""
        for reading in readings:
            place = self._count % self._capacity
            self._times[place] = reading.monotonic_s
            for row in self._rows.values():
                row[place] = np.nan
            self._put(place, "utilisation", HOST, reading.cpu_utilisation_fraction)
            self._put(place, "memory", HOST, reading.memory_used_bytes)
            self._put(place, "pressure", HOST, reading.cpu_pressure_fraction)
            for gpu in reading.gpus:
                key = gpu_key(gpu)
                self._put(place, "utilisation", key, gpu.utilisation_fraction)
                self._put(place, "memory", key, gpu.memory_used_bytes)
                self._put(place, "power", key, gpu.power_w)
                self._put(place, "clock", key, gpu.sm_clock_hz)
                self._put(place, "temperature", key, gpu.temperature_celsius)
            self._count += 1
            self.latest = reading

    def _put(self, place: int, metric: Metric, device: str, value: float | None) -> None:
        if value is not None:
            self._row(metric, device)[place] = value

    def _order(self) -> slice | NDArray[np.intp]:
        if self._count <= self._capacity:
            return slice(0, self._count)
        start = self._count % self._capacity
        return np.roll(np.arange(self._capacity), -start)

    @property
    def last_time_s(self) -> float | None:
        """Monotonic time of the newest reading."""
        return None if self._count == 0 else float(self._times[(self._count - 1) % self._capacity])

    def devices(self, metric: Metric) -> list[str]:
        """Devices that ever told this figure."""
        return [device for (name, device), row in self._rows.items() if name == metric and not np.isnan(row).all()]

    def times(self) -> NDArray[np.float64]:
        """Monotonic times, oldest first."""
        return self._times[self._order()]

    def values(self, metric: Metric, device: str) -> NDArray[np.float32]:
        """One figure of one device, oldest first; NaN where unknown."""
        return self._row(metric, device)[self._order()]

    def begin_phase(self, name: str, start_s: float) -> None:
        """A measured phase begins; one that is still open ends here."""
        self.end_phase(start_s)
        self.phases = [span for span in self.phases if span.end_s is None or span.end_s > start_s - SPAN_S]
        self.phases.append(PhaseSpan(name, start_s, None))

    def end_phase(self, end_s: float) -> None:
        """The open phase, if any, ends."""
        if self.phases and self.phases[-1].end_s is None:
            last = self.phases.pop()
            self.phases.append(PhaseSpan(last.name, last.start_s, max(end_s, last.start_s)))


def decimate(
    times: NDArray[np.float64], values: NDArray[np.float32], start_s: float, end_s: float, buckets: int = BUCKETS
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest value of each bucket between two times, and NaN where nothing is known.

    Returns x (seconds) and y of at most about 3 * `buckets` points: drawing 6,000 points costs 12 ms a frame,
    drawing these 5.
    """
    first, last = np.searchsorted(times, (start_s, end_s))
    first, last = max(int(first) - 1, 0), min(int(last) + 1, len(times))
    x, y = times[first:last], values[first:last].astype(np.float64)
    if len(x) > 2 * buckets:
        x, y = _extremes(x, y, start_s, end_s, buckets)
    return _with_gaps(x, y)


def _extremes(
    x: NDArray[np.float64], y: NDArray[np.float64], start_s: float, end_s: float, buckets: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    edges = np.searchsorted(x, np.linspace(start_s, end_s, buckets + 1))
    starts = np.unique(edges[edges < len(x)])
    low, high = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    middle = x[starts]
    return np.repeat(middle, 2), np.column_stack((low, high)).ravel()


def _with_gaps(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    breaks = np.flatnonzero(np.diff(x) > GAP_S) + 1
    if len(breaks) == 0:
        return x, y
    return np.insert(x, breaks, x[breaks]), np.insert(y, breaks, np.nan)
