"""Which cards are compared: a chip each, a search over the whole table, and a way for a card that is not in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QMenu, QToolButton, QWidget

from advisor.core.errors import UserFacingError
from advisor.core.sentences import visible
from advisor.core.shown_names import shown_card
from advisor.gui.context import Context
from advisor.gui.start.set_up_chip import name_chip, number_button, together
from advisor.gui.start.typed_cards import CardCompleter, NotOne, none_told, number_typed, typed_cards, variants_told
from advisor.gui.threads import Outcome, call_as_job
from advisor.gui.widgets.boxes import REST, FlowLayout, across, clear, down
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.choice import Line
from advisor.gui.widgets.labels import tell, untold

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec

_MOST_SHOWN = 12


@dataclass(frozen=True, kw_only=True)
class Offers:
    """The cards that can be compared with by key, the user's own first, and the keys compared where nobody chose."""

    cards: dict[str, GpuSpec]
    usual: tuple[str, ...]
    own: tuple[str, ...] = ()
    """Keys of the user's own."""
    trouble: UserFacingError | None = None
    """Why the user's own file could not be read."""


def read_offers(own_file: Path | None) -> Offers:
    """Read the table and the user's file; takes a quarter of a second, so not in the window's thread."""
    from advisor.catalogue.spec_table import read_gpu_file, spec_table
    from advisor.recommend.candidates import DEFAULT_GPU_KEYS

    table, trouble = spec_table(), None
    own: dict[str, GpuSpec] = {}
    if own_file is not None:
        try:
            own = read_gpu_file(own_file)
        except UserFacingError as error:
            trouble = error
    usual = tuple(key for key in DEFAULT_GPU_KEYS if key in table)
    return Offers(cards={**own, **table}, usual=usual, own=tuple(own), trouble=trouble)


