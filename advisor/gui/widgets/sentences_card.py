"""A card of sentences: the first three are read, the others come when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from advisor.gui.widgets.boxes import across
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.gui.texts import Texts

FIRST = 3


class SentencesCard(Card):
    """Sentences as a list; `more` shows those beyond the first three and hides them again."""

    def __init__(self, texts: Texts, title: str, sentences: Sequence[str], *, role: str = "card") -> None:
        """`role`: card or card-warning."""
        super().__init__(title, role=role)
        self._texts = texts
        for text in sentences[:FIRST]:
            self.body.addLayout(bulleted(text))
        self._others: list[str] = list(sentences[FIRST:])
        self._rest: QWidget | None = None
        if self._others:
            self.more = push(texts("advice-more", count=len(self._others)), self._turn, "link")
            self.body.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addStretch(1)

    def _turn(self) -> None:
        if self._rest is None:
            self._rest = QWidget()
            lines = QVBoxLayout(self._rest)
            lines.setContentsMargins(0, 0, 0, 0)
            lines.setSpacing(self.body.spacing())
            for text in self._others:
                lines.addLayout(bulleted(text))
            self.body.insertWidget(self.body.indexOf(self.more), self._rest)
        else:
            self.body.removeWidget(self._rest)
            self._rest.hide()
            self._rest.deleteLater()
            self._rest = None
        shown = self._rest is not None
        self.more.setText(self._texts("advice-fewer") if shown else self._texts("advice-more", count=len(self._others)))


def bulleted(text: str, role: str = "") -> QHBoxLayout:
    """A sentence of a list: its lines stand below each other, beside the mark."""
    line = across(8)
    line.addWidget(label("•", "muted"), 0, Qt.AlignmentFlag.AlignTop)
    line.addWidget(label(text, role, wrap=True, selectable=True), 1)
    return line
