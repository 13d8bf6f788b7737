"""What is told in sentences: banners, lists of which the first are read, and what stands where nothing is yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from advisor.gui.texts import Texts
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import REST, FlowLayout, across, clear, down
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import ElidedLabel, label

FIRST = 3
"""Sentences of a list that are read without asking for the others."""


class Notice(Card):
    """A coloured card with sentences, each on its own line."""

    def __init__(self, sentences: Iterable[str], *, role: str = "warning", title: str = "") -> None:
        """`role`: hero (neutral), warning or danger; empty sentences are left out."""
        super().__init__(role=f"card-{role}", spacing=3, margins=(14, 9, 14, 9))
        if title:
            self.put(label(title, "strong"))
        self.put(*(label(text, wrap=True, selectable=True) for text in filter(None, sentences)))
        self.hug()


class Trouble(QWidget):
    """The place of a red notice, there only while something is wrong."""

    def __init__(self, title: str) -> None:
        """`title` stands in bold above whatever is told."""
        super().__init__()
        self._title = title
        self._words: tuple[str, ...] = ()
        self._place = down(0, inside=self)
        self.hide()

    def tell(self, words: Iterable[str]) -> None:
        """Say this; the same again is not made anew, and no words leave nothing."""
        told = tuple(words)
        if told == self._words:
            return
        self._words = told
        clear(self._place)
        if told:
            self._place.addWidget(Notice(told, role="danger", title=self._title))
        self.setVisible(bool(told))


class Strip(Card):
    """One line, amber unless it is said otherwise, with what to do about it."""

    def __init__(
        self, text: str, button: str, action: Callable[[], None], *, whole: bool = False, role: str = "warning"
    ) -> None:
        """`button` names the remedy; `whole`: nothing foreign is in the text, so that it may take several lines.

        `role`: as of a notice.
        """
        super().__init__(role=f"card-{role}", margins=(14, 5, 8, 5))
        self.button = push(button, action, "small")
        self.put(across(12, (label(text, wrap=True, selectable=True) if whole else ElidedLabel(text), 1), self.button))
        give_tip(self, text)
        self.hug()


class EmptyState(QWidget):
    """A calm page for "nothing here yet": what it will show, and the button that gets it there."""

    def __init__(self, title: str, text: str, *buttons: tuple[str, Callable[[], None]]) -> None:
        """The first button is the primary one."""
        super().__init__()
        card = Card(spacing=12, margins=(32, 28, 32, 28))
        card.setMaximumWidth(560)
        heading = label(title, "hero", wrap=True)
        heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        words = label(text, "unit", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.buttons = [push(name, act, "" if place else "primary") for place, (name, act) in enumerate(buttons)]
        row = QWidget()
        flow = FlowLayout(row, 12, centred=True)
        for button in self.buttons:
            flow.addWidget(button)
        card.put(heading, words, row)
        down(6, (None, 2), across(6, REST, (card, 10), REST), (None, 3), inside=self, margins=(9, 9, 9, 9))


class SentencesCard(Card):
    """Sentences as a list; `more` shows those beyond the first three and hides them again."""

    def __init__(self, texts: Texts, title: str, sentences: Sequence[str], *, role: str = "card") -> None:
        """`role`: card or card-warning."""
        super().__init__(title, role=role)
        self._texts = texts
        self.put(*map(bulleted, sentences[:FIRST]))
        self._others: list[str] = list(sentences[FIRST:])
        self._rest: QWidget | None = None
        if self._others:
            self.more = push(texts("advice-more", count=len(self._others)), self._turn, "link")
            self.body.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addStretch(1)

    def _turn(self) -> None:
        if self._rest is None:
            self._rest = QWidget()
            down(self.body.spacing(), *map(bulleted, self._others), inside=self._rest)
            self._rest.hide()
            self.body.insertWidget(self.body.indexOf(self.more), self._rest)
        shown = self._rest.isHidden()
        self._rest.setVisible(shown)
        self.more.setText(self._texts("advice-fewer") if shown else self._texts("advice-more", count=len(self._others)))


def bulleted(text: str, role: str = "") -> QHBoxLayout:
    """A sentence of a list: its lines stand below each other, beside the mark."""
    line = across(8)
    line.addWidget(label("•", "muted"), 0, Qt.AlignmentFlag.AlignTop)
    line.addWidget(label(text, role, wrap=True, selectable=True), 1)
    return line
