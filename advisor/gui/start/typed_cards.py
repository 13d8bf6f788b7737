"""What is typed to compare with: a card, so many of a card, or a list of them that replaces what was chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QCompleter

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.gui.texts import Texts

_BETWEEN = re.compile("[,;，、；]")
_NUMBER = re.compile(r"\s*(?:\d{1,4}|[一两二三四五六七八])\s*[x×*张块片个]\s*(?=\S)", re.IGNORECASE)

_MAKER = re.compile(r"\b(?:nvidia|geforce|tesla)\b\s*", re.IGNORECASE)
"""Words that no name is shown with."""


class TypedCards(NamedTuple):
    """Cards by key, each with its number where one was typed."""

    cards: tuple[tuple[str, int | None], ...]
    alone: bool
    """Whether they take the place of all that was chosen: several were typed."""
    open_names: dict[str, tuple[str, ...]]
    """What was typed and leaves the variant open, with the keys of all variants, which are among the cards."""


class NotOne(NamedTuple):
    """What was typed and names no card, or begins many."""

    words: str
    fitting_count: int


def typed_cards(typed: str, specs: Mapping[str, GpuSpec], shown: Mapping[str, str]) -> TypedCards | NotOne:
    """The cards that a text names, or what of it names none; `shown` are the words of each card, by key.

    A name that leaves the variant open stands for all of them, as on the command line. Raises InputError for a number
    that no card can have, or alone.
    """
    from advisor.catalogue.counted_cards import counted_card
    from advisor.catalogue.gpu_words import cards_meant

    parts = [part.strip() for part in _BETWEEN.split(typed) if part.strip()]
    found: list[tuple[str, int | None]] = []
    open_names: dict[str, tuple[str, ...]] = {}
    for part in parts:
        words, number = counted_card(part, specs, "window")
        keys = cards_meant(words, specs)
        if len(keys) > 1:
            open_names[words] = keys
        keys = keys or _fitting(words, shown)
        if len(keys) != 1 and words not in open_names:
            return NotOne(words, len(keys))
        found += [(key, number) for key in keys]
    return TypedCards(tuple(found), alone=len(parts) > 1, open_names=open_names)


def _fitting(words: str, shown: Mapping[str, str]) -> tuple[str, ...]:
    """Keys of the cards whose words hold these: those that the list below the line offers; one where all are typed."""
    looked_for = _MAKER.sub("", words).casefold()
    fitting = {key: text.casefold() for key, text in shown.items() if looked_for and looked_for in text.casefold()}
    whole = tuple(key for key, text in fitting.items() if text == looked_for)
    return whole or tuple(fitting)


def none_told(found: NotOne, texts: Texts) -> str:
    """Why what was typed names no card."""
    from advisor.core.sentences import visible

    code, count = ("gpus-several-fit", found.fitting_count) if found.fitting_count else ("gpus-none-fits", 0)
    return texts(code, typed=visible(found.words), count=count)


def variants_told(open_names: Mapping[str, tuple[str, ...]], specs: Mapping[str, GpuSpec], texts: Texts) -> str:
    """That all variants of a card were taken, and which they are; empty where no name left any open."""
    from advisor.core.sentences import in_a_row, listed, visible
    from advisor.core.shown_names import shown_card

    def told(words: str, keys: tuple[str, ...]) -> str:
        names = listed([visible(shown_card(specs[key].name)) for key in keys], texts.language)
        return texts("gpus-all-variants", typed=visible(words), count=len(keys), names=names)

    return in_a_row(told(words, keys) for words, keys in open_names.items())


class CardCompleter(QCompleter):
    """Completes the name behind a number of cards, too."""

    def __init__(self, model: QStandardItemModel, parent: QObject) -> None:
        """Over the words of all cards."""
        super().__init__(model, parent)

    def splitPath(self, path: str) -> list[str]:
        """What is looked for."""
        return [_MAKER.sub("", _NUMBER.sub("", path, count=1))]


def number_typed(typed: str) -> int | None:
    """The number in front of a card that is still being typed; None: there is none, or none that a card can have."""
    from advisor.core.errors import UserFacingError

    match = _NUMBER.match(typed)
    if match is None:
        return None
    from advisor.catalogue.counted_cards import counted_card

    try:
        return counted_card(f"{match[0]}-", {}, "window").number
    except UserFacingError:
        return None
