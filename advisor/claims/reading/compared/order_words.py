"""The words for which of two is the faster one, told or denied, where it is not said by how much."""

from __future__ import annotations

from advisor.claims.reading.numbers.number_words import search

_LESS_THAN, _MORE_THAN = r"(?<![-=<>])<(?![-=<>])", r"(?<![-=<>])>(?![-=<>])"
_IS = (
    r"\b(?:is|are|was|were|runs?|trains?|feels?)(?: (?:still|much|way|a lot|a bit|clearly|slightly|even|actually|the))*"
)
_LOSES = (
    rf"{_LESS_THAN}|\b(?:slower|worse) than\b|\bloses to\b|\b(?:is|are|falls?|lags?) behind\b"
    r"|\bnot as (?:fast|quick|good) as\b|比[^,。;；]{1,30}慢|慢于|不如|不及|没有[^,。;；]{1,30}快"
    rf"|{_IS} (?:slower|worse)\b"
    r"|\bm(?:ade|akes)\b[^.;,]{1,40}\bslower\b(?! by)"
    r"|反而(?:更|变|还){0,2}慢(?!了?\s*\d)"
)
_WINS = (
    rf"{_MORE_THAN}|\b(?:faster|quicker|better) than\b|\bbeats?\b|\bout(?:run|perform|pace)s?\b|\b(?:is|are) ahead of\b"
    rf"|{_IS} (?:faster|quicker)\b"
    r"|比[^,。;；]{1,30}快|快于|优于"
)
_DENIAL = (
    r"(?:(?:\b(?:don't|do not|can't) (?:think|believe|see)\b|\bdoubt\b|\bno way\b)[^.;,]{1,60}?"
    r"|(?:\bnot|n't|\bnever)(?: (?:even|really|actually|be|any|much|going to|gonna|at all|necessarily))*"
    r"|\bno|\bhardly(?: any)?|不(?:会|可能)?|并没有?|(?:不信|不相信|不认为|怀疑)[^,.;，。；]{1,16}?|没)"
)
_DENIED_WIN = (
    rf"{_DENIAL} (?:faster|quicker|better) than\b|{_DENIAL} (?:beat|outperform)s?\b|{_DENIAL} ahead of\b"
    rf"|{_DENIAL}比[^,。;；]{{1,30}}快|比[^,。;；]{{1,30}}快不了"
)
_DENIED_LOSS = (
    rf"{_DENIAL} (?:slower|worse) than\b|{_DENIAL} (?:lose to|behind)\b|{_DENIAL}比[^,。;；]{{1,30}}慢"
    r"|不(?:逊|亚)于|不输"
)
"""A denied order is the other one, or none: `the A100 is not faster than the V100`."""


def says_faster(plain: str) -> bool | None:
    """Whether the first of two cards is said to be the faster or the slower one; None: neither is said.

    Where it is denied to be either, it is taken for the other.
    """
    for pattern, faster in ((_DENIED_WIN, False), (_DENIED_LOSS, True), (_LOSES, False), (_WINS, True)):
        if search(pattern, plain) is not None:
            return faster
    return None


def denies_order(plain: str) -> bool:
    """Whether one of two is denied to be ahead of the other: then neither is so many times as fast."""
    return search(rf"{_DENIED_WIN}|{_DENIED_LOSS}|\bnot as (?:fast|quick) as\b", plain) is not None
