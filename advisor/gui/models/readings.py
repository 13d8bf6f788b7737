"""Ten minutes of readings in ring buffers made once, and their decimation for drawing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from advisor.core.sentences import Reason
from advisor.hardware.machine import Reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

Metric = Literal["utilisation", "memory", "power", "clock", "temperature", "pressure"]
GPU_METRICS: tuple[Metric, ...] = ("utilisation", "memory", "power", "clock", "temperature")
HOST = "cpu"
CAPACITY = 6000
"""Ten minutes at 10 Hz."""
SPAN_S = 600.0
BUCKETS = 300
GAP_S = 2.6
"""No reading for this long is drawn as a gap (at rest there is one a second)."""

_ROWS_AT_ONCE = 8
"""Figures that memory is taken for at a time: five of each GPU, three of the host."""


@dataclass(frozen=True)
class PhaseSpan:
    """A measured phase, shaded in the plots; `end_s` None: still going on."""

    name: str | Reason
    start_s: float
    end_s: float | None


@dataclass(frozen=True)
class _Told:
    newest: NDArray[np.float32]
    """The newest reading's figures, not thinned, of shape (figures,)."""
    rows: dict[tuple[Metric, str], int]

    def latest(self, metric: Metric, device: str) -> float | None:
        """The figure of the newest reading; None where that reading did not tell it."""
        row = self.rows.get((metric, device))
        value = float("nan") if row is None or row >= len(self.newest) else float(self.newest[row])
        return None if np.isnan(value) else value


