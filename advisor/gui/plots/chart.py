"""What all painted charts share: text, colours, and a tooltip wherever a number is drawn."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QPaintDevice,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from advisor.core.units import format_seconds
from advisor.gui.theme import SMALL_SIZE, TICK_SIZE, Theme
from advisor.gui.tooltips import answer_tooltip
from advisor.gui.widgets.labels import in_two_lines
from advisor.present.look import Shape

_LINE = 13.0
_WHISKER = 5.0
"""Half of the line at an end of a range."""
_TICKS = 4
"""About so many on an axis."""
"""Height of one of two lines, in pixels."""

_CORNERS: dict[Shape, tuple[tuple[float, float], ...]] = {
    "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "triangle": ((0, -1.2), (1.25, 0.95), (-1.25, 0.95)),
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
}
"""In radii from the middle."""


class Chart(QWidget):
    """A chart painted by `draw`; places that tell numbers are named by `tell_at`.

    All is measured in pixels of usual letters: with larger ones the whole chart is larger.

    What was painted is kept: a page is painted many times for each time that a chart of it says something else.
    """

    kept = True
    """Whether the picture is kept; not where it is another each time."""

    def __init__(self, theme: Theme, name: str) -> None:
        """`name` is what a screen reader says."""
        super().__init__()
        self.theme = theme
        self.zoom = theme.zoom
        self._told: list[tuple[QRectF, str]] = []
        self._kept: tuple[object, QPixmap] | None = None
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)

    @property
    def wide(self) -> float:
        """Width to draw on."""
        return self.width() / self.zoom

    @property
    def high(self) -> float:
        """Height to draw on."""
        return self.height() / self.zoom

    def sized(self, width: float, height: float) -> QSize:
        """What a drawing of this size takes of the screen."""
        return QSize(self.theme.sized(width), self.theme.sized(height))

    def draw(self, painter: QPainter) -> None:
        """Paint the chart; subclasses do."""
        raise NotImplementedError

    def renew(self) -> None:
        """Paint anew, as high as is wished for: something else is to be told."""
        self._kept = None
        if self.sizePolicy().verticalPolicy() == QSizePolicy.Policy.Fixed:
            self.setFixedHeight(self.sizeHint().height())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, or show what was painted for this size and font."""
        del event
        if not self.kept:
            self._paint(self)
            return
        scale = self.devicePixelRatioF()
        shown_as = (self.size(), scale, self.font(), self.hasFocus())
        if self._kept is None or self._kept[0] != shown_as:
            picture = QPixmap(self.size() * scale)
            picture.setDevicePixelRatio(scale)
            picture.fill(Qt.GlobalColor.transparent)
            self._paint(picture)
            self._kept = shown_as, picture
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._kept[1])
        painter.end()

    def _paint(self, device: QPaintDevice) -> None:
        """Paint, and remember where numbers stand."""
        self._told = []
        painter = QPainter(device)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.scale(self.zoom, self.zoom)
        self.draw(painter)
        painter.end()

    def tell_at(self, place: QRectF, text: str) -> None:
        """Show `text` when the mouse rests on `place`; later places lie above earlier ones."""
        self._told.append((place, text))

    def text_at(self, position: QPointF) -> str:
        """What is told at a position; empty for nothing."""
        drawn = position / self.zoom
        return next((text for place, text in reversed(self._told) if place.contains(drawn)), "")

    def event(self, event: QEvent) -> bool:
        """Answer the tooltip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            answer_tooltip(event, self.text_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def font_of(self, size: int = SMALL_SIZE, *, bold: bool = False) -> QFont:
        """The window's font at a size in pixels."""
        font = QFont(self.font())
        font.setPixelSize(size)
        font.setBold(bold)
        return font

    def write(  # noqa: PLR0913 - a line of text has this many properties
        self,
        painter: QPainter,
        place: QRectF,
        text: str,
        *,
        colour: str | None = None,
        size: int = SMALL_SIZE,
        bold: bool = False,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        lines: int = 1,
    ) -> float:
        """A line of text, cut with an ellipsis where the place is short; returns its width in pixels.

        `lines` 2: a text that is too long for one line goes on in a second one, a size smaller.
        """
        font = self.font_of(size, bold=bold)
        measure = QFontMetricsF(font)
        if lines > 1 and measure.horizontalAdvance(text) > place.width():
            first, second = in_two_lines(text, place.width(), lambda part: self.width_of(part, TICK_SIZE, bold=bold))
            if not second:
                return self.write(painter, place, text, colour=colour, size=TICK_SIZE, bold=bold, align=align)
            half = QRectF(place.left(), place.center().y() - _LINE, place.width(), _LINE)
            widths = [
                self.write(painter, where, part, colour=colour, size=TICK_SIZE, bold=bold, align=align)
                for where, part in ((half, first), (half.translated(0, _LINE), second))
            ]
            self.tell_at(place, text)
            return max(widths)
        shown = measure.elidedText(text, Qt.TextElideMode.ElideRight, max(place.width(), 8.0))
        painter.setFont(font)
        painter.setPen(QColor(colour or self.theme.text))
        painter.drawText(place, int(align | Qt.AlignmentFlag.AlignVCenter), shown)
        if shown != text:
            self.tell_at(place, text)
        return measure.horizontalAdvance(shown)

    def width_of(self, text: str, size: int = SMALL_SIZE, *, bold: bool = False) -> float:
        """Width of a line of text in pixels."""
        return QFontMetricsF(self.font_of(size, bold=bold)).horizontalAdvance(text)

    def line(self, painter: QPainter, start: QPointF, end: QPointF, colour: str, width: float = 1.0) -> None:
        """A straight line."""
        pen = QPen(QColor(colour), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLine(start, end)

    def bar(self, painter: QPainter, place: QRectF, colour: str, *, hatched: bool = False, radius: float = 2.5) -> None:
        """A filled bar; `hatched` says that the figure is not to be trusted."""
        painter.setPen(Qt.PenStyle.NoPen)
        pattern = Qt.BrushStyle.BDiagPattern if hatched else Qt.BrushStyle.SolidPattern
        painter.setBrush(QBrush(QColor(colour), pattern))
        painter.drawRoundedRect(place, radius, radius)

    def whisker(self, painter: QPainter, low_x: float, high_x: float, y: float) -> None:
        """The range of a bar: a line with two ends."""
        colour = self.theme.text
        if high_x - low_x < 1:
            return
        self.line(painter, QPointF(low_x, y), QPointF(high_x, y), colour, 1.2)
        for x in (low_x, high_x):
            self.line(painter, QPointF(x, y - _WHISKER), QPointF(x, y + _WHISKER), colour, 1.2)

    def tick(self, painter: QPainter, place: QRectF, text: str, align: Qt.AlignmentFlag) -> None:
        """A tick's text."""
        self.write(painter, place, text, colour=self.theme.muted, size=TICK_SIZE, align=align)


def round_ticks(top: float) -> list[float]:
    """Round numbers from 0 to at least `top`."""
    if not math.isfinite(top) or top <= 0:
        return [0.0, 1.0]
    rough = top / _TICKS
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * (1 - 1e-9))
    return [step * index for index in range(math.ceil(top / step - 1e-9) + 1)]


def seconds_tick(seconds: float) -> str:
    """A round time on a logarithmic axis: whole seconds from one on, where minutes would make odd numbers of it."""
    return f"{seconds:,.0f} s" if seconds >= 1 else format_seconds(seconds).replace(".00", "").replace(".0", "")


def draw_mark(painter: QPainter, shape: Shape, at: QPointF, radius: float) -> None:
    """A device's mark with the painter's pen and brush: all shapes are about as large as a circle of `radius`."""
    if shape == "circle":
        painter.drawEllipse(at, radius, radius)
        return
    painter.drawPolygon(QPolygonF([at + QPointF(x, y) * radius for x, y in _CORNERS[shape]]))
