"""A quiet card with a heading, and the key figure with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from advisor.gui.theme import TEXT_SIZE
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import REST, Margins, Part, across, down, put, row
from advisor.gui.widgets.labels import ElidedLabel, label, tell

_LEAST_WIDTH = 330
"""What one of several cards needs in a line of all, in pixels."""


class Card(QFrame):
    """A frame with an optional heading line; add the content to `body`."""

    _hugs = False

    def __init__(  # noqa: PLR0913 - what stands in its heading line, and how it looks
        self,
        title: str = "",
        unit: str = "",
        *,
        note: str = "",
        role: str = "card",
        spacing: int = 8,
        margins: Margins = (16, 13, 16, 14),
    ) -> None:
        """`unit` stands muted beside the title, `note` at the right end of its line; `spacing` between its parts."""
        super().__init__()
        self.setProperty("role", role)
        self.body = down(spacing, inside=self, margins=margins)
        self.header = across(10)
        self.title: QLabel | None = None
        if title:
            self.title = label(title, "heading")
            beside = [label(unit, "muted")] if unit else []
            at_the_end = [label(note, "muted")] if note else []
            put(self.header, self.title, *beside, REST, *at_the_end)
            self.body.addLayout(self.header)
            self.setAccessibleName(title)

    def put(self, *parts: Part) -> None:
        """Add parts below each other, in their order."""
        put(self.body, *parts)

    def add_to_header(self, *widgets: QWidget) -> None:
        """Put legends or switches at the right end of the heading line."""
        put(self.header, *widgets)

    def hug(self) -> None:
        """Take no more height than the content needs: a card that holds a table would stretch."""
        self._hugs = True
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def sizeHint(self) -> QSize:
        """Where it hugs its content, the height at the width that it has: Qt's is that at a width of its own."""
        hint = super().sizeHint()
        if self._hugs and self.hasHeightForWidth() and self.testAttribute(Qt.WidgetAttribute.WA_WState_Created):
            hint.setHeight(self.heightForWidth(self.width()))
        return hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """At another width the content may need another height."""
        super().resizeEvent(event)
        if self._hugs and event.size().width() != event.oldSize().width():
            self.updateGeometry()


class KeyFigure(Card):
    """A label, a large number with its unit, and the interval under it."""

    def __init__(self, title: str, figure: str = "–", below: str = "", *, chip: str = "", tip: str = "") -> None:
        """`figure` is a number with its unit, split at the last space; `chip` names the basis."""
        super().__init__(spacing=1, margins=(16, 11, 16, 11))
        self._title = ElidedLabel(title, "muted", lines=2)
        self._chip = label(chip, "chip")
        self._chip.setVisible(bool(chip))
        line = across(7)
        self._figure, self._unit = label("", "figure"), label("", "unit")
        line.addWidget(self._figure, 0, Qt.AlignmentFlag.AlignBaseline)
        line.addWidget(self._unit, 0, Qt.AlignmentFlag.AlignBaseline)
        line.addStretch(1)
        self._below = ElidedLabel("", "muted", lines=2)
        self.put(across(6, (self._title, 1), self._chip), line, self._below, REST)
        self._name = title
        self._shown: tuple[str, str, str, str] | None = None
        self.show_figure(figure, below, chip=chip, tip=tip)

    def show_figure(self, figure: str, below: str = "", *, chip: str = "", tip: str = "") -> None:
        """Show another number; the same one again costs no layout of the page."""
        if (figure, below, chip, tip) == self._shown:
            return
        self._shown = (figure, below, chip, tip)
        number, space, unit = figure.replace("\u00a0", "\u2007").rpartition(" ")
        if not space or not any(character.isdigit() for character in number):
            number, unit = figure, ""
        number = number.replace("\u2007", "\u00a0")
        self._figure.setText(number)
        self._unit.setText(unit)
        self._below.set_full_text(below)
        tell(self._chip, chip)
        give_tip(self, tip)
        self.setAccessibleName(f"{self._name}: {figure} {below}".strip())


class FigureRow(QWidget):
    """Key figures side by side, in two balanced lines where the window is narrow."""

    def __init__(self, figures: Sequence[KeyFigure], *, least_width: int = 188, spacing: int = 14) -> None:
        """`least_width`: what a figure needs for its title, basis and range, in pixels."""
        super().__init__()
        self._figures = list(figures)
        self._least_width = least_width
        self._columns = 0
        self._lines = down(spacing, inside=self)
        self._arrange(max(len(self._figures), 1))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take one line or two."""
        super().resizeEvent(event)
        count = max(len(self._figures), 1)
        spacing = self._lines.spacing()
        room = max(1, (event.size().width() + spacing) // (self._least() + spacing))
        lines = -(-count // room)
        self._arrange(-(-count // lines))

    def minimumSizeHint(self) -> QSize:
        """Narrower than the figures in one line: they wrap."""
        return QSize(self._least(), super().minimumSizeHint().height())

    def _least(self) -> int:
        """More where the letters are larger than usual."""
        return self._least_width * max(self.font().pixelSize(), TEXT_SIZE) // TEXT_SIZE

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        while self._lines.count():
            old = self._lines.takeAt(0)
            inner = old.layout() if old is not None else None
            if inner is not None:
                while inner.count():
                    inner.takeAt(0)
                inner.deleteLater()
        for place in range(0, len(self._figures), columns):
            self._lines.addLayout(row(*self._figures[place : place + columns], spacing=self._lines.spacing()))
        self.updateGeometry()


class Columns(QWidget):
    """Cards side by side where the window is wide; else the first one above the others."""

    def __init__(self, cards: Sequence[QWidget], *, spacing: int) -> None:
        """`spacing`: pixels between them."""
        super().__init__()
        self._cards = list(cards)
        self._places = QGridLayout(self)
        self._places.setContentsMargins(0, 0, 0, 0)
        self._places.setSpacing(spacing)
        self._wide: bool | None = None
        self._arrange(wide=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take one line or two."""
        super().resizeEvent(event)
        self._arrange(wide=event.size().width() >= _LEAST_WIDTH * len(self._cards))

    def minimumSizeHint(self) -> QSize:
        """Narrower than all in one line: they wrap."""
        return QSize(0, super().minimumSizeHint().height())

    def _arrange(self, *, wide: bool) -> None:
        if wide == self._wide:
            return
        self._wide = wide
        beside = max(len(self._cards) - 1, 1)
        for place, card in enumerate(self._cards):
            if wide:
                self._places.addWidget(card, 0, place)
            elif place == 0:
                self._places.addWidget(card, 0, 0, 1, beside)
            else:
                self._places.addWidget(card, 1, place - 1)
        for column in range(len(self._cards)):
            self._places.setColumnStretch(column, 1 if wide or column < beside else 0)
        self.updateGeometry()