@dataclass(frozen=True)
class Frame(_Told):
    """What is drawn of all figures at once: x of shape (points,) in seconds, y of shape (figures, points)."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    def of(self, metric: Metric, device: str) -> NDArray[np.float64] | None:
        """One figure of one device; None where it was never told."""
        row = self.rows.get((metric, device))
        return None if row is None or row >= len(self.y) else self.y[row]


@dataclass(frozen=True)
class Columns(_Told):
    """Least and largest value of each column of pixels, both of shape (figures, columns); NaN: nothing known."""

    low: NDArray[np.float32]
    high: NDArray[np.float32]


class ReadingsBuffer:
    """The last `CAPACITY` readings of every device.

    Each reading is written twice, a capacity apart, so that the newest ones are always one piece of memory in
    the order of their time: nothing is copied to draw them.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        """Memory is taken once; further GPUs take further rows when they first appear."""
        self._capacity = capacity
        self._times = np.full(2 * capacity, np.nan)
        self._table = np.full((_ROWS_AT_ONCE, 2 * capacity), np.nan, dtype=np.float32)
        self._rows: dict[tuple[Metric, str], int] = {}
        self._count = 0
        self.latest: Reading | None = None
        self.phases: list[PhaseSpan] = []

    @property
    def count(self) -> int:
        """Readings that ever came: what was drawn at this count need not be drawn again."""
        return self._count

    def _row(self, metric: Metric, device: str) -> int:
        row = self._rows.setdefault((metric, device), len(self._rows))
        if row == len(self._table):
            more = np.full((_ROWS_AT_ONCE, 2 * self._capacity), np.nan, dtype=np.float32)
            self._table = np.concatenate((self._table, more))
        return row

    def add(self, readings: Iterable[Reading]) -> None:
        """Append readings in the order of their time; one that comes after a newer one is left out.

        The sampler may have sent it just before a job took over with its own.
        """
        for reading in readings:
            if self._count and reading.monotonic_s < self._times[(self._count - 1) % self._capacity]:
                continue
            place = self._count % self._capacity
            self._times[place :: self._capacity] = reading.monotonic_s
            self._table[:, place :: self._capacity] = np.nan
            self._put(place, "utilisation", HOST, reading.cpu_utilisation_fraction)
            self._put(place, "memory", HOST, reading.memory_used_bytes)
            self._put(place, "pressure", HOST, reading.cpu_pressure_fraction)
            for gpu in reading.gpus:
                self._put(place, "utilisation", gpu.key, gpu.utilisation_fraction)
                self._put(place, "memory", gpu.key, gpu.memory_used_bytes)
                self._put(place, "power", gpu.key, gpu.power_w)
                self._put(place, "clock", gpu.key, gpu.sm_clock_hz)
                self._put(place, "temperature", gpu.key, gpu.temperature_celsius)
            self._count += 1
            self.latest = reading

    def _put(self, place: int, metric: Metric, device: str, value: float | None) -> None:
        if value is not None:
            row = self._row(metric, device)
            self._table[row, place :: self._capacity] = value

    def _order(self) -> slice:
        if self._count <= self._capacity:
            return slice(0, self._count)
        start = self._count % self._capacity
        return slice(start, start + self._capacity)

    @property
    def last_time_s(self) -> float | None:
        """Monotonic time of the newest reading."""
        return None if self._count == 0 else float(self._times[(self._count - 1) % self._capacity])

    def devices(self, metric: Metric) -> list[str]:
        """Devices that ever told this figure."""
        order = self._order()
        return [
            device
            for (name, device), row in self._rows.items()
            if name == metric and not np.isnan(self._table[row, order]).all()
        ]

    def times(self) -> NDArray[np.float64]:
        """Monotonic times, oldest first."""
        return self._times[self._order()]

    def values(self, metric: Metric, device: str) -> NDArray[np.float32]:
        """One figure of one device, oldest first; NaN where unknown."""
        row = self._rows.get((metric, device))
        if row is None:
            return np.full(len(self.times()), np.nan, dtype=np.float32)
        return self._table[row, self._order()]

    def at(self, time_s: float, metric: Metric, device: str) -> tuple[float, float] | None:
        """The reading nearest to a time: its own time and the figure as it was read; None where it is unknown."""
        times = self.times()
        if len(times) == 0:
            return None
        place = int(np.searchsorted(times, time_s))
        near = [index for index in (place - 1, place) if 0 <= index < len(times)]
        nearest = min(near, key=lambda index: abs(times[index] - time_s))
        value = float(self.values(metric, device)[nearest])
        if np.isnan(value) or abs(times[nearest] - time_s) > GAP_S:
            return None
        return float(times[nearest]), value

    def columns(self, start_s: float, end_s: float, count: int) -> Columns:
        """Everything between two times as `count` columns of equal width, each with its least and largest value.

        A column without a reading holds the one before it for as long as that is no gap.
        """
        order = self._order()
        times, table = self._times[order], self._table[: len(self._rows), order]
        places = np.searchsorted(times, np.linspace(start_s, end_s, count + 1), side="right")
        filled = places[1:] > places[:-1]
        low = np.full((len(table), count), np.nan, dtype=np.float32)
        high = low.copy()
        if len(table) and filled.any():
            starts, read = places[:-1][filled], table[:, : places[-1]]
            low[:, filled] = np.fmin.reduceat(read, starts, axis=-1)
            high[:, filled] = np.fmax.reduceat(read, starts, axis=-1)
            last = np.maximum.accumulate(np.where(filled, np.arange(count), -1))
            held = ~filled & (last >= 0) & ((np.arange(count) - last) * (end_s - start_s) / count <= GAP_S)
            low[:, held], high[:, held] = low[:, last[held]], high[:, last[held]]
        return Columns(self._newest(table), self._rows, low, high)

    def _newest(self, table: NDArray[np.float32]) -> NDArray[np.float32]:
        return table[:, -1] if self._count else np.empty(0, dtype=np.float32)

    def frame(self, start_s: float, end_s: float, buckets: int = BUCKETS) -> Frame:
        """Everything between two times, thinned together: all figures share the one time axis."""
        table = self._table[: len(self._rows), self._order()]
        x, values = decimate(self.times(), table, start_s, end_s, buckets)
        return Frame(self._newest(table), self._rows, x, values)

    def begin_phase(self, name: str | Reason, start_s: float) -> None:
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

    `values` has one row a figure, (figures, times), or is one figure, (times,). Returns x (seconds) and y of at
    most about 3 * `buckets` points: 6,000 points cost 12 ms a frame. Buckets begin at whole multiples of their
    width, so that a reading stays in its bucket while the axis moves on.
    """
    first, last = np.searchsorted(times, (start_s, end_s))
    first, last = max(int(first) - 1, 0), min(int(last) + 1, len(times))
    x, y = times[first:last], values[..., first:last]
    gap_s = GAP_S
    if len(x) > 2 * buckets:
        width_s = (end_s - start_s) / buckets
        x, y = _extremes(x, y, width_s)
        # Points of neighbouring buckets lie a width apart, which is no gap.
        gap_s = max(gap_s, 1.5 * width_s)
    return _with_gaps(x, y.astype(np.float64), gap_s)


def _extremes(
    x: NDArray[np.float64], y: NDArray[np.float32], width_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    starts = np.concatenate(([0], np.flatnonzero(np.diff(np.floor(x / width_s))) + 1))
    low, high = np.fmin.reduceat(y, starts, axis=-1), np.fmax.reduceat(y, starts, axis=-1)
    return np.repeat(x[starts], 2), np.stack((low, high), axis=-1).reshape(*y.shape[:-1], -1)


def _with_gaps(
    x: NDArray[np.float64], y: NDArray[np.float64], gap_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    breaks = np.flatnonzero(np.diff(x) > gap_s) + 1
    if len(breaks) == 0:
        return x, y
    return np.insert(x, breaks, x[breaks]), np.insert(y, breaks, np.nan, axis=-1)
