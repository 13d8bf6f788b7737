"""From before to after: a time or a rate that became another one, as how many times as fast."""

from __future__ import annotations

from advisor.claims.reading.numbers.number_words import (
    BATCH_WORDS,
    DURATION,
    NUMBER,
    RATE,
    SAYS,
    duration,
    number,
    search,
)

_BECOMES = r"(?:提升?|提高|升|涨|增加?|增长|降低?|减少?|缩短?|变)"
_TO = (
    r"\s*(?:(?:an|per|/|each) ?epoch |/ ?epoch |on average )?(?:,? ?(?:and )?"
    r"(?:became|becomes|went|dropped|fell|shrank|goes|down|is now|now))?"
    rf"\s*(?:to|->|-->|=>|→|{_BECOMES}?[到至]|{_BECOMES}[为成]了?|成了|"
    r"(?<=became)|(?<=becomes)|(?<=is now))\s*(?:only |about |just |只有|仅|约)?"
)


_RATE_NOUN = r"\bthroughput|\b(?:images|imgs|samples|tokens|steps)(?:/| per )s\w*|每秒[^\d,.;，。；]{0,8}?|吞吐量?|速度"
"""What is told from before to after without a unit: `throughput went from 180 to 210`."""


def before_to_after(plain: str) -> float | None:
    """How many times as fast it became, where a time or rate before is joined to that after: `from 3 h to 52 min`."""
    between = search(rf"(from|从|由)?\s*{DURATION}{_TO}{DURATION}", plain)
    if between is not None:
        before, after = duration(between.groups()[1:6]), duration(between.groups()[6:])
        # `2 h to 3 h` is a range, `from 2 h to 3 h` a change.
        is_change = between.group(1) is not None or before > after
        return before / after if before > 0 and after > 0 and is_change else None
    if (of_one_unit := _of_one_unit(plain)) is not None:
        return of_one_unit
    bare = search(rf"(?:{_RATE_NOUN})[^\d,.;，。；]{{0,8}}?(?:from|从|由)\s*{NUMBER}{_TO}{NUMBER}(?![\w%])", plain)
    if bare is not None and number(bare[1], bare[2]) > 0:
        return number(bare[3], bare[4]) / number(bare[1], bare[2]) or None
    rates = search(rf"{NUMBER}\s*(?:\S+/s)?{_TO}{RATE}", plain)
    of_batch = rates is not None and search(rf"{BATCH_WORDS}{SAYS}$", plain[: rates.start()]) is not None
    if rates is not None and not of_batch and search(r"from|从|由|became|变|->|→", plain):
        before, after = number(*rates.groups()[:2]), number(*rates.groups()[2:4])
        return after / before if before > 0 and after > 0 else None
    return None


def _of_one_unit(plain: str) -> float | None:
    """From before to after where the unit stands behind one of them: `from 14 hours to 2`, `from 14 to 2 hours`."""
    ends = r"(?=\s*(?:$|[,.;，。；]|(?:by|with|when|after|on|using|for)\b))"
    first = search(rf"(?:\bfrom|从|由)\s*{DURATION}{_TO}{NUMBER}{ends}", plain)
    if first is not None:
        before, unit = number(first[1], first[2]), number(first[6], first[7])
        return before / unit if unit > 0 and first[4] is None else None
    last = search(rf"(?:\bfrom|从|由)\s*{NUMBER}{_TO}{DURATION}", plain)
    if last is None or last[6] is not None:
        return None
    before, after = number(last[1], last[2]), number(last[3], last[4])
    return before / after if after > 0 else None
