"""Two speeds that a text states, of two set-ups or of before and after, as their ratio."""

from __future__ import annotations

import re

from advisor.claims.reading.changes.batch_words import compared_batches
from advisor.claims.reading.changes.change_words import (
    ATTENTIONS,
    STRATEGIES,
    TUNINGS,
    compared_strategies,
    find_change,
)
from advisor.claims.reading.changes.held_against import named_in_order
from advisor.claims.reading.changes.length_words import compared_lengths
from advisor.claims.reading.changes.precision_words import PRECISIONS, compared_precisions
from advisor.claims.reading.numbers.number_words import (
    A_SECOND,
    DURATION,
    NUMBER,
    RATE,
    RATE_BEHIND,
    SAMPLES,
    TOKENS,
    duration,
    number,
    search,
)

BEFORE = r"\b(?:before|previously|earlier|used to|originally|instead of|without)\b|原来|以前|之前|原先|本来"
_AFTER = r"\b(?:after(?:wards?)?|now|then)\b|现在|之后|以后|后来"
_BARE_RATE = (
    r"(?:\b(?:vs\.?|versus|against|instead of|than|did|does|do|gets?|got|gave|gives)|只有|而)"
    rf" ?(?:only |about |just |~ ?)?{NUMBER}"
    r"(?=\s*(?:$|[,.;)，。；](?!\d)|w/|(?:with|on|in|for|using|before|after|without)\b))"
)
"""A figure that stands alone where a rate's unit stands behind one before it."""
PAIR = 2


def two_speeds(plain: str) -> list[tuple[int, float]]:
    """The two speeds that a text states and where, in its order: of two rates, or the inverse of two durations."""
    matches = [match for pattern in (RATE, RATE_BEHIND) for match in re.finditer(pattern, plain, re.ASCII)]
    rates = [
        (match.start(1), number(*match.groups()[:2])) for match in sorted(matches, key=lambda match: match.start(1))
    ]
    if len(rates) == 1 and (bare := _bare_rate(plain, rates[0][0])) is not None:
        rates = sorted((*rates, bare))
    if len(rates) == PAIR and all(rate > 0 for _, rate in rates):
        return rates
    times = [(match.start(), duration(match.groups())) for match in re.finditer(DURATION, plain, re.ASCII)]
    whole = len(times) == PAIR and all(time > 0 for _, time in times)
    return [(start, 1 / time) for start, time in times] if whole else []


def _bare_rate(plain: str, place: int) -> tuple[int, float] | None:
    """The second of two rates of which the first alone has its unit: `14 samples/s, a single one did 15.4`."""
    match = search(_BARE_RATE, plain[place:])
    return (place + match.start(1), number(match[1], match[2])) if match is not None else None


def ratio_of_set_ups(plain: str, figures: list[tuple[int, float]]) -> float | None:
    """Two speeds of the same cards in two set-ups, each beside its own: `BF16 3,900 tok/s, FP8 5,600 tok/s`."""
    change = find_change(plain)
    pairs: tuple[tuple[tuple[tuple[str, str], ...], tuple[str, str] | None], ...] = (
        (PRECISIONS, compared_precisions(plain)),
        (STRATEGIES, compared_strategies(plain)),
        (TUNINGS, change.tuning),
        (ATTENTIONS, change.attention),
    )
    first, other = (speed for _, speed in figures)
    for words, pair in pairs:
        named = list(dict.fromkeys(meant for _, meant in named_in_order(words, plain)))
        if pair is not None and len(named) == PAIR:
            return first / other if pair[0] == named[0] else other / first
    return _ratio_of_batches(plain, first, other) or _ratio_of_lengths(plain, first, other)


def _ratio_of_batches(plain: str, first: float, other: float) -> float | None:
    """Two speeds of which each is of one batch size, as samples a second: `batch 1 35 ms, batch 8 90 ms`."""
    batches = compared_batches(plain)
    if batches is None:
        return None
    of_samples = search(rf"{NUMBER}\s*(?:{SAMPLES}|{TOKENS}){A_SECOND}", plain) is not None
    before, after = sorted(batches, key=lambda size: plain.index(str(size)))
    gain = other / first * (1.0 if of_samples else after / before)
    return gain if batches[0] == after else 1 / gain


def _ratio_of_lengths(plain: str, first: float, other: float) -> float | None:
    """Two speeds of which each is of texts of one length, in the unit that they are told in."""
    lengths = compared_lengths(plain)
    if lengths is None:
        return None
    later, earlier = lengths
    return other / first if plain.index(str(earlier)) < plain.index(str(later)) else first / other


def ratio_of_times(plain: str, figures: list[tuple[int, float]]) -> float | None:
    """Two speeds of which one was before and one is after: `45 min before and 17 min after`."""
    before, after = search(BEFORE, plain), search(_AFTER, plain)
    if before is None or after is None:
        return None
    first, other = (speed for _, speed in figures)
    return other / first if before.start() < after.start() else first / other
