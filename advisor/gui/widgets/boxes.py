"""Layouts without margins of their own: what stands beside each other, what below, and what flows as words do."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

Box = TypeVar("Box", bound=QBoxLayout)
Margins = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""
Part = QWidget | QLayout | tuple[QWidget | QLayout | None, int]
"""What stands in a box: as large as it wishes, or with its share of the room that is left; None is empty room."""
REST: Part = (None, 1)
"""The room that is left, empty."""


def across(spacing: int, *parts: Part, inside: QWidget | None = None, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """Beside each other, so many pixels apart; `inside`: the widget that it fills."""
    return _made(QHBoxLayout(), spacing, parts, inside, margins)


def down(spacing: int, *parts: Part, inside: QWidget | None = None, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """Below each other, so many pixels apart; `inside`: the widget that it fills."""
    return _made(QVBoxLayout(), spacing, parts, inside, margins)


def _made(box: Box, spacing: int, parts: tuple[Part, ...], inside: QWidget | None, margins: Margins) -> Box:
    box.setSpacing(spacing)
    box.setContentsMargins(*margins)
    if inside is not None:
        inside.setLayout(box)
    put(box, *parts)
    return box


def beside(spacing: int, *parts: Part, inside: QWidget | None = None) -> Beside:
    """Beside each other, or below each other where that is too narrow; `inside`: the widget that it fills."""
    return _made(Beside(), spacing, parts, inside, (0, 0, 0, 0))


def row(*widgets: QWidget, spacing: int = 14) -> QHBoxLayout:
    """Widgets side by side, equally wide."""
    return across(spacing, *((widget, 1) for widget in widgets))


class Beside(QBoxLayout):
    """Its parts stand below each other as soon as they would be wider than their place."""

    def __init__(self) -> None:
        """Nothing yet."""
        super().__init__(QBoxLayout.Direction.LeftToRight)

    def _widths(self) -> list[int]:
        items = [self.itemAt(place) for place in range(self.count())]
        return [item.minimumSize().width() for item in items if item is not None and not item.isEmpty()]

    def _turn(self, width: int) -> None:
        widths = self._widths()
        fits = sum(widths) + self.spacing() * max(len(widths) - 1, 0) <= width
        wished = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if wished != self.direction():
            self.setDirection(wished)

    def minimumSize(self) -> QSize:
        """As narrow as its widest part: it turns."""
        return QSize(max(self._widths(), default=0), super().minimumSize().height())

    def heightForWidth(self, width: int) -> int:
        """The height at that width, turned as it will be there."""
        self._turn(width)
        return super().heightForWidth(width)

    def setGeometry(self, place: QRect) -> None:
        """Turn where the place asks for it."""
        self._turn(place.width())
        super().setGeometry(place)


def put(box: QBoxLayout, *parts: Part) -> None:
    """Add parts at the end of a box, in their order."""
    for given in parts:
        part, share = given if isinstance(given, tuple) else (given, 0)
        if part is None:
            box.addStretch(share)
        elif isinstance(part, QWidget):
            box.addWidget(part, share)
        else:
            box.addLayout(part, share)


def widgets_of(part: QWidget | QLayout) -> list[QWidget]:
    """A widget itself, or those of a layout from the first to the last."""
    if isinstance(part, QWidget):
        return [part]
    inner = [part.itemAt(place) for place in range(part.count())]
    parts = [item.widget() or item.layout() for item in inner if item is not None]
    return [widget for part in parts if part is not None for widget in widgets_of(part)]


def delete_now(widget: QWidget) -> None:
    """At once, and not when the event loop comes round: what takes its place is made next."""
    widget.hide()
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(widget, QEvent.Type.DeferredDelete.value)


def clear(layout: QLayout) -> None:
    """Remove and delete everything in a layout."""
    while layout.count():
        item = layout.takeAt(0)
        if item is None:
            break
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            clear(inner)
            inner.deleteLater()


class FlowLayout(QLayout):
    """Items of their own width, from left to right and then from top to bottom."""

    def __init__(self, parent: QWidget, spacing: int = 4, *, centred: bool = False) -> None:
        """`spacing` lies between items and between lines, in pixels; `centred`: each line in the middle."""
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        self._gap, self._centred = spacing, centred
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
        """Height of all lines; items of one line stand at the middle of the highest of them."""
        y = room.y()
        for number, line in enumerate(self._lines(room.width())):
            height = max(item.sizeHint().height() for item in line)
            x, y = room.x(), y + (self._gap if number else 0)
            if self._centred:
                taken = sum(item.sizeHint().width() for item in line) + self._gap * (len(line) - 1)
                x += max(room.width() - taken, 0) // 2
            for item in line if move else ():
                size = item.sizeHint()
                item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                x += size.width() + self._gap
            y += height
        return y - room.y()

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        """Which items stand beside each other; at least one."""
        lines: list[list[QLayoutItem]] = []
        left = 0
        for item in self._items:
            needed = item.sizeHint().width()
            if not lines or needed > left:
                lines.append([])
                left = width
            lines[-1].append(item)
            left -= needed + self._gap
        return lines
