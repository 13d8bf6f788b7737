"""A progress bar drawn as a ring, its per cent inside; a screen reader sees an ordinary progress bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QProgressBar, QSizePolicy

from advisor.gui.theme import TICK_SIZE

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from advisor.gui.theme import Theme

_SIDE = 40
_WIDTH = 4.0
_WHOLE = 100
_TOP = 90 * 16
"""Qt counts angles in sixteenths of a degree, from three o'clock."""
_TURN = 360 * 16


class Ring(QProgressBar):
    """Per cent in the middle; `mark` in its place where a job has ended."""

    def __init__(self, theme: Theme) -> None:
        """Nothing done yet."""
        super().__init__()
        self._theme = theme
        self._colour, self._mark = theme.accent, ""
        self.setRange(0, _WHOLE)
        self.setValue(0)
        self.setTextVisible(False)
        self.setProperty("role", "ring")
        # The style sheet, which holds for bars as such, says the same height.
        self.setFixedSize(theme.sized(_SIDE), theme.sized(_SIDE))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_percent(self, percent: int) -> None:
        """How much is done."""
        self._colour, self._mark = self._theme.accent, ""
        self.setValue(percent)
        self.update()

    def show_end(self, colour: str, mark: str) -> None:
        """A full ring in a colour with a sign in it."""
        self._colour, self._mark = colour, mark
        self.setValue(_WHOLE)
        self.update()

    def sizeHint(self) -> QSize:
        """Always the same, but for the size of letters."""
        return QSize(self._theme.sized(_SIDE), self._theme.sized(_SIDE))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ring."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = _WIDTH / 2 + 0.5
        place = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.setPen(QPen(QColor(self._theme.line), _WIDTH))
        painter.drawEllipse(place)
        pen = QPen(QColor(self._colour), _WIDTH)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        if self.value():
            painter.drawArc(place, _TOP, -_TURN * self.value() // _WHOLE)
        font = self.font()
        font.setPixelSize(self._theme.sized(TICK_SIZE if not self._mark else TICK_SIZE + 5))
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.text if not self._mark else self._colour))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._mark or f"{self.value()}%")
        painter.end()
