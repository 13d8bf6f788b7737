"""What a table of words finds in a text, and which two of it are held against each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from advisor.claims.reading.numbers.number_words import DURATION, RATE, RATE_BEHIND, search

Word = TypeVar("Word", bound=str)
COMPARES = (
    r"\bthan\b|\bover\b|\bvs\b|\bversus\b|\bcompared\b|\bagainst\b|\bas (?:fast|slow|quick) as\b|\binstead of\b"
    r"|\b(?:speed|throughput|time) of\b|\b(?:same|equal|identical) (?:speed|throughput|time)\b"
    r"|\bno (?:\w+ )?difference\b|比|相对|代替|替代|取代|一样快"
    r"|速度(?:基本)?一样|没有?(?:什么)?(?:区别|差别|差异)|差不多快"
)
_IN_ITS_CLAUSE = (
    r"^(?: training)?\s*(?:(?:is|are|was|were|trains?|runs?|gives?|gave|got|does)\b"
    r"[^.;,。；，]*?(?:faster|slower|quicker|sooner|speed|throughput)|[^\d.;,。；，]{0,8}?[快慢])"
)
"""Behind the second of two things, where its own clause tells that it is faster: `no FSDP, DDP was 25 % faster`."""
_CHANGES = r"\bfrom\b.{0,40}\bto\b|从.{0,20}(?:到|换成|改为)"


def first_named(words: tuple[tuple[str, Word], ...], plain: str) -> Word | None:
    """What the first pattern of a table that is found in a text means; None: none is found."""
    return next((meant for pattern, meant in words if search(pattern, plain)), None)


def named_in_order(words: tuple[tuple[str, Word], ...], plain: str) -> list[tuple[int, Word]]:
    """What a table's patterns find, with the place behind each, in the text's order; what is taken is read once."""
    taken: list[tuple[int, int, Word]] = []
    for pattern, meant in words:
        for match in re.finditer(pattern, plain, re.ASCII):
            start, end = match.span()
            if not any(start < other_end and other_start < end for other_start, other_end, _ in taken):
                taken.append((start, end, meant))
    return [(end, meant) for _, end, meant in sorted(taken)]


def held_against_each_other(places: Sequence[tuple[int, Word]], plain: str) -> tuple[Word, Word] | None:
    """After and before of two things that a text names, each with the place behind it; None: not two, or not together.

    One that is named again is what the figure is said of: `FSDP vs DDP: FSDP is 10 % slower`, `DDP vs FSDP: FSDP is`.
    """
    named = [word for _, word in places]
    first, other = (*dict.fromkeys(named), None, None)[:2]
    if len(set(named)) != 2 or len(named) > 3 or first is None or other is None:  # noqa: PLR2004 - a pair, one again
        return None
    again = named[-1] if len(named) == 3 and named[0] != named[1] else None  # noqa: PLR2004
    if again is None and (search(_CHANGES, plain) is not None or says_two_speeds(plain)):
        return other, first
    if search(COMPARES, plain) is None:
        apart = search(r"[,;.!?，。；！：]", plain[places[0][0] : places[1][0]]) is not None
        return (other, first) if apart and search(_IN_ITS_CLAUSE, plain[places[1][0] :]) is not None else None
    return (other, first) if again == other else (first, other)


def says_two_speeds(plain: str) -> bool:
    """Whether two rates are told, or two times and no rate: each is of one of two set-ups."""
    rates = len(re.findall(rf"(?:{RATE}|{RATE_BEHIND})", plain, re.ASCII))
    return rates == 2 or (rates == 0 and len(re.findall(DURATION, plain, re.ASCII)) == 2)  # noqa: PLR2004 - a pair
