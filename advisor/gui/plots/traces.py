"""All lines of one plot as one item: shading, grid and curves in a single paint without anything computed in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPen, QPixmap, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsItem

from advisor.gui.plots.phase_band import SHADES, Shading

CurveData = tuple["QPen", "NDArray[np.float64]", "NDArray[np.float64]"]
_DOT_PIXELS = 4

LINE_PIXELS = 1.5
"""Width of a curve in logical pixels."""
_FILL = 34
"""Opacity of the soft fill under a curve, of 255."""
_MOST_FILLS = 2
"""More fills than this over each other are mud."""


class TraceItem(QGraphicsItem):
    """Antialiased curves of 1.5 pixels with a soft fill.

    Qt's fast antialiased path takes pens of width 1 alone: a wider pen costs forty times as much. So each curve is
    drawn two times (three on a dense screen), so far apart that they make the width.

    pyqtgraph's own curve items make a path and ask for bounds anew in every frame; for twelve curves that is most
    of what a redraw takes.
    """

    def __init__(self, grid_colour: str, shade_colour: str, cross_colour: str = "") -> None:
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
        self.spans: list[Shading] = []
        """Shaded phases."""
        self.crosshair: float | None = None
        """Where the crosshair stands in the plot's x; None: nowhere."""
        self._fills: tuple[QSize, list[QImage]] | None = None
        self._cross_pen = _thin(cross_colour or grid_colour)

    def set_place(self, place: QRectF, grid_y: Sequence[float]) -> None:
        """The range of both axes in data coordinates, and where grid lines lie."""
        if place != self._place:
            self.prepareGeometryChange()
            self._place = place
            self._fills = None
        self._grid = [QPolygonF([QPointF(place.left(), y), QPointF(place.right(), y)]) for y in grid_y]

    def show_curves(self, curves: Sequence[CurveData], *, dots: bool = False) -> None:
        """Draw these from the next paint on: pen, x and y in data coordinates; NaN leaves a gap.

        `dots`: mark each point too.
        """
        self.drawn = list(curves)
        self._dots = dots
        self._curves = [(pen, polygons(x, y)) for pen, x, y in curves]
        self._fills = None
        self.update()

    def show_cursor(self, x: float | None) -> None:
        """Let the crosshair stand at an x of the plot, or nowhere."""
        if x != self.crosshair:
            self.crosshair = x
            self.update()

    def boundingRect(self) -> QRectF:
        """The whole plot: its axes lie outside and are not painted again."""
        return self._place

    def paint(self, painter: QPainter, _option: object, _widget: object = None) -> None:
        """Shading below, then grid, then curves."""
        painter.setRenderHint(painter.RenderHint.Antialiasing, on=False)
        top, height = self._place.top(), self._place.height()
        for start, end, shade in self.spans:
            self._shade.setAlpha(SHADES[shade])
            begin = max(start, self._place.left())
            painter.fillRect(QRectF(begin, top, end - begin, height), self._shade)
        painter.setPen(self._grid_pen)
        for line in self._grid:
            painter.drawPolyline(line)
        self._paint_fills(painter)
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        for pen, parts in self._curves:
            draw_curve(painter, pen, parts)
        if self._dots:
            self._paint_dots(painter)
        if self.crosshair is not None:
            painter.setRenderHint(painter.RenderHint.Antialiasing, on=False)
            painter.setPen(self._cross_pen)
            painter.drawLine(QPointF(self.crosshair, self._place.top()), QPointF(self.crosshair, self._place.bottom()))

    def _paint_fills(self, painter: QPainter) -> None:
        """The soft fills as pictures: as polygons they cost more than all else."""
        if len(self.drawn) > _MOST_FILLS or self._dots:
            return
        before, scale = painter.transform(), painter.device().devicePixelRatioF()
        place = before.mapRect(self._place).toAlignedRect()
        size = place.size() * scale
        if self._fills is None or self._fills[0] != size:
            self._fills = size, [fill(pen.color(), x, y, self._place, size) for pen, x, y in self.drawn]
        painter.resetTransform()
        for picture in self._fills[1]:
            painter.drawImage(place, picture)
        painter.setTransform(before)

    def _paint_dots(self, painter: QPainter) -> None:
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        pixels = _DOT_PIXELS * painter.device().devicePixelRatioF()
        for pen, parts in self._curves:
            dot = QPen(pen.color(), pixels)
            dot.setCosmetic(True)
            dot.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(dot)
            for part in parts:
                painter.drawPoints(part)


def draw_curve(painter: QPainter, pen: QPen, parts: Sequence[QPolygonF]) -> None:
    """A curve of `LINE_PIXELS` logical pixels, drawn by pens of one physical pixel side by side."""
    scale = painter.device().devicePixelRatioF()
    painter.setPen(_dashed_for(pen, scale))
    width = LINE_PIXELS * scale
    strokes = math.ceil(width)
    before = painter.transform()
    for stroke in range(strokes):
        # The painter moves by logical pixels, the pens are physical.
        down = (width - 1) / scale * (stroke / (strokes - 1) - 0.5)
        painter.setTransform(before * QTransform.fromTranslate(0, down))
        for part in parts:
            if part.size() == 1:
                painter.drawPoint(part.at(0))
            else:
                painter.drawPolyline(part)
    painter.setTransform(before)


def _dashed_for(pen: QPen, scale: float) -> QPen:
    """The pen with dashes as long as on a screen of one pixel a pixel: Qt counts them in widths of the pen."""
    if scale == 1 or pen.style() == Qt.PenStyle.SolidLine:
        return pen
    stretched = QPen(pen)
    stretched.setDashPattern([scale * part for part in pen.dashPattern()])
    return stretched


def fill(colour: QColor, x: NDArray[np.float64], y: NDArray[np.float64], place: QRectF, size: QSize) -> QImage:
    """The soft fill between a curve and the foot of `place` as a picture of a size in physical pixels."""
    width, height = max(size.width(), 1), max(size.height(), 1)
    columns = place.left() + place.width() * (np.arange(width) + 0.5) / width
    if len(x):
        shares = (np.interp(columns, x, y, left=np.nan, right=np.nan) - place.top()) / place.height()
    else:
        shares = np.full(width, np.nan)
    # What is unknown begins below the foot: nothing is filled there.
    begins = np.nan_to_num(height * (1 - shares), nan=height).astype(np.int16)
    filled = np.arange(height, dtype=np.int16)[:, np.newaxis] >= begins
    red, green, blue = (part * _FILL // 255 for part in (colour.red(), colour.green(), colour.blue()))
    pixels = filled * np.uint32(_FILL << 24 | red << 16 | green << 8 | blue)
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


def polygons(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[QPolygonF]:
    """The pieces of a curve between unknown values."""
    return [_polygon(x[first:last], y[first:last]) for first, last in _pieces(y)]


def _pieces(y: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Where known values begin and end."""
    values = np.isfinite(y)
    if values.all():
        return [(0, len(y))] if len(y) else []
    edges = np.flatnonzero(np.diff(np.concatenate(([False], values, [False])).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


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
    """A short stroke in a line's colour and dash, 22 by 10 pixels, for legends: the gap to the words belongs to it."""
    pixmap = QPixmap(44, 20)
    pixmap.fill(Qt.GlobalColor.transparent)
    pixmap.setDevicePixelRatio(2)
    painter = QPainter(pixmap)
    pen = QPen(QColor(colour), 1.6)  # a wider one's dash and dot would be longer than the stroke
    pen.setStyle(style)
    painter.setPen(pen)
    painter.drawLine(1, 5, 17, 5)
    painter.end()
    return QIcon(pixmap)