class GpuChips(QWidget):
    """Writes the choice into the settings at once; none chosen means the usual cards."""

    changed = Signal()

    def __init__(self, context: Context) -> None:
        """Empty until `load`: reading the table is not for the first paint."""
        super().__init__()
        self._context, self._texts = context, context.texts
        self._offers: Offers | None = None
        self._keys: tuple[str, ...] = ()
        self._counts: dict[str, tuple[int, ...]] = {}
        self._chips: list[QToolButton] = []
        self._numbers: list[QToolButton] = []
        self._place = QWidget()
        self._flow = FlowLayout(self._place, 6)
        self.search = Line()
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(self._texts("gpus-search"))
        self.search.setPlaceholderText(self._texts("gpus-search"))
        self.search.returnPressed.connect(self._take_first)
        self.search.textChanged.connect(lambda _text: self._say_trouble())
        self.own = push(self._texts("gpus-own"), self._describe_own, "link")
        self.mine = push(self._texts("gpus-mine"), self._offer_mine, "link")
        self.usual = push(self._texts("gpus-usual"), self._take_usual, "link")
        self._trouble, self._note = untold(), untold("muted")
        self.mine.setVisible(False)
        self.usual.setVisible(False)
        context.session.own_cards_changed.connect(self.reload)
        down(
            6,
            self._place,
            self.search,
            across(14, self.own, self.mine, self.usual, REST),
            self._trouble,
            self._note,
            inside=self,
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """The cards that are compared."""
        return self._keys

    @property
    def numbered(self) -> bool:
        """Whether each card has a number of its own."""
        return bool(self._counts)

    @property
    def loaded(self) -> bool:
        """Whether the table of GPUs was read."""
        return self._offers is not None

    def load(self) -> None:
        """Read the table in a thread, unless it was read."""
        if self._offers is None:
            own = self._context.settings.gpu_file
            self._context.session.crew.start(call_as_job(lambda: read_offers(own)), self._loaded, owner=self)

    def reload(self) -> None:
        """The user's own cards are others now."""
        self._offers = None
        self.load()

    def _loaded(self, outcome: Outcome) -> None:
        if not isinstance(outcome.result, Offers):
            self._context.session.problem_raised.emit(outcome)
            return
        offers = self._offers = outcome.result
        chosen = self._context.settings.gpu_keys
        self._keys = tuple(key for key in chosen or offers.usual if key in offers.cards) or offers.usual
        kept = self._context.settings.card_counts
        self._counts = {key: kept.get(key, (1,)) for key in self._keys} if kept else {}
        self._say_trouble()
        self.search.setPlaceholderText(self._texts("gpus-search-count", count=len(offers.cards)))
        self._make_completer(offers)
        self._show()

    def _say_trouble(self) -> None:
        """What is wrong with the user's own file of cards, if anything is."""
        trouble = None if self._offers is None else self._offers.trouble
        tell(self._trouble, "" if trouble is None else " ".join(self._texts.error(trouble)))

    def _make_completer(self, offers: Offers) -> None:
        model = QStandardItemModel(self)
        for card in offers.cards.values():
            item = QStandardItem(self._words(card))
            item.setData(card.key, Qt.ItemDataRole.UserRole)
            model.appendRow(item)
        not_here = QStandardItem(self._texts("gpus-own"))
        model.appendRow(not_here)
        completer = CardCompleter(model, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setMaxVisibleItems(_MOST_SHOWN)
        listed = QListView()
        listed.setObjectName("completions")
        completer.setPopup(listed)
        completer.activated[QModelIndex].connect(self._activated)  # type: ignore[index, unused-ignore]
        self.search.setCompleter(completer)

    def _words(self, card: GpuSpec) -> str:
        size = f" · {self._texts.size(card.memory_bytes)}" if card.memory_bytes is not None else ""
        return visible(f"{shown_card(card.name)}{size}")

    def _activated(self, index: QModelIndex) -> None:
        key, number = index.data(Qt.ItemDataRole.UserRole), number_typed(self.search.text())
        # The completer writes the chosen words into the line after this.
        QTimer.singleShot(0, self.search.clear)
        if isinstance(key, str):
            self.add(key, number)
        else:
            self._describe_own()

    def _take_first(self) -> None:
        """Return takes the card that is typed, so many of it, or a whole list in the place of all chips."""
        typed = self.search.text().strip()
        if self._offers is None or not typed:
            return
        cards = self._offers.cards
        try:
            found = typed_cards(typed, cards, {key: self._words(card) for key, card in cards.items()})
        except UserFacingError as error:
            tell(self._trouble, " ".join(self._texts.error(error)))
            return
        if isinstance(found, NotOne):
            self._say_none(found)
            return
        self.search.clear()
        if found.alone:
            self._take(found.cards)
        else:
            for key, number in found.cards:
                self.add(key, number)
        tell(self._note, variants_told(found.open_names, cards, self._texts))

    def _say_none(self, found: NotOne) -> None:
        tell(self._trouble, none_told(found, self._texts))
        completer = self.search.completer()
        if found.fitting_count and completer is not None:
            completer.setCompletionPrefix(completer.splitPath(self.search.text())[0])
            completer.complete()

    def add(self, key: str, number: int | None = None) -> None:
        """Compare with a further card, or with so many of it beside other numbers of it.

        So many of a card take the place of the usual ones, which nobody chose: who has two of it asks for these.
        """
        if number is not None and not self._counts and self._offers is not None and self._keys == self._offers.usual:
            self._choose((key,), {key: (number,)})
            return
        keys = (*self._keys, *(() if key in self._keys else (key,)))
        if number is None and not self._counts:
            if keys != self._keys:
                self._choose(keys)
            return
        counts = {other: self._counts.get(other, (1,)) for other in keys}
        if number is not None:
            # What had no number until now has this one, not one card and these.
            before = counts[key] if self._counts and key in self._keys else ()
            counts[key] = tuple(sorted({*before, number}))
        self._choose(keys, counts)

    def remove(self, key: str, number: int | None = None) -> None:
        """Compare without a card, or without so many of it; the last one stays."""
        shown = self._shown()
        place = next(at for at, one in enumerate(shown) if one[0] == key and number in {None, one[1]})
        left = [one for one in shown if one[0] != key or number not in {None, one[1]}]
        if left:
            had_focus = self._chips[place].hasFocus()
            self._take(left)
            if had_focus:
                # Left to Qt it goes to what lies below, and a second press of the key changes that.
                self._chips[min(place, len(left) - 1)].setFocus()

    def number_each(self, *, on: bool) -> None:
        """A number for each card, one to begin with; or any number of each."""
        if on != self.numbered:
            self._choose(self._keys, dict.fromkeys(self._keys, (1,)) if on else {})

    def _renumber(self, key: str, before: int, number: int) -> None:
        shown = self._shown()
        place = shown.index((key, before))
        self._take([(key, number) if one == (key, before) else one for one in shown])
        if (key, number) in self._shown():
            place = self._shown().index((key, number))
        self._numbers[place].setFocus()

    def _shown(self) -> list[tuple[str, int | None]]:
        """A card and its number for each chip; without numbers None."""
        numbers: dict[str, Sequence[int | None]] = dict(self._counts)
        return [(key, number) for key in self._keys for number in numbers.get(key, (None,))]

    def _take(self, shown: Sequence[tuple[str, int | None]]) -> None:
        from advisor.catalogue.counted_cards import counts_by_key

        self._choose(tuple(dict.fromkeys(key for key, _ in shown)), counts_by_key(shown))

    def _take_usual(self) -> None:
        if self._offers is not None:
            self._choose(self._offers.usual)

    def _choose(self, keys: tuple[str, ...], counts: Mapping[str, tuple[int, ...]] | None = None) -> None:
        self._keys, self._counts = keys, dict(counts or {})
        tell(self._note, "")
        self._keep()
        self._show()
        self.changed.emit()

    def _keep(self) -> None:
        usual = self._offers is None or self._keys in {(), self._offers.usual}
        self._context.settings.keep_cards(None if usual else self._keys, self._counts)

    def _show(self) -> None:
        clear(self._flow)
        offers = self._offers
        if offers is None:
            return
        self._chips, self._numbers = [], []
        before = _reached_before(self.search)
        shown = self._shown()
        for key, number in shown:
            card = offers.cards[key]
            words, remove = self._words(card), partial(self.remove, key, number)
            chip = name_chip(card.name, words, self._texts, remove, only=len(shown) == 1)
            self._chips.append(chip)
            reached: tuple[QToolButton, ...] = (chip,)
            if number is None:
                self._flow.addWidget(chip)
            else:
                button = number_button(number, words, self._texts, partial(self._renumber, key, number))
                self._numbers.append(button)
                reached = (button, chip)
                self._flow.addWidget(together(button, chip))
            for widget in reached:
                self.setTabOrder(before, widget)
                before = widget
        self.usual.setVisible(self._keys != offers.usual or self.numbered)
        self.mine.setVisible(bool(offers.own))
        self._place.updateGeometry()

    def _offer_mine(self) -> None:
        """The cards of one's own: whichever is chosen can be changed or deleted."""
        offers = self._offers
        if offers is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for key in offers.own:
            card = offers.cards[key]
            words = self._words(card).replace("&", "&&")
            menu.addAction(words).triggered.connect(lambda _on=False, chosen=card: self._describe_own(chosen))
        menu.popup(self.mine.mapToGlobal(self.mine.rect().bottomLeft()))

    def _describe_own(self, card: GpuSpec | None = None) -> None:
        from advisor.gui.start.own_card import OwnCardDialog

        settings = self._context.settings
        dialog = OwnCardDialog(self.window(), self._texts, settings, card)
        if not dialog.exec():
            return
        if card is None:
            self._keys = tuple(dict.fromkeys((*self._keys, dialog.key)))
            settings.keep_cards(self._keys, self._counts)
        elif not dialog.key:  # Deleted.
            self._keys = tuple(key for key in self._keys if key != card.key)
            self._counts.pop(card.key, None)
            self._keep()
        self.reload()
        self.changed.emit()


def _reached_before(widget: QWidget) -> QWidget:
    """What Tab comes to before it: Qt puts nothing behind a widget that Tab passes by."""
    before = widget.previousInFocusChain()
    while before is not None and before is not widget and before.focusPolicy() == Qt.FocusPolicy.NoFocus:
        before = before.previousInFocusChain()
    return before or widget
