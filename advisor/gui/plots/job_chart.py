"""The advice's one picture: each candidate's job time on a logarithmic axis, with range, tie, price, and a click."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen

from advisor.gui.plots.chart import Chart, draw_mark
from advisor.gui.theme import SMALL_SIZE, TEXT_SIZE, Theme, mixed
from advisor.present.look import Shape

ROW = 25
_AXIS = 24
_DOT = 5.5
_EDGE = 6.0
"""Pixels between the ends of a row and what stands in it."""


@dataclass(frozen=True, kw_only=True)
class JobRow:
    """One set-up; `at`, `low` and `high` lie on the axis from 0 to 1, None where it does not fit."""

    name: str
    detail: str
    at: float | None
    low: float
    high: float
    text: str
    price: str
    colour: str
    tip: str
    shape: Shape = "circle"
    chip: str = ""
    advised: bool = False
    tied: bool = False
    trusted: bool = True
    solid: bool = False
    """Measured here, or calibrated by what was."""


class JobChart(Chart):
    """Rows from the shortest job to the longest; `picked` tells the row that was clicked or chosen by the arrows."""

    picked = Signal(int)

    def __init__(self, theme: Theme, name: str, tie_text: str) -> None:
        """`tie_text` says what the bracket means."""
        super().__init__(theme, name)
        self._rows: list[JobRow] = []
        self._ticks: list[tuple[float, str]] = []
        self._switched: JobRow | None = None
        self._current = -1
        self._tie_text = tie_text
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)

    def show_rows(self, rows: Sequence[JobRow], ticks: Sequence[tuple[float, str]], current: int) -> None:
        """Show these rows, ticks by their place from 0 to 1; `current` is marked."""
        self._rows, self._ticks, self._current = list(rows), list(ticks), current
        self._describe()
        self.renew()

    def show_switched(self, row: JobRow | None) -> None:
        """Draw the advised row as switches would make it, or as advised again."""
        self._switched = row
        self._describe()
        self.renew()

    def mark(self, current: int) -> None:
        """Mark another row."""
        self._current = current
        self.renew()

    def _describe(self) -> None:
        words = [f"{row.name} {row.detail}: {row.text} {row.price} {row.chip}".strip() for row in self._rows]
        self.setAccessibleDescription("; ".join(words) + (f"; {self._switched.text}" if self._switched else ""))

    def sizeHint(self) -> QSize:
        """A row each, and the axis."""
        return self.sized(420, max(len(self._rows), 1) * ROW + _AXIS)

    def row_at(self, y: float) -> int:
        """The row at a height on the screen; -1 for none."""
        row = int(y / self.zoom // ROW)
        return row if 0 <= row < len(self._rows) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the row under the mouse."""
        row = self.row_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and row >= 0:
            self._pick(row)
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows pick the row above or below."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or not self._rows:
            super().keyPressEvent(event)
            return
        self._pick(min(max(self._current + step, 0), len(self._rows) - 1))

    def _pick(self, row: int) -> None:
        self._current = row
        self.renew()
        self.picked.emit(row)

    def draw(self, painter: QPainter) -> None:
        """Axis, rows and bracket."""
        if not self._rows:
            return
        width = self.wide
        names = max(self.width_of(self._left_text(row), bold=row.advised) for row in self._rows) + 4
        names = min(names, width * 0.40)
        texts = [row.text for row in self._rows] + ([self._switched.text] if self._switched else [])
        values = max(self.width_of(text, TEXT_SIZE, bold=True) for text in texts) + 6
        prices = max(self.width_of(row.price) for row in self._rows)
        prices += 14 if prices else 0
        tied = [number for number, row in enumerate(self._rows) if row.tied]
        several = len(tied) > 1
        # A row that is picked is shaded to its end: what stands in it keeps as far from there as from its beginning.
        edge = 22.0 if several else _EDGE
        left, right = names + 16, width - values - prices - edge - 14
        self._draw_axis(painter, left, right)
        for number, job_row in enumerate(self._rows):
            self._draw_row(painter, job_row, number, (left, right, values, prices))
        if several:
            self._draw_bracket(painter, tied, width - 8)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self.theme.accent), 1))
            painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, len(self._rows) * ROW - 1), 4, 4)

    @staticmethod
    def _left_text(row: JobRow) -> str:
        return "  ".join(part for part in (row.name, row.detail, row.chip) if part)

    def _draw_axis(self, painter: QPainter, left: float, right: float) -> None:
        bottom = len(self._rows) * ROW
        for at, text in self._ticks:
            x = left + at * (right - left)
            self.line(painter, QPointF(x, 0), QPointF(x, bottom + 3), self.theme.grid)
            self.tick(painter, QRectF(x - 40, bottom + 4, 80, _AXIS - 6), text, Qt.AlignmentFlag.AlignHCenter)
        self.line(painter, QPointF(left, bottom + 2), QPointF(right, bottom + 2), self.theme.line)

    def _draw_row(self, painter: QPainter, row: JobRow, number: int, places: tuple[float, float, float, float]) -> None:
        left, right, values, prices = places
        y, middle = number * ROW, number * ROW + ROW / 2
        if number == self._current:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.accent_soft))
            painter.drawRoundedRect(QRectF(0, y + 1, self.wide, ROW - 2), 4, 4)
        self._write_name(painter, row, QRectF(_EDGE, y, left - 18, ROW))
        muted = self.theme.muted if row.at is None else None
        moved = self._switched if row.advised else None
        if row.at is not None:
            if moved is not None:
                self._draw_dot(painter, (left, right, middle), row, ghost=True)
            self._draw_dot(painter, (left, right, middle), moved or row)
        at, text, bold = QRectF(right + 14, y, values, ROW), (moved or row).text, row.advised
        self.write(painter, at, text, size=TEXT_SIZE, bold=bold, colour=muted, align=Qt.AlignmentFlag.AlignRight)
        if row.price:
            place = QRectF(right + 14 + values, y, prices, ROW)
            self.write(painter, place, row.price, colour=self.theme.muted, align=Qt.AlignmentFlag.AlignRight)
        self.tell_at(QRectF(0, y, self.wide, ROW), row.tip)

    def _write_name(self, painter: QPainter, row: JobRow, place: QRectF) -> None:
        colour = self.theme.muted if row.at is None else None
        used = self.write(painter, place, row.name, bold=row.advised, colour=colour)
        room = place.width() - used - 8
        if row.detail and room > self.width_of("MMM"):
            used += 8 + self.write(
                painter, place.adjusted(used + 8, 0, 0, 0), row.detail, colour=self.theme.muted, size=SMALL_SIZE - 1
            )
            room = place.width() - used - 8
        if row.chip and room >= self.width_of(row.chip, SMALL_SIZE - 1):
            chip = place.adjusted(used + 8, 0, 0, 0)
            self.write(painter, chip, row.chip, colour=self.theme.accent, size=SMALL_SIZE - 1, bold=True)

    def _draw_dot(
        self, painter: QPainter, places: tuple[float, float, float], row: JobRow, *, ghost: bool = False
    ) -> None:
        """Whisker and dot; `ghost`: where it was before switches moved it."""
        left, right, y = places
        within = (min(max(part, 0.0), 1.0) for part in (row.at or 0.0, row.low, row.high))
        x, x_low, x_high = (left + part * (right - left) for part in within)
        colour = mixed(row.colour, self.theme.card, 0.6) if ghost else row.colour
        if not ghost:
            pen = QPen(QColor(colour), 1.6, Qt.PenStyle.SolidLine if row.trusted else Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawLine(QPointF(x_low, y), QPointF(x_high, y))
            painter.setPen(QPen(QColor(colour), 1.6))
            for end in (x_low, x_high):
                painter.drawLine(QPointF(end, y - 4), QPointF(end, y + 4))
        painter.setPen(QPen(QColor(colour), 2))
        painter.setBrush(QColor(colour if row.solid and not ghost else self.theme.card))
        draw_mark(painter, row.shape, QPointF(x, y), _DOT)

    def _draw_bracket(self, painter: QPainter, tied: Sequence[int], x: float) -> None:
        top, bottom = tied[0] * ROW + ROW / 2, tied[-1] * ROW + ROW / 2
        self.line(painter, QPointF(x, top), QPointF(x, bottom), self.theme.muted, 1.4)
        for number in tied:
            y = number * ROW + ROW / 2
            self.line(painter, QPointF(x - 6, y), QPointF(x, y), self.theme.muted, 1.4)
        self.tell_at(QRectF(x - 9, top, 18, bottom - top), self._tie_text)
