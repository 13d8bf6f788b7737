"""A row above a plot that names the phases shaded in it: no name lies over a curve."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

Shading = tuple[float, float, int]
"""A shaded phase: start and end in the plot's x, and which of the two shades."""
SHADES = (16, 30)
"""Neighbouring phases are told apart by their opacity, of 255."""
_MARGIN = 4


class PhaseBand(pg.GraphicsWidget):  # type: ignore[misc, unused-ignore]
    """As wide as the plot below it; without phases it takes no room."""

    def __init__(self, shade_colour: str, text_colour: str, font: QFont) -> None:
        """Colours as #RRGGBB."""
        super().__init__()
        self._shade, self._text, self._font = QColor(shade_colour), QColor(text_colour), font
        self._left = -1.0
        self._spans: list[Shading] = []
        self.names: list[str] = []
        """What each span is called; drawn where its span has room."""
        self.setMaximumHeight(0)

    def show_phases(self, spans: Sequence[Shading], names: Sequence[str], left: float) -> None:
        """Phases of a plot whose x goes from `left` to 0."""
        if not (spans or self._spans):
            return
        self._spans, self.names, self._left = list(spans), list(names), left
        self.setMaximumHeight(math.ceil(QFontMetricsF(self._font).height()) + 1 if spans else 0)
        self.setMinimumHeight(self.maximumHeight())
        self.update()

    def paint(self, painter: QPainter, _option: object, _widget: object = None) -> None:
        """The phases' shades go on up into the band, their names on them."""
        box = self.rect()
        scale = box.width() / -self._left
        painter.setFont(self._font)
        painter.setPen(self._text)
        metrics = QFontMetricsF(self._font)
        for (start, end, shade), name in zip(self._spans, self.names, strict=True):
            first = (max(start, self._left) - self._left) * scale
            place = QRectF(first, box.top(), (end - self._left) * scale - first, box.height())
            self._shade.setAlpha(SHADES[shade])
            painter.fillRect(place, self._shade)
            if name and metrics.horizontalAdvance(name) + 2 * _MARGIN <= place.width():
                inside = place.adjusted(_MARGIN, 0, -_MARGIN, 0)
                painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
