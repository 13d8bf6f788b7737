"""Text as Qt shows it in a tooltip."""

from __future__ import annotations


def plain_tooltip(text: str) -> str:
    """Text for a tooltip: Qt shows what looks like markup as such, so it is escaped and marked as rich text."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    return f"<qt>{escaped}</qt>" if text else ""
