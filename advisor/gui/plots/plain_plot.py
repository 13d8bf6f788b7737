"""A plot of one view and two axes, painted in one go: a scene of items paints itself three times until it rests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QTransform
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from advisor.gui.theme import TICK_SIZE
from advisor.gui.tooltips import plain_tooltip

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPaintEvent

    from advisor.gui.plots.traces import Traces
    from advisor.gui.theme import Theme

Ticks = Sequence[tuple[float, str]]
_ABOVE, _RIGHT, _BELOW = 4.0, 18.0, 20.0
"""Room around the view, in pixels; at its left stands what the ticks need."""
_TICK_GAP = 5.0
_NAME_GAP = 6.0


class PlainPlot(QWidget):
    """Fixed ranges and ticks; tells the numbers under the mouse."""

    def __init__(  # noqa: PLR0913 - what it is called, what it draws, and who listens
        self,
        theme: Theme,
        name: str,
        traces: Traces,
        *,
        left_width: int,
        told_at: Callable[[QPoint], str] | None = None,
        hovered: Callable[[QPoint | None], None] | None = None,
    ) -> None:
        """`name` is what a screen reader says; `told_at` gives the text for a place, empty for nothing.

        `hovered` is told where the mouse is, and None when it leaves.
        """
        super().__init__()
        self._told_at = told_at
        self._hovered = hovered
        self._left = float(left_width)
        self._card, self._line, self._muted = QColor(theme.card), QColor(theme.line), QColor(theme.muted)
        self._x: tuple[float, float] = (0.0, 1.0)
        self._y: tuple[float, float] = (0.0, 1.0)
        self._x_ticks: Ticks = ()
        self._y_ticks: Ticks = ()
        self._traces = traces
        traces.changed = self._update_view
        # What it paints covers all of it: the card below need not be painted first.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(hovered is not None)
        font = self.font()
        font.setPixelSize(TICK_SIZE)
        self._ticks_font = font

    def view(self) -> QRectF:
        """Where the curves are drawn, in pixels."""
        width, height = self.width() - self._left - _RIGHT, self.height() - _ABOVE - _BELOW
        return QRectF(self._left, _ABOVE, max(width, 1.0), max(height, 1.0))

    def fix(self, x: tuple[float, float], y: tuple[float, float], x_ticks: Ticks, y_ticks: Ticks) -> None:
        """Other ranges and ticks of both axes."""
        self._x, self._y, self._x_ticks, self._y_ticks = x, y, x_ticks, y_ticks
        self.update()

    def ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The shown ranges of x and y."""
        return self._x, self._y

    def unit_pixels(self) -> QSizeF:
        """How many pixels one unit of x and of y takes."""
        view = self.view()
        return QSizeF(view.width() / (self._x[1] - self._x[0]), view.height() / (self._y[1] - self._y[0]))

    def data_at(self, place: QPoint) -> QPointF:
        """The x and y that lie at a place of the widget."""
        view, unit = self.view(), self.unit_pixels()
        x = self._x[0] + (place.x() - view.left()) / unit.width()
        return QPointF(x, self._y[0] + (view.bottom() - place.y()) / unit.height())

    def x_at(self, place: QPoint) -> float:
        """The x that lies at a place of the widget."""
        return self.data_at(place).x()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Axes where they are asked for, and all curves in the coordinates of the data."""
        painter, view = QPainter(self), self.view()
        painter.fillRect(event.rect(), self._card)
        if not view.toRect().contains(event.rect()):
            self._paint_axes(painter, view)
        painter.setClipRect(view)
        unit = self.unit_pixels()
        painter.setTransform(
            QTransform(
                unit.width(),
                0.0,
                0.0,
                -unit.height(),
                view.left() - self._x[0] * unit.width(),
                view.bottom() + self._y[0] * unit.height(),
            )
        )
        self._traces.paint(painter)
        painter.end()

    def _paint_axes(self, painter: QPainter, view: QRectF) -> None:
        unit, metrics = self.unit_pixels(), QFontMetricsF(self._ticks_font)
        painter.setPen(self._line)
        painter.drawLine(QPointF(view.left() - 1, view.top()), QPointF(view.left() - 1, view.bottom()))
        painter.drawLine(view.bottomLeft(), view.bottomRight())
        painter.setPen(self._muted)
        painter.setFont(self._ticks_font)
        middle = (metrics.ascent() - metrics.descent()) / 2
        for value, text in self._y_ticks:
            y = view.bottom() - (value - self._y[0]) * unit.height()
            if view.top() - 1 <= y <= view.bottom() + 1:
                across = metrics.horizontalAdvance(text)
                painter.drawText(QPointF(view.left() - _TICK_GAP - across, y + middle), text)
        free_from = -_NAME_GAP
        for value, text in sorted(self._x_ticks):
            x, half = view.left() + (value - self._x[0]) * unit.width(), metrics.horizontalAdvance(text) / 2
            if x - half < free_from + _NAME_GAP or x + half > self.width():
                continue
            free_from = x + half
            painter.drawText(QPointF(x - half, view.bottom() + _TICK_GAP + metrics.ascent() - 1), text)

    def _update_view(self) -> None:
        self.update(self.view().toAlignedRect())

    def event(self, event: QEvent) -> bool:
        """Answer the tooltip, and tell where the mouse is."""
        if self._told_at is not None and isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self._told_at(event.pos())
            if text:
                QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            else:
                QToolTip.hideText()
            return True
        if self._hovered is not None and event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._hovered(event.position().toPoint())
        elif self._hovered is not None and event.type() == QEvent.Type.Leave:
            self._hovered(None)
        return super().event(event)
