"""A plot of one view and two axes: what pyqtgraph's own plot widget adds takes a fifth of a second on a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QGraphicsGridLayout, QGraphicsItem, QSizePolicy

from advisor.gui.theme import TICK_SIZE, Theme
from advisor.gui.tooltips import answer_tooltip

if TYPE_CHECKING:
    from advisor.gui.plots.phase_band import PhaseBand

_AXES = {"left": (1, 0), "bottom": (2, 1)}
Ticks = Sequence[tuple[float, str]]
_TICK_GAP = 10.0
"""Least room between the words of two ticks, in pixels."""


class PlainPlot(pg.GraphicsView):  # type: ignore[misc, unused-ignore]
    """Fixed ranges and ticks; tells the numbers under the mouse."""

    def __init__(  # noqa: PLR0913 - what a plot is, and what it answers
        self,
        theme: Theme,
        name: str,
        *,
        left_width: int,
        told_at: Callable[[QPoint], str] | None = None,
        hovered: Callable[[QPoint | None], None] | None = None,
        band: PhaseBand | None = None,
    ) -> None:
        """`name` is what a screen reader says; `told_at` gives the text for a place, empty for nothing.

        `hovered` is told where the mouse is, and None when it leaves; `band` stands above the view; `left_width`: of
        the axis beside it, in pixels of usual letters.
        """
        self._told_at = told_at
        self._hovered = hovered
        super().__init__(background=theme.card)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setMouseTracking(hovered is not None)
        self._inside = pg.GraphicsWidget()
        places = QGraphicsGridLayout()
        places.setContentsMargins(0, 4, 18, 0)
        places.setSpacing(0)
        self._inside.setLayout(places)
        self.setCentralItem(self._inside)
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False)
        if band is not None:
            places.addItem(band, 0, 1)
        places.addItem(self.box, 1, 1)
        self._axes: dict[str, Any] = {}
        self._tick_font = self.font()
        self._tick_font.setPixelSize(theme.sized(TICK_SIZE))
        for side, place in _AXES.items():
            axis = pg.AxisItem(side)
            axis.linkToView(self.box)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickFont(self._tick_font)
            axis.setStyle(tickLength=0, tickTextOffset=5, hideOverlappingLabels=40)
            places.addItem(axis, *place)
            self._axes[side] = axis
        self._axes["left"].setWidth(theme.sized(left_width))
        self._axes["bottom"].setHeight(theme.sized(20))
        self.keep_axes(kept=True)
        self._x_ticks: Ticks = []
        self.box.sigResized.connect(self._resized)

    def _resized(self, *_: object) -> None:
        """At another size Qt would paint into the kept picture without clearing it: old labels would stay."""
        self._show_x_ticks()
        if self._axes["left"].cacheMode() != QGraphicsItem.CacheMode.NoCache:
            self.keep_axes(kept=False)
            self.keep_axes(kept=True)

    def keep_axes(self, *, kept: bool) -> None:
        """Axes change only with their range, so they are kept as painted; an SVG needs them drawn."""
        mode = QGraphicsItem.CacheMode.DeviceCoordinateCache if kept else QGraphicsItem.CacheMode.NoCache
        for axis in self._axes.values():
            axis.setCacheMode(mode)

    def fix(self, x: tuple[float, float], y: tuple[float, float], x_ticks: Ticks, y_ticks: Ticks) -> None:
        """Other ranges and ticks of both axes."""
        self.box.setXRange(*x, padding=0)
        self.box.setYRange(*y, padding=0)
        self._axes["left"].setTicks([list(y_ticks)])
        self._x_ticks = list(x_ticks)
        self._show_x_ticks()

    def _show_x_ticks(self) -> None:
        """Every tick of x, or every second, third, …: the first one always, and none touches the next."""
        metrics, room = QFontMetricsF(self._tick_font), self.box.width()
        wide = max((metrics.horizontalAdvance(text) for _at, text in self._x_ticks), default=0) + _TICK_GAP
        every = math.ceil(wide * (len(self._x_ticks) - 1) / room) if room > wide else 1
        self._axes["bottom"].setTicks([list(self._x_ticks)[:: max(every, 1)]])

    def x_at(self, place: QPoint) -> float:
        """The x that lies at a place of the widget."""
        return float(self.box.mapSceneToView(self.mapToScene(place)).x())

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer the tooltip."""
        if self._told_at is not None and isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            answer_tooltip(event, self._told_at(event.pos()), self)
            return True
        if self._hovered is not None and event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._hovered(event.position().toPoint())
        elif self._hovered is not None and event.type() == QEvent.Type.Leave:
            self._hovered(None)
        return bool(super().viewportEvent(event))
