"""Buttons in the style sheet's roles, each with what a press does."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QCheckBox, QPushButton, QToolButton, QWidget

from advisor.gui.widgets.labels import WrappedLabel


def push(text: str, action: Callable[[], object], role: str = "") -> QPushButton:
    """A button that does `action`; `role`: small, link, primary and the like."""
    button = QPushButton(text)
    if role:
        button.setProperty("role", role)
    button.clicked.connect(lambda _on=False: action())
    return button


def pressed_by_key(widget: QWidget | None) -> bool:
    """Press a button, or open its menu; False for what is none. Qt has Return press buttons in dialogs alone."""
    if not isinstance(widget, QPushButton | QToolButton):
        return False
    if widget.menu() is not None:
        widget.showMenu()
    else:
        widget.click()
    return True


def one_of(text: str, action: Callable[[], object], *, chosen: bool) -> QPushButton:
    """One of several small buttons of which exactly one is pressed down."""
    button = push(text, action, "small")
    button.setCheckable(True)
    button.setAutoExclusive(True)
    button.setChecked(chosen)
    return button


class WordsOfBox(WrappedLabel):
    """What a check box stands for, in as many lines as its place needs: Qt's own words keep in one line."""

    def __init__(self, text: str) -> None:
        """The `box` is to stand before it; a press on the words is one on the box."""
        super().__init__()
        self.setText(text)
        self.box = QCheckBox()
        self.box.setAccessibleName(text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Press the box, where the button is let go on the words."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.box.click()
        super().mouseReleaseEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """It is this label's release that counts."""
        event.accept()
