"""One live plot: fixed ranges, static grid lines, thin pens, at most 300 buckets a curve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSizePolicy

from advisor.gui.plots.readings import ReadingsBuffer, decimate
from advisor.gui.theme import TICK_SIZE
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from advisor.gui.plots.readings import Metric
    from advisor.gui.texts import Texts
    from advisor.gui.theme import Theme

_MAX_PHASES = 24
_HAIR = 1.002
"""The first tick lies a hair inside the axis, or rounding leaves it out."""


class Series:
    """A device's line in the plots: name, colour, dash, and whether the legend has it on."""

    def __init__(self, device: str, name: str, colour: str, style: Qt.PenStyle) -> None:
        """`device` is the key in the readings buffer."""
        self.device = device
        self.name = name
        self.colour = colour
        self.style = style
        self.shown = True

    def pen(self) -> Any:  # noqa: ANN401 - pyqtgraph has no types
        """Width exactly 1: wider pens take Qt's slow path."""
        return pg.mkPen(QColor(self.colour), width=1, style=self.style)


def time_ticks(span_s: float, texts: Texts) -> list[tuple[float, str]]:
    """Ticks of a time axis that ends now: `−10 min … now`."""
    step = 120.0 if span_s > 300 else 60.0 if span_s > 120 else 15.0  # noqa: PLR2004 - what reads well
    ticks = [(0.0, texts("window-now"))]
    position = -step
    while position >= -span_s:
        minutes = position / 60
        text = f"−{-position:.0f} s" if step < 60 else f"−{-minutes:.0f} min"  # noqa: PLR2004 - seconds in a minute
        ticks.append((position, text))
        position -= step
    return ticks


def nice_ticks(top: float, count: int = 4) -> list[float]:
    """Round numbers from 0 up to at least `top`."""
    if top <= 0 or not math.isfinite(top):
        return [0.0, 1.0]
    rough = top / count
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * (1 - 1e-9))
    return [step * index for index in range(math.ceil(top / step - 1e-9) + 1)]


class LivePlot(Card):
    """A card with one figure of all devices over the last minutes."""

    def __init__(  # noqa: PLR0913 - what a figure is, and how it is shown
        self,
        theme: Theme,
        texts: Texts,
        *,
        metric: Metric,
        title: str,
        unit: str,
        scale: float,
        top: float | None,
        show_value: Callable[[float], str],
    ) -> None:
        """`scale` turns stored units into shown ones; `top` fixes the axis, None lets it grow."""
        super().__init__(title, unit)
        self.figure: Metric = metric
        self._theme, self._texts, self._scale, self._top = theme, texts, scale, top
        self._show_value = show_value
        self.body.setContentsMargins(14, 9, 10, 6)
        self.body.setSpacing(2)
        self._now = label("", "muted")
        self.add_to_header(self._now)
        self.plot = pg.PlotWidget(background=theme.card)
        self.plot.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.plot.setMinimumHeight(96)
        self.plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.plot.setAccessibleName(title)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(x=False, y=False)
        self.body.addWidget(self.plot, 1)
        self._curves: dict[str, Any] = {}
        self._regions: list[Any] = []
        self._grid = pg.PlotCurveItem(pen=pg.mkPen(theme.grid, width=1), connect="pairs")
        self.plot.addItem(self._grid)
        self._span_s = 0.0
        self._shown_top = 0.0
        self._series: list[Series] = []
        self._axes()

    def _axes(self) -> None:
        font = self.plot.font()
        font.setPixelSize(TICK_SIZE)
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.setPen(pg.mkPen(self._theme.line))
            axis.setTextPen(pg.mkPen(self._theme.muted))
            axis.setTickFont(font)
            axis.setStyle(tickLength=0, tickTextOffset=5, hideOverlappingLabels=40)
        self.plot.getAxis("left").setWidth(38)
        self.plot.getAxis("bottom").setHeight(20)
        self.plot.getPlotItem().layout.setContentsMargins(0, 4, 18, 0)

    def set_series(self, series: Sequence[Series]) -> None:
        """The devices that this plot draws."""
        for curve in self._curves.values():
            self.plot.removeItem(curve)
        self._curves = {}
        self._series = list(series)
        for one in self._series:
            curve = pg.PlotCurveItem(pen=one.pen(), connect="finite", antialias=False, skipFiniteCheck=False)
            self.plot.addItem(curve)
            self._curves[one.device] = curve

    def prepare(self, span_s: float) -> None:
        """Axes and grid lines before the first reading."""
        self._fix_ranges(0.0, span_s)

    def redraw(self, buffer: ReadingsBuffer, now_s: float, span_s: float) -> None:
        """Draw the last `span_s` seconds before `now_s`; one update for all curves."""
        times = buffer.times()
        largest, latest = 0.0, []
        for one in self._series:
            curve = self._curves[one.device]
            if not one.shown:
                curve.setData([], [])
                continue
            x, y = decimate(times, buffer.values(self.figure, one.device), now_s - span_s, now_s)
            y = y * self._scale
            if np.isfinite(y).any():
                largest = max(largest, float(np.nanmax(y)))
            curve.setData(x - now_s, y)
            if len(y) and math.isfinite(y[-1]):
                latest.append(self._show_value(float(y[-1]) / self._scale))
        self._now.setText(" · ".join(latest) if len(latest) <= 3 else "")  # noqa: PLR2004 - what fits
        self._fix_ranges(largest, span_s)
        self._shade(buffer, now_s, span_s)

    def _fix_ranges(self, largest: float, span_s: float) -> None:
        top = self._top * self._scale if self._top else largest
        grown = top > self._shown_top or top < self._shown_top / 3
        if span_s == self._span_s and not (grown and top > 0 and top != self._shown_top):
            return
        ticks = nice_ticks(top if top > 0 else 1.0)
        limit = ticks[-1] if not self._top else max(top, ticks[-2])
        shown = [tick for tick in ticks if tick <= limit * 1.001]
        self._span_s, self._shown_top = span_s, top
        self.plot.setXRange(-span_s * _HAIR, 0, padding=0)
        self.plot.setYRange(0, limit * 1.04, padding=0)
        self.plot.getAxis("left").setTicks([[(tick, f"{tick:g}") for tick in shown]])
        self.plot.getAxis("bottom").setTicks([time_ticks(span_s, self._texts)])
        self._grid.setData(np.tile([-span_s, 0.0], len(shown)), np.repeat(shown, 2))

    def _shade(self, buffer: ReadingsBuffer, now_s: float, span_s: float) -> None:
        spans = [span for span in buffer.phases if span.end_s is None or span.end_s > now_s - span_s][-_MAX_PHASES:]
        while len(self._regions) < len(spans):
            colour = QColor(self._theme.accent)
            colour.setAlpha(30 if len(self._regions) % 2 else 16)
            region = pg.LinearRegionItem(movable=False, brush=colour, pen=pg.mkPen(None))
            region.setZValue(-20)
            self.plot.addItem(region)
            self._regions.append(region)
        for region, span in zip(self._regions, spans, strict=False):
            region.setRegion((span.start_s - now_s, (span.end_s or now_s) - now_s))
            region.setVisible(True)
        for region in self._regions[len(spans) :]:
            region.setVisible(False)
