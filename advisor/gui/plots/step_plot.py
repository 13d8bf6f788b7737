"""Step times as they come: one line a batch size and device, on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QIcon

from advisor.core.sentences import visible
from advisor.core.shown_names import shown_card
from advisor.core.units import format_seconds
from advisor.gui.plots.chart import seconds_tick
from advisor.gui.plots.plain_plot import PlainPlot
from advisor.gui.plots.traces import TraceItem, line_icon, thin_pen
from advisor.gui.texts import Texts
from advisor.gui.theme import DASHES, Theme, mixed
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import QuietLabel
from advisor.present.look import device_colour

if TYPE_CHECKING:
    from advisor.gui.jobs.job_state import StepSeries

_SPANS_S = (5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0)
_MOST_POINTS = 300
_FIRST_DECADES = (-9, 0)
"""A millisecond to a second, until the first step tells better."""
_NEAR_PIXELS = 14.0


_PALER = 0.3
"""How far a device's fifth series and the next ones go towards the card: dashes begin again there."""


def series_looks(theme: Theme, devices: Sequence[str], places: Mapping[str, int]) -> list[tuple[str, Qt.PenStyle]]:
    """Each series in its device's colour, as everywhere in the window; `places`: the GPUs' among the colours."""
    looks = []
    for number, device in enumerate(devices):
        before = devices[:number].count(device)
        colour = device_colour(places.get(device), theme.shade)
        shown = colour if before < len(DASHES) else mixed(colour, theme.card, _PALER)
        looks.append((shown, DASHES[before % len(DASHES)]))
    return looks


