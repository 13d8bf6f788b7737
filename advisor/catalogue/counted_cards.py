"""How many of a card are asked for, beside its name: `2x rtx 3090`, `4*A100`, `8 × H100`, `两张 4090`, `A100 x8`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.gpu_words import cards_meant
from advisor.catalogue.strategies import MOST_DEVICES
from advisor.core.file_fault import shown_value
from advisor.core.sentences import SaidError

_NUMERALS = {"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8}
_COUNTED = re.compile(
    rf"([-+]?\d{{1,12}}(?:\.\d{{1,6}})?|[{''.join(_NUMERALS)}])\s*(x(?!tx?\b)|[×*张块片个])\s*(.*)",
    re.DOTALL | re.IGNORECASE,
)
"""What an `x` begins may be a name: `9900 XTX`."""
_NUMBER = rf"\d{{1,12}}|[{''.join(_NUMERALS)}]"
_COUNTED_BEHIND = re.compile(rf"(.*?\S)\s*(?:[x×*]\s*({_NUMBER})|({_NUMBER})\s*[张块片个])", re.DOTALL | re.IGNORECASE)
"""`A100 x8`, `4090*2`, `3090 两张`: told from a name by what is left, which must be a card's."""

_AskedBy = Literal["command", "call", "window"]
_TOGETHER = re.compile(r"[+&和与加]|\b(?:and|with|plus)\b", re.IGNORECASE)


class CountedCard(NamedTuple):
    """A card as it is asked for."""

    words: str
    """What names it, without its number."""
    number: int | None
    """How many of it; None: that is not said."""


def counted_card(words: str, specs: Mapping[str, GpuSpec], asked_by: _AskedBy = "command") -> CountedCard:
    """What is asked for, in one item of a list. Raises InputError for a number that no card can have, or alone."""
    plain = unicodedata.normalize("NFKC", words[:200]).strip()
    behind = _COUNTED_BEHIND.fullmatch(plain)
    if behind is not None and cards_meant(behind[1], specs):
        return CountedCard(behind[1], _count(behind[2] or behind[3], behind[1], words, asked_by))
    match = _COUNTED.match(plain)
    # A card's own name may begin as a number of cards does.
    if match is None or (match[2].lower() == "x" and cards_meant(words, specs)):
        return CountedCard(words, None)
    number, name = match[1], match[3].strip()
    if not name:
        if cards_meant(number, specs):
            return CountedCard(words, None)  # `4090x`: no number of anything, but a card's name with a slip in it
        raise SaidError.of("command-count-alone", given=shown_value(words.strip()), asked_by=asked_by)
    return CountedCard(name, _count(number, name, words, asked_by))


def _count(number: str, card: str, words: str, asked_by: _AskedBy) -> int:
    count = _NUMERALS.get(number) or (int(number) if number.isdecimal() else 0)
    if not 1 <= count <= MOST_DEVICES:
        raise SaidError.of(
            "command-card-count", given=shown_value(words.strip()), most=MOST_DEVICES, card=card, asked_by=asked_by
        )
    return count


def cards_together(words: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """The items of what names cards of several kinds as one machine's (`3090 + 4090`); none where it is no such thing.

    Told as they stand, each with its number.
    """
    items = tuple(item.strip() for item in _TOGETHER.split(words[:200]) if item.strip())
    if len(items) == 1 or not all(cards_meant(counted_card(item, specs).words, specs) for item in items):
        return ()
    return items


def counts_by_key(
    asked: Iterable[tuple[str, int | None]], others: Sequence[int] | None = None, beside: Iterable[str] = ()
) -> dict[str, tuple[int, ...]]:
    """The numbers of each card that are asked for, by its key; empty where no number is said of any.

    Beside cards with a number, one without is tried with `others`; None: one of it. `beside`: keys of all cards that
    are compared, of which those that are not among the asked ones have no number.
    """
    pairs = list(asked)
    named = {key for key, _ in pairs}
    pairs += [(key, None) for key in beside if key not in named]
    if all(count is None for _, count in pairs):
        return {}
    numbers: dict[str, set[int]] = {}
    for key, count in pairs:
        numbers.setdefault(key, set()).update((others or (1,)) if count is None else (count,))
    return {key: tuple(sorted(counts)) for key, counts in numbers.items()}
