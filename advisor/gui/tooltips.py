"""Text as Qt shows it in a tooltip."""

from __future__ import annotations

import html

from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget


def plain_tooltip(text: str) -> str:
    """Text for a tooltip: Qt shows what looks like markup as such, so it is escaped and marked as rich text."""
    escaped = html.escape(text, quote=False).replace("\n", "<br>")
    return f"<qt>{escaped}</qt>" if text else ""


def give_tip(widget: QWidget, text: str) -> None:
    """A tooltip, and the same for a screen reader: of the tooltip alone Qt would have it read the marks."""
    widget.setToolTip(plain_tooltip(text))
    widget.setAccessibleDescription(text)


def answer_tooltip(event: QHelpEvent, text: str, widget: QWidget) -> None:
    """Show a text where the mouse rests; an empty one takes away what was shown before."""
    if text:
        QToolTip.showText(event.globalPos(), plain_tooltip(text), widget)
    else:
        QToolTip.hideText()
