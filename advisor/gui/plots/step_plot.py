"""Step times as they come: one line a batch size and device, on a logarithmic axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSizePolicy

from advisor.gui.theme import TICK_SIZE
from advisor.gui.widgets.card import Card
from advisor.units import format_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.gui.job_state import StepSeries
    from advisor.gui.texts import Texts
    from advisor.gui.theme import Theme

_SPANS_S = (5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0)
_MOST_POINTS = 300


def series_colour(theme: Theme, place: int) -> tuple[str, Qt.PenStyle]:
    """Six colours, then the same ones dashed."""
    styles = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
    return theme.series[place % len(theme.series)], styles[(place // len(theme.series)) % len(styles)]


class StepPlot(Card):
    """Time of a step against time since the first block."""

    def __init__(self, theme: Theme, texts: Texts) -> None:
        """Empty until the first block is measured."""
        super().__init__(texts("watch-steps-title"), texts("watch-steps-unit"))
        self._theme, self._texts = theme, texts
        self.body.setContentsMargins(14, 9, 10, 6)
        self.plot = pg.PlotWidget(background=theme.card)
        self.plot.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.plot.setMinimumHeight(150)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setAccessibleName(texts("watch-steps-title"))
        font = self.plot.font()
        font.setPixelSize(TICK_SIZE)
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickFont(font)
            axis.setStyle(tickLength=0, tickTextOffset=5, hideOverlappingLabels=40)
        self.plot.getAxis("left").setWidth(50)
        self.plot.getAxis("bottom").setHeight(20)
        self.plot.getPlotItem().layout.setContentsMargins(0, 4, 18, 0)
        self.body.addWidget(self.plot, 1)
        self._grid = pg.PlotCurveItem(pen=pg.mkPen(theme.grid, width=1), connect="pairs")
        self.plot.addItem(self._grid)
        self._curves: list[Any] = []
        self._fixed: tuple[float, int, int] | None = None

    def redraw(self, series: Sequence[StepSeries]) -> None:
        """Draw all series anew, each thinned to at most 300 points."""
        started = [one for one in series if one.times_s]
        while len(self._curves) < len(started):
            colour, style = series_colour(self._theme, len(self._curves))
            curve = pg.PlotDataItem(
                pen=pg.mkPen(QColor(colour), width=1, style=style),
                symbol="o",
                symbolSize=4,
                symbolPen=None,
                symbolBrush=QColor(colour),
            )
            self.plot.addItem(curve)
            self._curves.append(curve)
        for curve in self._curves[len(started) :]:
            curve.setData([], [])
        if not started:
            return
        begin_s = min(one.times_s[0] for one in started)
        for curve, one in zip(self._curves, started, strict=False):
            stride = max(1, math.ceil(len(one.times_s) / _MOST_POINTS))
            x = np.asarray(one.times_s[::stride]) - begin_s
            curve.setData(x, np.log10(np.maximum(np.asarray(one.walls_s[::stride]), 1e-9)))
        self._fix_ranges(started, max(one.times_s[-1] for one in started) - begin_s)

    def _fix_ranges(self, series: Sequence[StepSeries], age_s: float) -> None:
        span_s = next((span for span in _SPANS_S if age_s <= span), age_s)
        walls = [wall for one in series for wall in (min(one.walls_s), max(one.walls_s))]
        low, high = math.floor(math.log10(min(walls)) * 3), math.ceil(math.log10(max(walls)) * 3)
        high = max(high, low + 1)
        if self._fixed == (span_s, low, high):
            return
        self._fixed = (span_s, low, high)
        ticks = [
            (place / 3, format_seconds(_ROUND[place % 3] * 10.0 ** (place // 3))) for place in range(low, high + 1)
        ]
        step = max(1, math.ceil(len(ticks) / 7))
        ticks = ticks[::step]
        self.plot.setXRange(0, span_s, padding=0)
        self.plot.setYRange(low / 3, high / 3, padding=0.03)
        self.plot.getAxis("left").setTicks([ticks])
        marks = [span_s * share / 4 for share in range(5)]
        self.plot.getAxis("bottom").setTicks([[(mark, f"{mark:g} s") for mark in marks]])
        self._grid.setData(np.tile([0.0, span_s], len(ticks)), np.repeat([place for place, _text in ticks], 2))


_ROUND = (1.0, 2.0, 5.0)
"""Three ticks a decade: 10^(1/3) is 2.15 and 10^(2/3) is 4.64; the words are rounded to 2 and 5."""
