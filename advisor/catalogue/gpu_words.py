"""Which rows of the spec table a person means by a card's name as people write it."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping

from advisor.catalogue.gpu_spec import GpuSpec

_BRANDS = frozenset({"nvidia", "geforce", "tesla", "amd", "radeon", "instinct", "graphics", "card", "gpu"})
_OF_A_VARIANT = frozenset(
    {"sxm", "pcie", "nvl", "gb", "gib", "generation", "blackwell", "workstation", "server", "max", "q"}
)
"""Words that tell variants of one card apart; with a number each (`sxm4`, `40 GB`)."""
_SERIES = frozenset({"rtx", "gtx", "rx"})
"""Of consumer cards, left out by those who name them by their number."""
_GIBIBYTE = 2**30
_MEMORY = re.compile(r"(?<!\d)(\d{1,4}) ?(?:g|gb|gib)$")
_ALIKE = 0.5
_SHORT_NUMBER = 3
"""Digits of a number that tells little by itself: `A10`, `L10`, `V100`."""


def cards_meant(words: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """Keys of the rows that `words` name: the row of that key or name, else every variant of the card; or none.

    `A100` names all its variants; `3080` never names the 3080 Ti, nor a laptop's card its namesake. `4090` names none
    whose memory a workshop replaced: that one's name tells its memory (`4090 48GB`).
    """
    keys = _rows_named(words, specs)
    return tuple(key for key in keys if not specs[key].memory_replaced) or keys


def _rows_named(words: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """Also those whose memory was replaced, which nobody means who does not tell it."""
    if words in specs:
        return (words,)
    asked = _pieces(words)
    if not asked:
        return ()
    named = [key for key, spec in specs.items() if asked in _spellings(key, spec)]
    if named:
        return tuple(named)
    narrowed = [
        key for key, spec in specs.items() if any(_narrows(asked, spelling) for spelling in _spellings(key, spec))
    ]
    return tuple(narrowed) or _with_memory(words, specs)


def _with_memory(words: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """`T4 16GB`, `A100 80G`: the cards of what stands before a memory, as far as they have it."""
    plain = unicodedata.normalize("NFKC", words).lower().strip()
    memory = _MEMORY.search(plain)
    if memory is None:
        return ()
    of_name = _rows_named(plain[: memory.start()].rstrip(" -_("), specs)
    return tuple(key for key in of_name if round((specs[key].memory_bytes or 0) / _GIBIBYTE) == int(memory.group(1)))


def cards_in_a_row(words: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """The names of a list that lacks its commas (`4090 rtx 3090`); none where any of it names no card."""
    left, cards = words.split(), list[str]()
    while left:
        sizes = [size for size in range(1, len(left) + 1) if cards_meant(" ".join(left[:size]), specs)]
        long = max(sizes, default=0)  # `3080 ti` is one card, not a 3080 and something else
        if long == 0:
            return ()
        cards.append(" ".join(left[:long]))
        left = left[long:]
    return tuple(cards) if len(cards) > 1 else ()


def nearest_keys(words: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """At most three keys spelled most like what was written; digits that changed places count as most alike."""
    pieces = _pieces(words)
    alike: dict[str, float] = {}
    for key, spec in specs.items():
        if spec.memory_replaced:
            continue
        alike[key] = max(_likeness(pieces, spelling) for spelling in _spellings(key, spec))
    ordered = sorted((key for key in alike if alike[key] >= _ALIKE), key=lambda key: -alike[key])
    return tuple(ordered[:3])


def _likeness(asked: tuple[str, ...], spelled: tuple[str, ...]) -> float:
    """0 for names that share neither a word nor a number: `GB10` is no `A10` that somebody misspelled."""
    written, name = "".join(asked), "".join(spelled)
    number, own = (next((piece for piece in words if piece.isdigit()), "") for words in (asked, spelled))
    turned = len(number) > 1 and sorted(number) == sorted(own)
    lettered = {piece for piece in asked if not piece.isdigit()}
    if lettered and lettered.isdisjoint(spelled) and not (turned and len(own) > _SHORT_NUMBER):
        return 0.0
    return difflib.SequenceMatcher(None, written, name).ratio() + float(turned)


def _spellings(key: str, spec: GpuSpec) -> Iterator[tuple[str, ...]]:
    yield from (_pieces(name) for name in (key, spec.name, *spec.nvml_names))


def _pieces(words: str) -> tuple[str, ...]:
    """`RTX-4090` and `rtx 4090` alike: letters and numbers apart, without the maker's words."""
    pieces = re.findall(r"[a-z]+|\d+", unicodedata.normalize("NFKC", words[:200]).lower())
    return tuple(piece for piece in pieces if piece not in _BRANDS)


def _narrows(asked: tuple[str, ...], spelled: tuple[str, ...]) -> bool:
    """Whether everything asked stands in a row's name in that order, and the rest only tells variants apart."""
    rest = list(spelled)
    for piece in asked:
        if piece not in rest:
            return False
        rest.remove(piece)
    # A bare number is the card's own only where it is its first (`3090`), never its memory (`80`).
    first = next((piece for piece in spelled if piece.isdigit()), "")
    own = first in asked
    return own and all(piece.isdigit() or piece in _OF_A_VARIANT or piece in _SERIES for piece in rest)
