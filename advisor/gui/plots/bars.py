"""Horizontal bars with a whisker for the range: measured ones solid, predicted ones lighter, ties bracketed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter

from advisor.core.units import Estimate
from advisor.gui.plots.chart import Chart
from advisor.gui.theme import TEXT_SIZE, TICK_SIZE, Theme, mixed


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One row; `estimate` None draws no bar and the text alone (does not fit, unknown)."""

    name: str
    estimate: Estimate | None
    text: str
    tip: str = ""
    chosen: bool = False
    trusted: bool = True
    tie: int | None = None
    """Rows that follow each other with the same number share a bracket."""
    mark: str = ""
    """A short word after the value, such as `measured`."""


_LEAST_ROOM = 40.0
"""Pixels for bars with their whiskers: where there are fewer, marks stand below the values and not beside them."""


class BarChart(Chart):
    """Rows from best to worst."""

    def __init__(self, theme: Theme, name: str, *, row_height: int = 30, tie_text: str = "") -> None:
        """`tie_text` names what a bracket means."""
        super().__init__(theme, name)
        self._rows: list[Bar] = []
        self._row_height = row_height
        self._tie_text = tie_text

    def show_bars(self, rows: Sequence[Bar]) -> None:
        """Show other rows."""
        self._rows = list(rows)
        self.setAccessibleDescription("; ".join(f"{row.name}: {row.text} {row.mark}".rstrip() for row in rows))
        self.renew()

    def sizeHint(self) -> QSize:
        """As high as its rows."""
        return self.sized(420, max(len(self._rows), 1) * self._row_height + 4)

    def draw(self, painter: QPainter) -> None:
        """All rows on one scale."""
        if not self._rows:
            return
        width = self.wide
        names = min(max(self.width_of(row.name, bold=row.chosen) for row in self._rows) + 4, width * 0.34)
        values = max(self.width_of(row.text, TEXT_SIZE, bold=row.chosen) for row in self._rows) + 4
        marks = max(self.width_of(row.mark, TICK_SIZE) for row in self._rows)
        marks += 8 if marks else 0
        bracket = 16.0 if any(row.tie is not None for row in self._rows) else 0.0
        left, right = names + 12, width - values - marks - bracket - 14
        below = bool(marks) and right - left < _LEAST_ROOM
        if below:  # The marks take no column of their own.
            values = max(values, marks)
            right = width - values - bracket - 14
        top = max((row.estimate.high for row in self._rows if row.estimate is not None), default=1.0)
        scale = max(right - left, 20.0) / (top or 1.0)
        for number, bar in enumerate(self._rows):
            self._draw_row(painter, bar, number, (left, scale, right, values), mark_below=below)
        if bracket:
            self._draw_brackets(painter, width - 8)

    def _draw_row(
        self, painter: QPainter, row: Bar, number: int, places: tuple[float, float, float, float], *, mark_below: bool
    ) -> None:
        left, scale, right, values = places
        height = self._row_height
        y = number * height
        beside = QRectF(right + 14, y, values, height)
        mark_at = QRectF(right + 22 + values, y, self.wide - right - 22 - values, height)
        if mark_below and row.mark:
            beside, mark_at = (QRectF(right + 14, y + half, values, height / 2) for half in (0.0, height / 2))
        middle = y + height / 2
        muted = row.estimate is None
        self.write(
            painter,
            QRectF(0, y, left - 12, height),
            row.name,
            bold=row.chosen,
            colour=self.theme.muted if muted else None,
            align=Qt.AlignmentFlag.AlignRight,
            lines=2,
        )
        if row.estimate is not None:
            solid = self.theme.accent if row.chosen else self.theme.bar
            measured = row.estimate.basis == "measured"
            colour = solid if measured or row.chosen else mixed(solid, self.theme.card, 0.25)
            bar = QRectF(left, middle - 8, max(row.estimate.value * scale, 2.0), 16)
            self.bar(painter, bar, colour, hatched=not row.trusted)
            self.whisker(painter, left + row.estimate.low * scale, left + row.estimate.high * scale, middle)
        self.write(
            painter,
            beside,
            row.text,
            size=TEXT_SIZE,
            bold=row.chosen,
            colour=self.theme.muted if muted else None,
            align=Qt.AlignmentFlag.AlignRight,
        )
        if row.mark:
            align = Qt.AlignmentFlag.AlignRight if mark_below else Qt.AlignmentFlag.AlignLeft
            self.write(painter, mark_at, row.mark, size=TICK_SIZE, colour=self.theme.accent, align=align)
        if row.tip:
            self.tell_at(QRectF(0, y, self.wide, height), row.tip)

    def _draw_brackets(self, painter: QPainter, x: float) -> None:
        for tie, rows in groupby(range(len(self._rows)), lambda number: self._rows[number].tie):
            numbers = list(rows)
            if tie is None or len(numbers) < 2:  # noqa: PLR2004 - a tie takes two
                continue
            top = numbers[0] * self._row_height + 7
            bottom = (numbers[-1] + 1) * self._row_height - 7
            for start, end in (((x, top), (x, bottom)), ((x - 5, top), (x, top)), ((x - 5, bottom), (x, bottom))):
                self.line(painter, QPointF(*start), QPointF(*end), self.theme.muted, 1.4)
            self.tell_at(QRectF(x - 8, top, 16, bottom - top), self._tie_text)
