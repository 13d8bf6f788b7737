"""Fields that leave the wheel and the undo key to the page: neither may change a job unseen."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QTabBar

_CURSOR_ROOM = 6
"""Pixels that Qt keeps at the ends of a line."""


class Choice(QComboBox):
    """A choice that the wheel scrolls past; it is changed by opening it or by the arrow keys."""

    def __init__(self) -> None:
        """Empty."""
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def offer(self, choices: Iterable[tuple[str, object]], chosen: object) -> None:
        """Add words with what they stand for, and choose one."""
        for words, value in choices:
            self.addItem(words, value)
        self.choose(chosen)

    def choose(self, value: object) -> None:
        """Choose what stands for a value; the first where none does."""
        self.setCurrentIndex(max(self.findData(value), 0))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls."""
        event.ignore()


class Tabs(QTabBar):
    """Tabs that the wheel does not turn, in a bar that asks for room for their whole names."""

    def minimumSizeHint(self) -> QSize:
        """Cards that stand beside each other go below each other before a name is cut."""
        least = super().minimumSizeHint()
        names = sum(self.tabSizeHint(place).width() for place in range(self.count()))
        return least.expandedTo(QSize(names, 0))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls."""
        event.ignore()


class Line(QLineEdit):
    """A line whose undo is the window's: text and job go back together; files that fall on it are the window's too."""

    def __init__(self, text: str = "", *, least_digits: int = 0) -> None:
        """`least_digits`: for so many the line keeps room, and for the words that stand in an empty one."""
        super().__init__(text)
        self.setAcceptDrops(False)
        self._least_digits = least_digits

    def minimumSizeHint(self) -> QSize:
        """Wide enough for its digits and for what stands in it while it is empty."""
        least, metrics = super().minimumSizeHint(), self.fontMetrics()
        if not self._least_digits:
            return least
        words = max(metrics.horizontalAdvance(text) for text in ("0" * self._least_digits, self.placeholderText()))
        return QSize(least.width() - metrics.maxWidth() + words + _CURSOR_ROOM, least.height())

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the menu."""
        own = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if own and isinstance(event, QKeyEvent):
            keys = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
            if any(event.matches(key) for key in keys):
                event.ignore()
                return False
        return super().event(event)
