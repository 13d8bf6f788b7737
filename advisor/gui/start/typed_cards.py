"""What is typed to compare with: a card, so many of a card, or a list of them that replaces what was chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QCompleter

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec

_BETWEEN = re.compile("[,;，、；]")
_NUMBER = re.compile(r"\s*(?:\d{1,4}|[一两二三四五六七八])\s*[x×*张块片个]\s*(?=\S)", re.IGNORECASE)

_MAKER = re.compile(r"\b(?:nvidia|geforce|tesla)\b\s*", re.IGNORECASE)
"""Words that no name is shown with."""


class TypedCards(NamedTuple):
    """Cards by key, each with its number where one was typed."""

    cards: tuple[tuple[str, int | None], ...]
    alone: bool
    """Whether they take the place of all that was chosen: several were typed."""


def typed_cards(typed: str, specs: Mapping[str, GpuSpec], shown: Mapping[str, str]) -> TypedCards | str:
    """The cards that a text names, or what of it names none; `shown` are the words of each card, by key.

    Of a single card the first that fits is taken, as in the list below the line; in a list a name that leaves the
    variant open stands for all of them. Raises InputError for a number that no card can have, or alone.
    """
    from advisor.catalogue.counted_cards import counted_card
    from advisor.catalogue.gpu_words import cards_meant

    parts = [part.strip() for part in _BETWEEN.split(typed) if part.strip()]
    found: list[tuple[str, int | None]] = []
    for part in parts:
        words, number = counted_card(part, specs, "window")
        looked_for = _MAKER.sub("", words).casefold()
        fitting = [key for key, text in shown.items() if looked_for in text.casefold()] if looked_for else []
        meant: Sequence[str] = ()
        if number is not None or len(parts) > 1 or not fitting:
            meant = cards_meant(words, specs)
        keys = list(meant or fitting)
        if not keys:
            return words
        found += [(key, number) for key in (keys if meant and len(parts) > 1 else keys[:1])]
    return TypedCards(tuple(found), alone=len(parts) > 1)


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
