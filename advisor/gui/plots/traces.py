"""All lines of one plot as one item: shading, grid and curves in a single paint without anything computed in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QGraphicsItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CurveData = tuple["QPen", "NDArray[np.float64]", "NDArray[np.float64]"]
_DOT_PIXELS = 4
_SHADES = (16, 30)
"""Neighbouring phases are told apart by their opacity, of 255."""


class TraceItem(QGraphicsItem):
    """Curves drawn by cosmetic pens of width 1 without antialiasing: Qt's fast path.

    pyqtgraph's own curve items make a path and ask for bounds anew in every frame; for twelve curves that is most
    of what a redraw takes.
    """

    def __init__(self, grid_colour: str, shade_colour: str) -> None:
        """Colours as #RRGGBB; nothing is drawn until `show_curves`."""
        super().__init__()
        self._place = QRectF(0, 0, 1, 1)
        self._grid: list[QPolygonF] = []
        self._grid_pen = _thin(grid_colour)
        self._shade = QColor(shade_colour)
        self._curves: list[tuple[QPen, list[QPolygonF]]] = []
        self._dots = False
        self.drawn: list[CurveData] = []
        """What is drawn now: pen, x and y of each curve."""
        self.spans: list[tuple[float, float, int]] = []
        """Shaded phases: start, end, and which of the two shades."""

    def set_place(self, place: QRectF, grid_y: Sequence[float]) -> None:
        """The range of both axes in data coordinates, and where grid lines lie."""
        if place != self._place:
            self.prepareGeometryChange()
            self._place = place
        self._grid = [QPolygonF([QPointF(place.left(), y), QPointF(place.right(), y)]) for y in grid_y]

    def show_curves(self, curves: Sequence[CurveData], *, dots: bool = False) -> None:
        """Draw these from the next paint on: pen, x and y in data coordinates; NaN leaves a gap.

        `dots`: mark each point too.
        """
        self.drawn = list(curves)
        self._dots = dots
        self._curves = [(pen, polygons(x, y)) for pen, x, y in curves]
        self.update()

    def boundingRect(self) -> QRectF:
        """The whole plot: its axes lie outside and are not painted again."""
        return self._place

    def paint(self, painter: QPainter, _option: object, _widget: object = None) -> None:
        """Shading below, then grid, then curves."""
        painter.setRenderHint(painter.RenderHint.Antialiasing, on=False)
        top, height = self._place.top(), self._place.height()
        for start, end, shade in self.spans:
            self._shade.setAlpha(_SHADES[shade])
            begin = max(start, self._place.left())
            painter.fillRect(QRectF(begin, top, end - begin, height), self._shade)
        painter.setPen(self._grid_pen)
        for line in self._grid:
            painter.drawPolyline(line)
        for pen, parts in self._curves:
            painter.setPen(pen)
            for part in parts:
                if part.size() == 1:
                    painter.drawPoint(part.at(0))
                else:
                    painter.drawPolyline(part)
        if self._dots:
            self._paint_dots(painter)

    def _paint_dots(self, painter: QPainter) -> None:
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        for pen, parts in self._curves:
            dot = QPen(pen.color(), _DOT_PIXELS)
            dot.setCosmetic(True)
            dot.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(dot)
            for part in parts:
                painter.drawPoints(part)


def polygons(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[QPolygonF]:
    """The pieces of a curve between unknown values."""
    known = np.isfinite(y)
    if known.all():
        return [_polygon(x, y)] if len(y) else []
    edges = np.flatnonzero(np.diff(np.concatenate(([False], known, [False])).astype(np.int8)))
    return [_polygon(x[start:end], y[start:end]) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _polygon(x: NDArray[np.float64], y: NDArray[np.float64]) -> QPolygonF:
    made = pg.functions.create_qpolygonf(len(x))
    memory: Any = pg.functions.ndarray_from_qpolygonf(made)
    memory[:, 0], memory[:, 1] = x, y
    polygon: QPolygonF = made
    return polygon


def _thin(colour: str) -> QPen:
    pen = QPen(QColor(colour), 1, Qt.PenStyle.SolidLine)
    pen.setCosmetic(True)
    return pen


def thin_pen(colour: str, style: Qt.PenStyle) -> QPen:
    """Width exactly 1 on the screen, whatever the axes: wider pens take Qt's slow path."""
    pen = _thin(colour)
    pen.setStyle(style)
    return pen


def line_icon(colour: str, style: Qt.PenStyle) -> QIcon:
    """A short stroke in a line's colour and dash, 18 by 10 pixels, for legends."""
    pixmap = QPixmap(36, 20)
    pixmap.fill(Qt.GlobalColor.transparent)
    pixmap.setDevicePixelRatio(2)
    painter = QPainter(pixmap)
    pen = QPen(QColor(colour), 2.5)
    pen.setStyle(style)
    painter.setPen(pen)
    painter.drawLine(1, 5, 17, 5)
    painter.end()
    return QIcon(pixmap)
