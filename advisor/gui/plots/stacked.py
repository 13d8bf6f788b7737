"""Stacked horizontal bars: memory by use with the capacity as a mark, and the time split of a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter

from advisor.gui.plots.chart import Chart
from advisor.gui.theme import TEXT_SIZE, Theme

_OVERFLOW = 1.25
"""What goes beyond this many capacities is cut off: its number tells the rest."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a bar: its name, size, the size as text, and the colour that it has everywhere."""

    name: str
    size: float
    text: str
    colour: str


@dataclass(frozen=True, kw_only=True)
class Stack:
    """One bar; `limit` draws a mark (capacity)."""

    name: str
    pieces: tuple[Piece, ...]
    text: str
    limit: float | None = None
    limit_text: str = ""
    warn: bool = False
    chosen: bool = False


class StackChart(Chart):
    """Bars of the same kinds of pieces, with one legend under them."""

    def __init__(self, theme: Theme, name: str, *, row_height: int = 32, bar_height: int = 16) -> None:
        """One legend serves all bars."""
        super().__init__(theme, name)
        self._row_height, self._bar_height = row_height, bar_height
        self._stacks: list[Stack] = []
        self._legend: list[tuple[str, str]] = []

    def show_stacks(self, stacks: Sequence[Stack]) -> None:
        """Show other bars; the legend names each kind of piece once."""
        self._stacks = list(stacks)
        pieces = [piece for stack in stacks for piece in stack.pieces if piece.size > 0]
        self._legend = list({piece.name: piece.colour for piece in pieces}.items())
        words = [
            f"{stack.name}: {stack.text} ({', '.join(f'{piece.name} {piece.text}' for piece in stack.pieces)})"
            for stack in stacks
        ]
        self.setAccessibleDescription("; ".join(words))
        self.renew()

    def _legend_lines(self) -> int:
        room, x, lines = max(self.wide, 240), 0.0, 1
        for name, _colour in self._legend:
            needed = self.width_of(name) + 30
            if x + needed > room and x > 0:
                lines, x = lines + 1, 0.0
            x += needed
        return lines

    def sizeHint(self) -> QSize:
        """As high as its bars and the legend."""
        return self.sized(420, len(self._stacks) * self._row_height + 8 + 20 * self._legend_lines())

    def resizeEvent(self, event: object) -> None:
        """The legend may need another line."""
        del event
        if self.height() != self.sizeHint().height():
            self.setFixedHeight(self.sizeHint().height())

    def draw(self, painter: QPainter) -> None:
        """Bars on one scale, then the legend."""
        if not self._stacks:
            return
        names = max(self.width_of(stack.name, bold=stack.chosen) for stack in self._stacks)
        names = min(names + 4, self.wide * 0.3) if names else 0.0
        values = max(self.width_of(stack.text, TEXT_SIZE, bold=stack.chosen) for stack in self._stacks) + 6
        left, right = (names + 12 if names else 0.0), self.wide - values - 12
        sizes = [max(sum(piece.size for piece in stack.pieces), stack.limit or 0.0) for stack in self._stacks]
        limits = [stack.limit for stack in self._stacks if stack.limit]
        top = min(max(sizes), _OVERFLOW * max(limits)) if limits else max(sizes)
        scale = max(right - left, 20.0) / (top or 1.0)
        for number, each in enumerate(self._stacks):
            self._draw_stack(painter, each, number, left, scale, right)
        self._draw_legend(painter, len(self._stacks) * self._row_height + 8)

    def _draw_stack(  # noqa: PLR0913 - where a bar goes
        self, painter: QPainter, stack: Stack, number: int, left: float, scale: float, right: float
    ) -> None:
        y, height = number * self._row_height, self._row_height
        top = y + (height - self._bar_height) / 2
        if left > 0:
            place = QRectF(0, y, left - 12, height)
            self.write(painter, place, stack.name, bold=stack.chosen, align=Qt.AlignmentFlag.AlignRight, lines=2)
        x = left
        for piece in stack.pieces:
            if piece.size <= 0 or x >= right:
                continue
            place = QRectF(x, top, min(max(piece.size * scale - 1, 0.8), right - x), self._bar_height)
            self.bar(painter, place, piece.colour, radius=1.5)
            self.tell_at(place, f"{piece.name}: {piece.text}")
            x += piece.size * scale
        if stack.limit:
            mark = left + stack.limit * scale
            colour = self.theme.danger if stack.warn else self.theme.text
            self.line(painter, QPointF(mark, top - 5), QPointF(mark, top + self._bar_height + 5), colour, 2)
            self.tell_at(QRectF(mark - 4, top - 5, 8, self._bar_height + 10), stack.limit_text)
        self.write(
            painter,
            QRectF(right + 12, y, self.wide - right - 12, height),
            stack.text,
            size=TEXT_SIZE,
            bold=stack.chosen,
            colour=self.theme.danger if stack.warn else None,
        )

    def _draw_legend(self, painter: QPainter, top: float) -> None:
        x, y = 0.0, top
        for name, colour in self._legend:
            needed = self.width_of(name) + 30
            if x + needed > self.wide and x > 0:
                x, y = 0.0, y + 20
            self.bar(painter, QRectF(x, y + 5, 10, 10), colour)
            self.write(painter, QRectF(x + 15, y, needed - 12, 20), name, colour=self.theme.muted)
            x += needed
