"""Buttons in the style sheet's roles, each with what a press does."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton, QToolButton, QWidget


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
