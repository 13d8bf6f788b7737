"""A layout that goes on in the next line where a line is full, as words do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Items of their own width, from left to right and then from top to bottom."""

    def __init__(self, parent: QWidget, spacing: int = 4) -> None:
        """`spacing` lies between items and between lines, in pixels."""
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        self._gap = spacing
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)

    def count(self) -> int:
        """Number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override, unused-ignore]
        """The item at a place; None beyond the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override, unused-ignore]
        """Remove and return the item at a place."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Takes no more than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """A narrower place takes more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Height of all lines at a width."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, place: QRect) -> None:
        """Move the items to their places."""
        super().setGeometry(place)
        self._place(place, move=True)

    def sizeHint(self) -> QSize:
        """The smallest size: the rest follows from the width."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Room for the widest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, room: QRect, *, move: bool) -> int:
        x, y, line_height = room.x(), room.y(), 0
        for item in self._items:
            size = item.sizeHint()
            if x > room.x() and x + size.width() > room.right() + 1:
                x, y, line_height = room.x(), y + line_height + self._gap, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + self._gap
            line_height = max(line_height, size.height())
        return y + line_height - room.y()
