"""A quiet card with a heading, and the key figure with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from advisor.gui.theme import TEXT_SIZE
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import Margins, across, down
from advisor.gui.widgets.labels import ElidedLabel, label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent


class Card(QFrame):
    """A frame with an optional heading line; add the content to `body`."""

    _hugs = False

    def __init__(self, title: str = "", unit: str = "", *, note: str = "", role: str = "card") -> None:
        """`unit` stands muted beside the title, `note` at the right end of its line."""
        super().__init__()
        self.setProperty("role", role)
        self.body = down(8, self, (16, 13, 16, 14))
        self.header = across(10)
        self.title: QLabel | None = None
        if title:
            self.title = label(title, "heading")
            self.header.addWidget(self.title)
            if unit:
                self.header.addWidget(label(unit, "muted"))
            self.header.addStretch(1)
            if note:
                self.header.addWidget(label(note, "muted"))
            self.body.addLayout(self.header)
            self.setAccessibleName(title)

    def add_to_header(self, widget: QWidget) -> None:
        """Put a legend or a switch at the right end of the heading line."""
        self.header.addWidget(widget)

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
        super().__init__()
        self.body.setSpacing(1)
        self.body.setContentsMargins(16, 11, 16, 11)
        head = across(6)
        self._title = ElidedLabel(title, "muted", lines=2)
        head.addWidget(self._title, 1)
        self._chip = label(chip, "chip")
        self._chip.setVisible(bool(chip))
        head.addWidget(self._chip)
        line = across(7)
        self._figure, self._unit = label("", "figure"), label("", "unit")
        line.addWidget(self._figure, 0, Qt.AlignmentFlag.AlignBaseline)
        line.addWidget(self._unit, 0, Qt.AlignmentFlag.AlignBaseline)
        line.addStretch(1)
        self._below = ElidedLabel("", "muted", lines=2)
        self.body.addLayout(head)
        self.body.addLayout(line)
        self.body.addWidget(self._below)
        self.body.addStretch(1)
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
        self._chip.setText(chip)
        self._chip.setVisible(bool(chip))
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
        self._lines = down(spacing, self)
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

    def __init__(self, cards: Sequence[QWidget], *, least_width: int = 330, spacing: int = 14) -> None:
        """`least_width`: what one card needs in a line of all, in pixels."""
        super().__init__()
        self._cards, self._least = list(cards), least_width
        self._places = QGridLayout(self)
        self._places.setContentsMargins(0, 0, 0, 0)
        self._places.setSpacing(spacing)
        self._wide: bool | None = None
        self._arrange(wide=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take one line or two."""
        super().resizeEvent(event)
        self._arrange(wide=event.size().width() >= self._least * len(self._cards))

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


def row(*widgets: QWidget, spacing: int = 14) -> QHBoxLayout:
    """Widgets side by side, equally wide."""
    layout = across(spacing)
    for widget in widgets:
        layout.addWidget(widget, 1)
    return layout


def add_answers(
    dialog: QDialog, layout: QVBoxLayout, refuse: str, accept: str, *, advised: bool = False
) -> tuple[QPushButton, QPushButton]:
    """The two answers to a dialog, refusing and accepting it, at the foot of its layout.

    `advised`: accepting is what the dialog is for, and what Enter does.
    """
    buttons = QDialogButtonBox()
    refusing = buttons.addButton(refuse, QDialogButtonBox.ButtonRole.RejectRole)
    accepting = buttons.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    if advised:
        accepting.setProperty("role", "primary")
        accepting.style().polish(accepting)  # The box has styled it as it came.
    layout.addWidget(buttons)
    # Before it is the dialog's it can't be its default, and Enter would press the first button there is.
    accepting.setDefault(advised)
    return refusing, accepting


def opened(parent: QWidget, title: str, margins: Margins = (24, 20, 24, 18)) -> tuple[QDialog, QVBoxLayout]:
    """A dialog that is gone once it is closed, and its layout; `add_close` shows it."""
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    return dialog, down(12, dialog, margins)


def add_close(dialog: QDialog, layout: QVBoxLayout, words: str) -> QDialogButtonBox:
    """The one button at its foot; the dialog opens without blocking."""
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.button(QDialogButtonBox.StandardButton.Close).setText(words)
    buttons.rejected.connect(dialog.close)
    layout.addWidget(buttons)
    dialog.open()
    return buttons


def widgets_of(part: QWidget | QLayout) -> list[QWidget]:
    """A widget itself, or those of a layout from the first to the last."""
    if isinstance(part, QWidget):
        return [part]
    inner = [part.itemAt(place) for place in range(part.count())]
    parts = [item.widget() or item.layout() for item in inner if item is not None]
    return [widget for one in parts if one is not None for widget in widgets_of(one)]


def clear(layout: QLayout) -> None:
    """Remove and delete everything in a layout."""
    while layout.count():
        item = layout.takeAt(0)
        if item is None:
            break
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            clear(inner)
            inner.deleteLater()
