"""Which figures of a claim's text its reading does not depend on: any other in their place would be read alike."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from advisor.claims.claim import Claim
from advisor.claims.reading.number_words import SAMPLES, SECOND, STEPS, TOKENS
from advisor.core.sentences import SaidError

_MOST = 8
"""Figures that are tried: who writes more of them tells a table."""
_OTHERWISE = 3
"""Times the figure: far enough that what depends on it is read otherwise."""
_A_SECOND = rf"\s*(?:/|per|a|each|every|每)\s*{SECOND}"
_HARD = (
    r"%|percent\b|[x×](?!\s*\d)|倍|times\b|[tp](?:era|eta)?-?\s?flop/?s?(?:/s|ps)?(?![a-z])|kwh\b|度电|元|块钱|块(?=电费|一)|dollars?\b"
    rf"|(?:{SAMPLES}|{STEPS}|{TOKENS}){_A_SECOND}|ms\b|毫秒"
    r"|(?:seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?)\b|秒|分钟|个?小时|天|周|个月"
)
"""Units of what is claimed, and of money."""
_SOFT = rf"{SAMPLES}|{TOKENS}|epochs?\b|个 ?epoch|轮"
"""Units of what it was claimed of."""
_SCALE = r"(?:k|m|b|t|万|亿|百万|billion|million|trillion)?"
_PLACE = r"(?<![\w.\-/])"
HARD_FIGURE = rf"{_PLACE}(?:[$€£¥]\s*(?P<money>\d+(?:\.\d+)?)|(?P<hard>\d+(?:\.\d+)?)\s*{_SCALE}\s*(?:{_HARD}))"
"""A figure that can only be what is claimed: where none was read, the claim was not understood."""
_FIGURE = re.compile(rf"{HARD_FIGURE}|{_PLACE}(?P<soft>\d+(?:\.\d+)?)\s*{_SCALE}\s*(?:{_SOFT})")


def unread_figures(plain: str, claim: Claim, read: Callable[[str], Claim]) -> tuple[str, ...]:
    """The figures with a unit, as the normalised text has them, without which `read` reads the same claim."""
    # How many samples or epochs there were decides nothing but times of all of them.
    whole = claim.epoch_s is not None or claim.job_s is not None
    as_read = msgspec.structs.replace(claim, text=None)
    unread: list[str] = []
    for match in list(_FIGURE.finditer(plain))[:_MOST]:
        place = match.lastgroup or "hard"
        if place == "soft" and not whole:
            continue
        start, end = match.span(place)
        other = f"{plain[:start]}{float(match.group(place)) * _OTHERWISE:g}{plain[end:]}"
        if _read_alike(other, as_read, read):
            unread.append(match.group().strip())
    return tuple(dict.fromkeys(unread))


def _read_alike(other: str, as_read: Claim, read: Callable[[str], Claim]) -> bool:
    try:
        return msgspec.structs.replace(read(other), text=None) == as_read
    except SaidError:
        return False
