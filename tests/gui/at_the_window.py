"""Events that enter at the window's own handle, as a pointer's and a keyboard's do: what lies in front takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_NOTCH = 120


def bring_into_view(widget: QWidget) -> None:
    """Scroll the page there, as a person would first."""
    from PySide6.QtWidgets import QScrollArea

    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
            QApplication.processEvents()
            return
        above = above.parentWidget()


def place_of(widget: QWidget, place: QPoint | None = None) -> QPoint:
    """Where a place of a widget (its middle, unless told) lies in its window."""
    return widget.mapTo(widget.window(), place or widget.rect().center())


def press(widget: QWidget, place: QPoint | None = None) -> None:
    """Press and release the left button there."""
    bring_into_view(widget)
    at = place_of(widget, place)
    QTest.mouseClick(widget.window().windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def turn_wheel(widget: QWidget, notches: int) -> None:
    """Turn the wheel over the widget: towards the hand, or away from it where `notches` is negative."""
    at, handle = QPointF(place_of(widget)), widget.window().windowHandle()
    for _ in range(abs(notches)):
        QTest.wheelEvent(handle, at, QPoint(0, -_NOTCH if notches > 0 else _NOTCH))


def strike(window: QWidget, keys: str) -> None:
    """Type letters and digits; whatever has the focus takes them."""
    for key in keys:
        QTest.keyClick(window.window().windowHandle(), ord(key.upper()))


def strike_key(window: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Strike one key."""
    QTest.keyClick(window.window().windowHandle(), key, modifier)
