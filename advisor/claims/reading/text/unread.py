"""Which figures of a claim's text its reading does not depend on: any other in their place would be read alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from advisor.claims.claim import Claim
from advisor.claims.reading.numbers.card_counts import CARD
from advisor.claims.reading.numbers.number_words import OF_RATE, SAMPLES, STEPS, TOKENS, UNIT, search
from advisor.core.sentences import SaidError

_MOST = 8
"""Figures that are tried: who writes more of them tells a table, whose others are taken to be unread."""
_OTHERWISE = 3
"""Times the figure: far enough that what depends on it is read otherwise."""
_HARD = (
    rf"%|percent\b|(?<=\.\d)[x×]|(?<=\.\d\d)[x×]|[x×](?!\s*(?:\d|{CARD}))|倍|times\b|[tp](?:era|eta)?-?\s?flop/?s?(?:/s|ps)?(?![a-z])|kwh\b|度电|元|块钱|块(?=电费|一)|dollars?\b"
    rf"|{OF_RATE}|ms\b|毫秒"
    r"|(?:seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?)\b|秒|分钟|个?小时|天|周|个月|年"
)
"""Units of what is claimed, and of money."""
_SOFT = rf"{SAMPLES}|{TOKENS}|{STEPS}|epochs?\b|个 ?epoch|轮"
"""Units of what it was claimed of."""
_SCALE = r"(?:k|m|b|t|万|亿|百万|billion|million|trillion)?"
_PLACE = r"(?<![\w.\-/])"
HARD_FIGURE = (
    rf"{_PLACE}(?:[$€£¥]\s*(?P<money>\d+(?:\.\d+)?)|(?P<hard>\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*{_SCALE}\s*(?:{_HARD}))"
)
"""A figure that can only be what is claimed: where none was read, the claim was not understood."""
_BARE = (
    r"(?P<bare>(?<=\bvs )|(?<=\bvs\. )|(?<=\bversus )|(?<=\bto )|(?<=\bfrom )"
    r"|(?<=\bin )(?!(?:19|20)\d\d\b)|(?<=\bdoes )|(?<=\btakes )|(?<=\btook )"
    r"|(?<=-> )|(?<=->)|(?<=→ )|(?<=→)|(?<=[从到至由])|(?<=[从到至由] ))"
    r"(?P<number>\d+(?:\.\d+)?)k?(?![\w.]| ?(?!w/|(?:to|by|with|on|when|after|for|and|in|using)\b)[a-z])"
)
"""A figure without a unit, as those of a change: `from 14 hours to 2`."""
_BESIDE = r"(?:gi?b|g|kw|w|watts?)(?![a-z0-9/])"
"""Units of memory and power, which a claim of speed may be told beside."""
_FIGURE = re.compile(
    rf"{HARD_FIGURE}|{_PLACE}(?P<soft>\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*{_SCALE}\s*(?:{_SOFT})|{_BARE}"
    rf"|{_PLACE}(?P<beside>\d+(?:\.\d+)?)\s*{_BESIDE}"
    rf"|每秒(?:钟)?\s*(?P<rate>\d+(?:\.\d+)?)\s*{_SCALE}\s*(?:{_SOFT})",
    re.ASCII,
)


class Unread(NamedTuple):
    """A figure that any other could stand for."""

    words: str
    of_change: bool
    """Whether it is one of two alike: one end of a change, or of the unit of a figure that was read."""
    of_time: bool
    """Whether it is a time, which may be another one than that which was read."""


def unread_figures(
    plain: str, claim: Claim, read: Callable[[str], Claim], cards: Sequence[tuple[int, int]]
) -> tuple[Unread, ...]:
    """The figures, as the normalised text has them, without which `read` reads the same claim.

    `cards` are the places where a card is named, from and to: the number of a name is no figure.
    """
    # How many samples or epochs there were decides nothing but times of all of them.
    whole = claim.epoch_s is not None or claim.job_s is not None
    as_read = msgspec.structs.replace(claim, text=None)
    told = (match for match in _FIGURE.finditer(plain) if match["soft"] is None or whole)
    found = [hit for hit in told if not any(start <= hit.start() and hit.end() <= end for start, end in cards)]
    unread = [match for match in found[:_MOST] if reads_alike(_with_another(plain, match), as_read, read)]
    unread += found[_MOST:]
    units = {_unit(match) for match in found if match not in unread} - {None}
    words_of = {match.group().strip(): match["number"] is not None or _unit(match) in units for match in unread}
    return tuple(
        Unread(words, of_change, search(rf"^[\d.]+\s*{UNIT}$", words) is not None)
        for words, of_change in words_of.items()
    )


def figure_spans(plain: str) -> tuple[tuple[int, int], ...]:
    """Where the figures with a unit stand in a normalised text, from and to."""
    return tuple(match.span() for match in _FIGURE.finditer(plain))


def _with_another(plain: str, match: re.Match[str]) -> str:
    """The text with another figure in the place of one."""
    name = next(name for name in ("money", "hard", "soft", "number", "beside", "rate") if match[name] is not None)
    start, end = match.span(name)
    return f"{plain[:start]}{float(match[name]) * _OTHERWISE:g}{plain[end:]}"


def _unit(match: re.Match[str]) -> str | None:
    """What stands behind a figure; None: shares and money, of which two are seldom of one thing."""
    name = "rate" if match["rate"] is not None else "hard"
    if match[name] is None:
        return None
    unit = match.string[match.end(name) : match.end()].strip()
    return None if unit in {"%", "percent"} else unit


def reads_alike(other: str, as_read: Claim, read: Callable[[str], Claim]) -> bool:
    """Whether another text is read as this claim, which has no text of its own."""
    try:
        return msgspec.structs.replace(read(other), text=None) == as_read
    except SaidError:
        return False
