"""Curves over the batch size with their ranges, marks for knee and limit, labelled directly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from advisor.core.units import Estimate
from advisor.gui.plots.chart import Chart, round_ticks
from advisor.gui.theme import SMALL_SIZE, TICK_SIZE, Theme

_TICK_GAP = 6.0
"""Least room between the words of two ticks, in pixels."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """A place on a curve; what does not fit is drawn hollow and apart."""

    x: float
    estimate: Estimate
    tip: str
    fits: bool = True


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A device's points from the smallest batch to the largest."""

    name: str
    colour: str
    points: tuple[Point, ...]


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A vertical line with its word."""

    x: float
    text: str
    colour: str


class CurveChart(Chart):
    """Batch size on a logarithmic axis; `log_y` also for the figure itself."""

    def __init__(
        self,
        theme: Theme,
        name: str,
        titles: tuple[str, str],
        *,
        log_y: bool = False,
        y_text: Callable[[float], str] | None = None,
    ) -> None:
        """`titles` of x and y stand at the ends of the axes; `y_text` writes a tick."""
        super().__init__(theme, name)
        (self._x_title, self._y_title), self._log_y = titles, log_y
        self._y_text = y_text or _plain_tick
        self._curves: list[Curve] = []
        self._marks: list[Mark] = []
        self._place = QRectF()
        self._x_range = (0.0, 1.0)
        self._y_range = (0.0, 1.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(self.sized(0, 210).height())

    def sizeHint(self) -> QSize:
        """Twice as wide as high."""
        return self.sized(460, 230)

    def show_curves(self, curves: Sequence[Curve], marks: Sequence[Mark] = ()) -> None:
        """Show other curves."""
        self._curves = [curve for curve in curves if curve.points]
        self._marks = list(marks)
        self.setAccessibleDescription(
            "; ".join(": ".join(filter(None, (curve.name, curve.points[-1].tip))) for curve in self._curves)
        )
        self.renew()

    def _fix_ranges(self) -> None:
        points = [point for curve in self._curves for point in curve.points]
        xs = [math.log2(point.x) for point in points]
        self._x_range = (min(xs), max(*xs, min(xs) + 1))
        top = max(point.estimate.high for point in points)
        if self._log_y:
            low = min(point.estimate.low for point in points if point.estimate.low > 0)
            self._y_range = (math.floor(math.log10(low)), math.ceil(math.log10(top)))
        else:
            self._y_range = (0.0, round_ticks(top)[-1])
        widest = max(self.width_of(self._y_text(tick), 11) for tick in self._y_ticks())
        self._place = QRectF(widest + 8, 22, self.wide - widest - 32, self.high - 22 - 36)

    def _y_ticks(self) -> list[float]:
        if self._log_y:
            return [10.0**power for power in range(int(self._y_range[0]), int(self._y_range[1]) + 1)]
        return round_ticks(self._y_range[1])

    def _at(self, x: float, y: float) -> QPointF:
        share_x = (math.log2(x) - self._x_range[0]) / (self._x_range[1] - self._x_range[0])
        shown = math.log10(max(y, 1e-12)) if self._log_y else y
        share_y = (shown - self._y_range[0]) / ((self._y_range[1] - self._y_range[0]) or 1.0)
        place = self._place
        return QPointF(place.left() + share_x * place.width(), place.bottom() - share_y * place.height())

    def draw(self, painter: QPainter) -> None:
        """Grid, ranges, curves, marks and their words."""
        if not self._curves:
            return
        self._fix_ranges()
        self._draw_axes(painter)
        for curve in self._curves:
            self._draw_range(painter, curve)
        self._draw_marks(painter)
        for curve in self._curves:
            self._draw_curve(painter, curve)
        self._draw_names(painter)

    def _draw_axes(self, painter: QPainter) -> None:
        place = self._place
        for tick in self._y_ticks():
            y = self._at(2 ** self._x_range[0], tick).y()
            self.line(painter, QPointF(place.left(), y), QPointF(place.right(), y), self.theme.grid)
            at = QRectF(0, y - 9, place.left() - 6, 18)
            self.tick(painter, at, self._y_text(tick), Qt.AlignmentFlag.AlignRight)
        sizes = sorted({point.x for curve in self._curves for point in curve.points})
        end = -1e9
        for size in sizes:
            text = f"{size:,.0f}"
            width = math.ceil(self.width_of(text, TICK_SIZE)) + 1.0
            start = min(self._at(size, 1.0).x() - width / 2, self.wide - width)
            if start < end + _TICK_GAP:
                continue
            end = start + width
            self.tick(painter, QRectF(start, place.bottom() + 3, width, 16), text, Qt.AlignmentFlag.AlignHCenter)
        self.line(painter, place.bottomLeft(), place.bottomRight(), self.theme.line)
        self.write(
            painter,
            QRectF(place.left(), self.high - 17, place.width(), 16),
            self._x_title,
            colour=self.theme.muted,
            size=11,
            align=Qt.AlignmentFlag.AlignRight,
        )
        self.write(painter, QRectF(0, 0, place.width(), 16), self._y_title, colour=self.theme.muted, size=11)

    def _draw_range(self, painter: QPainter, curve: Curve) -> None:
        fitting = [point for point in curve.points if point.fits]
        if len(fitting) < 2:  # noqa: PLR2004 - an area takes two points
            return
        outline = [self._at(point.x, point.estimate.high) for point in fitting]
        outline += [self._at(point.x, point.estimate.low) for point in reversed(fitting)]
        colour = QColor(curve.colour)
        colour.setAlpha(34)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF(outline))

    def _draw_curve(self, painter: QPainter, curve: Curve) -> None:
        path = QPainterPath()
        fitting = [point for point in curve.points if point.fits]
        for number, point in enumerate(fitting):
            at = self._at(point.x, point.estimate.value)
            path.lineTo(at) if number else path.moveTo(at)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(curve.colour), 2))
        painter.drawPath(path)
        for point in curve.points:
            at = self._at(point.x, point.estimate.value)
            solid = point.fits and point.estimate.basis == "measured"
            painter.setPen(QPen(QColor(curve.colour if point.fits else self.theme.bar), 1.5))
            painter.setBrush(QColor(curve.colour if solid else self.theme.card))
            painter.drawEllipse(at, 3.6, 3.6)
            self.tell_at(QRectF(at.x() - 9, at.y() - 9, 18, 18), point.tip)

    def _draw_marks(self, painter: QPainter) -> None:
        rows: list[list[tuple[float, float]]] = [[] for _ in self._marks]
        for mark in self._marks:
            first, last = (2**end for end in self._x_range)
            x = self._at(min(max(mark.x, first), last), 1.0).x()
            text = mark.text
            if first <= mark.x <= last:
                painter.setPen(QPen(QColor(mark.colour), 1.2, Qt.PenStyle.DashLine))
                painter.drawLine(QPointF(x, self._place.top()), QPointF(x, self._place.bottom()))
            else:  # its word alone, pointing to where it lies
                text = f"{text} →" if mark.x > last else f"← {text}"
            width = self.width_of(text, 11) + 6
            start = min(max(x - width / 2, self._place.left()), self.wide - width)
            free = (all(start > end or start + width < begin for begin, end in others) for others in rows)
            row = next(place for place, is_free in enumerate(free) if is_free)
            rows[row].append((start, start + width))
            place = QRectF(start, self._place.top() - 1 + 14 * row, width, 14)
            painter.fillRect(place, QColor(self.theme.card))
            self.write(painter, place, text, colour=mark.colour, size=11, align=Qt.AlignmentFlag.AlignHCenter)
            self.tell_at(QRectF(x - 4, self._place.top(), 8, self._place.height()), mark.text)

    def _draw_names(self, painter: QPainter) -> None:
        """Names in one line above the plot, each in its curve's colour."""
        x = self.wide
        for curve in reversed([curve for curve in self._curves if curve.name]):
            width = min(self.width_of(curve.name) + 20, self.wide / max(len(self._curves), 2))
            x -= width
            if x < self.width_of(self._y_title, 11) + 16:
                break
            self.line(painter, QPointF(x, 8), QPointF(x + 12, 8), curve.colour, 2.5)
            self.write(painter, QRectF(x + 16, 0, width - 18, 16), curve.name, size=SMALL_SIZE, colour=self.theme.muted)


def _plain_tick(tick: float) -> str:
    """A number, thousands as k and millions as M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if tick >= size:
            return f"{tick / size:g}{letter}"
    return f"{tick:g}"
