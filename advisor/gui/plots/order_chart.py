"""How the order of the devices turns with the precision: one column a precision, one line a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent

from advisor.gui.plots.chart import Chart, draw_mark
from advisor.gui.theme import Theme
from advisor.present.look import Shape

_ROW = 27
_DOT = 5.0
_LEFT, _GAP = 34.0, 18.0
_PAST = Qt.PenStyle.DotLine
_HEAD_SIZE, _HEAD_LINE, _APART = 11, 14, 6.0
"""Letters and line of the columns' names, and the least pixels between two; what they leave is for the devices."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What tells a device apart: no two of a page share all three."""

    colour: str
    style: Qt.PenStyle
    shape: Shape


@dataclass(frozen=True, kw_only=True)
class OrderLine:
    """A device: its place in each column (None: not there) and what it reaches there as text."""

    name: str
    places: tuple[int | None, ...]
    """One of them at least."""
    texts: tuple[str, ...]
    look: Look


class OrderChart(Chart):
    """Places from 1 at the top; a line that falls or rises is an order that turns."""

    def __init__(self, theme: Theme, name: str) -> None:
        """Empty until shown."""
        super().__init__(theme, name)
        self._columns: list[str] = []
        self._lines: list[OrderLine] = []
        self._chosen = 0

    def show_order(self, columns: Sequence[str], lines: Sequence[OrderLine], chosen: int) -> None:
        """`chosen` is the column that the page shows."""
        self._columns, self._lines, self._chosen = list(columns), list(lines), chosen
        words = []
        for line in lines:
            places = [f"{column} {place}" for column, place in zip(columns, line.places, strict=True) if place]
            words.append(f"{line.name}: {', '.join(places)}")
        self.setAccessibleDescription("; ".join(words))
        self.renew()

    def sizeHint(self) -> QSize:
        """A row a place, below the names of the columns."""
        return self.sized(420, self._head() + _ROW * max(len(self._lines), 1) + 6)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As high as the names of the columns need where they lie closer together."""
        super().resizeEvent(event)
        if self.sizeHint().height() != self.height():
            self.renew()

    def draw(self, painter: QPainter) -> None:
        """Columns, lines, dots and the names at the right."""
        if not self._columns or not self._lines:
            return
        left, right, names = self._sides()
        step, rows = self._step(), self._head_rows()
        for number, column in enumerate(self._columns):
            x = left + number * step
            place = QRectF(x - 50, number % rows * _HEAD_LINE, 100, 20)
            chosen = number == self._chosen
            colour = self.theme.accent if chosen else self.theme.muted
            self.write(
                painter, place, column, bold=chosen, colour=colour, size=_HEAD_SIZE, align=Qt.AlignmentFlag.AlignHCenter
            )
            top = QPointF(x, place.bottom() + 4)
            self.line(painter, top, QPointF(x, self.high - 4), self.theme.grid, 1)
        for order_line in self._lines:
            self._draw_line(painter, order_line, left, step)
        for order_line, row in zip(self._lines, self._name_rows(), strict=True):
            y = self._y(row)
            self.write(painter, QRectF(right + 16, y - 13, names, 26), order_line.name, lines=2)
            last, there = [(number, at) for number, at in enumerate(order_line.places) if at][-1]
            if last < len(order_line.places) - 1:
                painter.setPen(QPen(QColor(order_line.look.colour), 1, _PAST))
                painter.drawLine(QPointF(left + last * step, self._y(there)), QPointF(right + 8, y))

    def _sides(self) -> tuple[float, float, float]:
        """Where the first column is and the last, and the width of the devices' names."""
        heads = self._head_widths()
        apart = max((sum(pair) / 2 + _APART for pair in pairwise(heads)), default=0.0)
        room = self.wide - _LEFT - _GAP - apart * (len(self._columns) - 1)
        names = min(
            max(self.width_of(line.name) for line in self._lines) + 8, max(self.wide * 0.4, min(self.wide * 0.5, room))
        )
        return _LEFT, self.wide - names - _GAP, names

    def _step(self) -> float:
        left, right, _ = self._sides()
        return (right - left) / max(len(self._columns) - 1, 1)

    def _head_widths(self) -> list[float]:
        return [self.width_of(column, _HEAD_SIZE, bold=True) for column in self._columns]

    def _head_rows(self) -> int:
        """In how many rows, one below the other, the names of the columns stand so that none meets the next in its."""
        heads, step = self._head_widths(), self._step()
        return next(
            rows
            for rows in range(1, len(heads) + 1)
            if all(sum(pair) / 2 + _APART <= rows * step for pair in zip(heads, heads[rows:], strict=False))
        )

    def _head(self) -> float:
        """Height above the first place."""
        return 26 + _HEAD_LINE * (self._head_rows() - 1 if self._columns and self._lines else 0)

    def _name_rows(self) -> list[int]:
        """The row of each name: that of its place in the last column, and for who is not in it the next free one."""
        taken = {line.places[-1] for line in self._lines}
        free = iter([row for row in range(1, 2 * len(self._lines) + 1) if row not in taken])
        return [line.places[-1] or next(free) for line in self._lines]

    def _y(self, place: int) -> float:
        return self._head() + _ROW * (place - 0.5)

    def _draw_line(self, painter: QPainter, order_line: OrderLine, left: float, step: float) -> None:
        points = [
            (QPointF(left + number * step, self._y(place)), number)
            for number, place in enumerate(order_line.places)
            if place
        ]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for (start, before), (end, after) in pairwise(points):
            # Past a column that it is not in, it must not look as if it had a place there.
            whole = after == before + 1
            painter.setPen(
                QPen(QColor(order_line.look.colour), 2 if whole else 1, order_line.look.style if whole else _PAST)
            )
            painter.drawLine(start, end)
        for point, number in points:
            painter.setPen(QPen(QColor(self.theme.card), 1.5))
            painter.setBrush(QColor(order_line.look.colour))
            draw_mark(painter, order_line.look.shape, point, _DOT)
            self.tell_at(
                QRectF(point.x() - 10, point.y() - 10, 20, 20), f"{order_line.name}: {order_line.texts[number]}"
            )
