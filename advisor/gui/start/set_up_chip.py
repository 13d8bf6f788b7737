"""A chip for each card that is compared, and beside it how many of it, where numbers are chosen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from advisor.core.sentences import visible
from advisor.gui.texts import Texts
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import across

_OFFERED = (1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64)


def name_chip(name: str, words: str, texts: Texts, remove: Callable[[], None], *, only: bool) -> QToolButton:
    """A button with the card's short name that takes it out of the comparison; `only`: the last one stays."""
    from advisor.present.card_names import short_name

    chip = QToolButton()
    chip.setProperty("role", "card-chip")
    chip.setText(short_name(visible(name)) + ("" if only else "  ✕"))
    said = texts("gpus-only" if only else "gpus-remove", name=words)
    give_tip(chip, said)
    chip.setAccessibleName(said)
    chip.clicked.connect(lambda _on=False: remove())
    return chip


def number_button(count: int, words: str, texts: Texts, choose: Callable[[int], None]) -> QToolButton:
    """A button that says how many of a card are compared, and offers other numbers."""
    button = QToolButton()
    button.setProperty("role", "card-number")
    button.setText(f"{count} ×")
    said = texts("gpus-count-of", name=words, count=count)
    give_tip(button, said)
    button.setAccessibleName(said)

    def offer() -> None:
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number in sorted({*_OFFERED, count}):
            action = menu.addAction(str(number))
            action.setCheckable(True)
            action.setChecked(number == count)
            action.triggered.connect(lambda _on=False, chosen=number: choose(chosen))
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    button.clicked.connect(lambda _on=False: offer())
    return button


def together(number: QToolButton, chip: QToolButton) -> QWidget:
    """Both, close to each other."""
    made = QWidget()
    across(1, number, chip, inside=made)
    return made
