"""Banners and empty states: what is wrong or missing, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import across
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import ElidedLabel, label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Notice(Card):
    """A coloured card with sentences, each on its own line."""

    def __init__(self, sentences: Iterable[str], *, role: str = "warning", title: str = "") -> None:
        """`role`: hero (neutral), warning or danger; empty sentences are left out."""
        super().__init__(role=f"card-{role}")
        self.body.setContentsMargins(14, 9, 14, 9)
        self.body.setSpacing(3)
        if title:
            self.body.addWidget(label(title, "strong"))
        for text in filter(None, sentences):
            self.body.addWidget(label(text, wrap=True, selectable=True))
        self.hug()


class Strip(Card):
    """One amber line with what to do about it."""

    def __init__(self, text: str, button: str, action: Callable[[], None]) -> None:
        """`button` names the remedy."""
        super().__init__(role="card-warning")
        self.body.setContentsMargins(14, 5, 8, 5)
        line = across(12)
        line.addWidget(ElidedLabel(text), 1)
        line.addWidget(push(button, action, "small"))
        self.body.addLayout(line)
        give_tip(self, text)
        self.hug()


class EmptyState(QWidget):
    """A calm page for "nothing here yet": what it will show, and the button that gets it there."""

    def __init__(self, title: str, text: str, *buttons: tuple[str, Callable[[], None]]) -> None:
        """The first button is the primary one."""
        super().__init__()
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        card = Card()
        card.setMaximumWidth(560)
        card.body.setContentsMargins(32, 28, 32, 28)
        card.body.setSpacing(12)
        heading = label(title, "hero", wrap=True)
        heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        words = label(text, "unit", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        card.body.addWidget(heading)
        card.body.addWidget(words)
        line = QHBoxLayout()
        line.addStretch(1)
        for position, (name, action) in enumerate(buttons):
            line.addWidget(push(name, action, "" if position else "primary"))
        line.addStretch(1)
        card.body.addLayout(line)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(card, 10)
        middle.addStretch(1)
        outer.addLayout(middle)
        outer.addStretch(3)