class StepPlot(Card):
    """Time of a step against time since the first block."""

    def __init__(self, theme: Theme, texts: Texts) -> None:
        """Empty until the first block is measured."""
        super().__init__(texts("watch-steps-title"), texts("watch-steps-unit"), margins=(14, 9, 10, 6))
        self._theme, self._texts = theme, texts
        self.plot = PlainPlot(theme, texts("watch-steps-title"), left_width=50, told_at=self._told_at)
        self.plot.setMinimumHeight(theme.sized(150))
        self.put((self.plot, 1))
        self.traces = TraceItem(theme.grid, theme.accent)
        self.plot.box.addItem(self.traces, ignoreBounds=True)
        self._curves: list[_Steps] = []
        self._looks: list[tuple[str, Qt.PenStyle]] = []
        self._icons: dict[tuple[str, Qt.PenStyle], QIcon] = {}
        self._begin_s = 0.0
        self._fixed: tuple[float, int, int] | None = None
        self._state = QuietLabel("muted")
        self.add_to_header(self._state)
        self._state.set_text(texts("watch-steps-waiting"))
        self._fix(_SPANS_S[0], *_FIRST_DECADES)

    def redraw(self, series: Sequence[StepSeries], places: Mapping[str, int]) -> None:
        """Draw what changed, each series thinned to at most 300 points; `places`: the GPUs' among the colours."""
        started = [each for each in series if each.times_s]
        self._state.set_text("" if started else self._texts("watch-steps-waiting"))
        newest = [(id(series), series.times_s[-1]) for series in started]
        if newest == [curve.newest for curve in self._curves]:
            return
        begin_s = min((series.times_s[0] for series in started), default=0.0)
        kept = {curve.newest: curve for curve in self._curves} if begin_s == self._begin_s else {}
        self._begin_s = begin_s
        self._curves = [
            kept.get(stamp) or _Steps(series, begin_s, stamp) for series, stamp in zip(started, newest, strict=True)
        ]
        if started:
            self._fix_ranges(max(series.times_s[-1] for series in started) - begin_s)
        self.plot.setAccessibleDescription("; ".join(self._told(series) for series in started))
        self._looks = series_looks(self._theme, [series.device_key for series in started], places)
        self.traces.show_curves(
            [(thin_pen(*look), curve.x, curve.y) for look, curve in zip(self._looks, self._curves, strict=True)],
            dots=True,
        )

    def _told(self, series: StepSeries) -> str:
        median_s = series.median_s()
        return f"{self._name(series)}: {format_seconds(series.walls_s[-1] if median_s is None else median_s)}"

    def icon_of(self, series: StepSeries) -> QIcon | None:
        """The stroke that a series is drawn with; None before its first step."""
        place = next((place for place, curve in enumerate(self._curves) if curve.series is series), None)
        if place is None:
            return None
        look = self._looks[place]
        if look not in self._icons:
            self._icons[look] = line_icon(*look)
        return self._icons[look]

    def _fix_ranges(self, age_s: float) -> None:
        span_s = next((span for span in _SPANS_S if age_s <= span), age_s)
        low = math.floor(min(float(curve.y.min()) for curve in self._curves) * 3)
        most = max(float(curve.y.max()) for curve in self._curves)
        high = max(math.ceil(most * 3), low + 1)
        high += _tick_at(high) < most
        self._fix(span_s, low, high)

    def _fix(self, span_s: float, low: int, high: int) -> None:
        """`low`, `high`: ticks, of which a decade of seconds has three."""
        if self._fixed == (span_s, low, high):
            return
        self._fixed = (span_s, low, high)
        ticks = [
            (_tick_at(place), seconds_tick(_ROUND[place % 3] * 10.0 ** (place // 3))) for place in range(low, high + 1)
        ]
        ticks = ticks[:: max(1, math.ceil(len(ticks) / 7))]
        # The lowest tick's words would else be cut by the axis below.
        margin = 0.06 * (high - low) / 3
        y_range = (_tick_at(low) - margin, _tick_at(high) + margin)
        marks = [span_s * share / 4 for share in range(5)]
        self.plot.fix((0.0, span_s), y_range, [(mark, f"{mark:g} s") for mark in marks], ticks)
        place = QRectF(0, y_range[0], span_s, y_range[1] - y_range[0])
        self.traces.set_place(place, [tick for tick, _text in ticks])

    def _told_at(self, place: QPoint) -> str:
        """The block of steps nearest to the mouse, with its own numbers."""
        at = self.plot.box.mapSceneToView(self.plot.mapToScene(place))
        pixel_x, pixel_y = self.plot.box.viewPixelSize()
        closest: tuple[float, str] = (_NEAR_PIXELS, "")
        for curve in self._curves:
            x, y = curve.all_points(self._begin_s)
            away = np.hypot((x - at.x()) / pixel_x, (y - at.y()) / pixel_y)
            nearest = int(away.argmin())
            if away[nearest] < closest[0]:
                closest = float(away[nearest]), self._words(curve.series, nearest, float(x[nearest]))
        return closest[1]

    def _name(self, series: StepSeries) -> str:
        batch = self._texts("advice-batch-row", batch=f"{series.batch_size:,}")
        return f"{shown_card(visible(series.device_name))} · {batch} · {self._texts.precision(series.precision)}"

    def _words(self, series: StepSeries, place: int, age_s: float) -> str:
        return f"{self._name(series)}\n{format_seconds(series.walls_s[place])} · {age_s:.1f} s"


class _Steps:
    """A series as it is drawn: smallest and largest step time of each stretch, so that no outlier is lost."""

    def __init__(self, series: StepSeries, begin_s: float, newest: tuple[int, float]) -> None:
        self.series = series
        self.newest = newest
        x, y = self.all_points(begin_s)
        if len(x) > _MOST_POINTS:
            starts = np.arange(0, len(x), math.ceil(2 * len(x) / _MOST_POINTS))
            extremes = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
            x, y = np.repeat(x[starts], 2), np.stack(extremes, axis=-1).ravel()
        self.x, self.y = x, y

    def all_points(self, begin_s: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Seconds since the first block, and the decimal logarithm of the step time."""
        walls = np.asarray(self.series.walls_s)
        return np.asarray(self.series.times_s) - begin_s, np.log10(np.maximum(walls, 1e-9))


_ROUND = (1.0, 2.0, 5.0)
"""Three ticks a decade."""


def _tick_at(place: int) -> float:
    """The decimal logarithm of a tick's seconds."""
    return place // 3 + math.log10(_ROUND[place % 3])
