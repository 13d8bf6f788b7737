"""Layouts without margins of their own: what stands beside each other, and what below."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

Box = TypeVar("Box", bound=QBoxLayout)
Margins = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


def across(spacing: int, inside: QWidget | None = None, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """Beside each other, so many pixels apart; `inside`: the widget that it fills."""
    return _made(QHBoxLayout(), spacing, inside, margins)


def down(spacing: int, inside: QWidget | None = None, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """Below each other, so many pixels apart; `inside`: the widget that it fills."""
    return _made(QVBoxLayout(), spacing, inside, margins)


def _made(box: Box, spacing: int, inside: QWidget | None, margins: Margins) -> Box:
    box.setSpacing(spacing)
    box.setContentsMargins(*margins)
    if inside is not None:
        inside.setLayout(box)
    return box
