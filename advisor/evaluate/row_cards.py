"""Which cards a row of published runs means: a key or a name, with the remark that tables put in brackets behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from advisor.catalogue.counted_cards import counted_card
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.gpu_words import cards_meant
from advisor.core.sentences import Reason, SaidError
from advisor.evaluate.run_row import RunRow

_REMARK = re.compile(r"(?P<name>[^()]+?)\s*\((?P<remark>[^()]*)\)")
_ALTERNATIVES = re.compile(r"\s+(?:or|/)\s+")
_PARTS = re.compile(r"[,;:]")
_LAST_PART = re.compile(r"-[^-]*$")
_OTHER_CARD = re.compile(
    r"\b(?:laptop|mobile|notebook|max-?q|vgpu|partition(?:ed)?|slice|cpx|half of (?:it|one)|[1-7]g\.\d+gb)\b"
    r"|(?<!no )(?<!without )\bmig\b(?! (?:off|disabled))",
    re.IGNORECASE,
)
"""In a remark: that the card in front of it is not meant, or a part of it (`A100 80GB (MIG 3g.40gb)`)."""


def with_counted_card(row: RunRow, specs: Mapping[str, GpuSpec]) -> RunRow | Reason:
    """The row with as many cards as its card's name says (`8x A100`), or why that cannot be: `n_gpus` says another."""
    try:
        card = counted_card(row.gpu_key, specs)
    except SaidError as error:
        return error.statement
    if card.number is None:
        return row
    column = row.read_as.get("n_gpus", "n_gpus")
    if (stated := row.cells.get(column)) and row.layout.count != card.number:
        return Reason.of("evaluate-wrong-cell", column=column, given=stated[:80], allowed=str(card.number))
    layout = msgspec.structs.replace(row.layout, count=card.number)
    return msgspec.structs.replace(row, gpu_key=card.words, layout=layout)


def cards_of_row(words: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """Keys of every card that a row may mean; none where it names no card.

    A remark belongs to the name where a card is called so with it (`RTX 3080 Ti (laptop)`, `A100 (80GB)`), and stands
    for it where a part of it names one card (`a10 (A10G, AWS)`); else it is left out (`v100 (form not stated)`). Of
    alternatives (`v100-sxm2-16 or v100-sxm2-32`, `a100-sxm4-40 or -80`) each is meant, and all must be cards.
    """
    named = cards_meant(words, specs)
    found = _REMARK.fullmatch(words.strip())
    if named or found is None:
        return named or _alternatives(words, specs)
    name, remark = found["name"], found["remark"]
    for opened in (f"{name} {remark}", f"{remark} {name}"):
        named = cards_meant(opened, specs)
        if named:
            return named
    for part in _PARTS.split(remark):
        named = cards_meant(part, specs)
        if len(named) == 1:
            return named
    if _OTHER_CARD.search(remark):
        return ()
    return cards_meant(name, specs) or _alternatives(name, specs)


def _alternatives(words: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    first, *others = _ALTERNATIVES.split(words.strip())
    spelled = [first, *(_LAST_PART.sub(other, first) if other.startswith("-") else other for other in others)]
    meant = [cards_meant(one, specs) for one in spelled]
    return tuple(dict.fromkeys(key for keys in meant for key in keys)) if all(meant) else ()
