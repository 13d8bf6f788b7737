"""Fields that leave the wheel and the undo key to the page: neither may change a job unseen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QComboBox, QLineEdit, QTabBar

if TYPE_CHECKING:
    from PySide6.QtGui import QWheelEvent


class Choice(QComboBox):
    """A choice that the wheel scrolls past; it is changed by opening it or by the arrow keys."""

    def __init__(self) -> None:
        """Empty."""
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls."""
        event.ignore()


class Tabs(QTabBar):
    """Tabs that the wheel does not turn."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls."""
        event.ignore()


class Line(QLineEdit):
    """A line whose undo is the window's: text and job go back together."""

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the menu."""
        own = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if own and isinstance(event, QKeyEvent):
            keys = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
            if any(event.matches(key) for key in keys):
                event.ignore()
                return False
        return super().event(event)
