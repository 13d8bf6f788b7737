"""Text as Qt shows it in a tooltip."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


def plain_tooltip(text: str) -> str:
    """Text for a tooltip: Qt shows what looks like markup as such, so it is escaped and marked as rich text."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    return f"<qt>{escaped}</qt>" if text else ""


def give_tip(widget: QWidget, text: str) -> None:
    """A tooltip, and the same for a screen reader: of the tooltip alone Qt would have it read the marks."""
    widget.setToolTip(plain_tooltip(text))
    widget.setAccessibleDescription(text)
