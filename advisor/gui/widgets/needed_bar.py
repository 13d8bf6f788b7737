"""A scroll bar that is seen only where there is something to scroll, and keeps its room where there is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QScrollBar

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class NeededBar(QScrollBar):
    """Draws nothing while all fits."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar, if it is needed."""
        if self.maximum() > self.minimum():
            super().paintEvent(event)
