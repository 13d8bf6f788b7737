"""How many cards a text tells of, and what a card is called beside a number, in both languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.claims.reading.numbers.number_words import search

_WORDS = {
    "one": 1, "single": 1, "a": 1, "two": 2, "pair": 2, "couple": 2, "dual": 2, "both": 2,
    "three": 3, "four": 4, "quad": 4, "six": 6,
    "eight": 8, "ten": 10, "sixteen": 16, "单": 1, "一": 1, "双": 2, "两": 2, "二": 2, "三": 3, "四": 4, "六": 6,
    "八": 8, "十六": 16,
}  # fmt: skip
COUNT = r"(\d{1,4}|one|single|two|dual|both|three|four|quad|six|eight|ten|sixteen|十六|单|一|双|两|二|三|四|六|八)"
CARD = (
    r"(?:nvidia\s*|geforce\s*|tesla\s*|rtx\s*){0,4}(?:[avhlt]\d{1,3}[a-z]{0,2}|rtx\s*[a-z]?\d{4}|[2345]0[6-9]0(?:\s*ti)?|titan|b200|a[2-6]\d{3}"
    r"|mi\d{3}x?)s?\b"
)
_ALONE = r"(?<![a-z0-9.])(?<![a-z][-/])"
"""Before a number that is no part of a name: `ResNet-50 V100` are not fifty of them, nor `ViT-B/16` sixteen."""
_NAMES = r"\b(?:resnet|rn|gpt|densenet|vgg|efficientnet|inception)[\s_-]*v?\d+(?:\.\d+)?(?!\s*[x×*])"
"""Models whose number people write behind a blank, too."""
_COUNTS = (
    rf"{_ALONE}{COUNT}\s*(?:-\s*)?(?:gpus?\b|cards?\b|graphics cards|devices\b)",
    rf"{_ALONE}{COUNT}(?!h\d+\s*m)\s*(?:[x×*]\s*|张\s*|块\s*|片\s*|个\s*|枚\s*)?{CARD}",
    rf"{_ALONE}{COUNT}\s*(?:张|块|片|个|枚)?\s*(?:显卡|卡|gpu)",
    rf"{CARD}\s*[x×*]\s*{COUNT}(?!\s*(?:faster|times|as fast|\d))",
    r"(?:gpus?|cards?)\s*[=:]\s*(\d{1,4})(?![\d.:]*\s*(?:%|[x×](?!\s*[a-z]*\d)|倍|times\b|percent|h\b|hours?|m\b|mins?\b|minutes?|s\b|sec|ms\b|days?|img|images?|it/s|samples|小时|分|秒|张))",
    (
        rf"{_ALONE}{COUNT}(?=\s*(?:->|-->|=>|→|to|到)\s*\d{{1,4}}\s*(?:[x×]\s*)?"
        rf"(?:gpus?\b|cards?\b|{CARD}|[张块]|卡))"
    ),
    rf"\b(pair|couple) of (?:gpus?\b|cards?\b|{CARD})",
    r"\ba (single) one\b",
    r"(?<=[a-z])([单双两二三四六八])\s*(?:张|块|片|个|枚)?\s*(?:显卡|卡|gpu)",
)
_BEFORE_CARD = rf"{_ALONE}{COUNT}\s*(?:[x×*]\s*|[张块片个枚]\s*)?(?:(?<=[x×*张块片个枚 ])\d{{1,3}} ?gb?\s*的?\s*)?$"
_BEHIND_CARD = rf"\s*[x×*]\s*{COUNT}(?!\s*(?:faster|times|as fast|\d))"
"""Beside the name of a card of the table, whatever it is called: `4 A6000`, `MI250 x 8`."""
_BARE_COUNT = (
    r"(?<![a-z0-9.])(?:on|with|using|by|to|than|from|instead of|->|→)\s*(\d{1,2}|one|two|three|four|six|eight|sixteen)"
    r"(?=\s*(?:$|[,.;:)→]|and\b|it\b|took|takes|to\b(?! ?\d[\d.]* ?(?:h|m|s|d)[a-z]*\b)|->|with\b|instead|cut|"
    r"for\b|when\b|at\b|"
    r"gets?|got|g[ai]ves?|brings|brought|ma[dk]es?|only|just))(?!\.\d)"
)
"""A count whose noun stands elsewhere: `3 hours on one card and 52 minutes on two`."""
_BARE_CHINESE = r"(?<![每\d])([单双一两二三四六八])(?:张|块|片)(?=\s*(?:每|用|要|需|只|时|跑|则|是|的|[,;。]|$|\d))"
"""The same in Chinese: `一张每轮 6.8 分钟`."""
_BARE_DIGITS = (
    r"(?<![每\d.])(?<!每秒 )(?<![a-z]-)(\d{1,3})\s*(?:张|块|片)(?=\s*(?:每(?:轮|个 ?epoch|步)|用了|花了|只?要|只?需))"
)
_OF_TIMES = r"\d\s*(?:h|hours?|m|mins?|minutes?|s|secs?|seconds?|ms|days?)\s*(?:instead of|than|to|->|→)\s*$"
"""What makes a number one of the times: `3 hours instead of 5`."""
_ANOTHER = (
    rf"\b(?:a|the|another|my) second (?:gpu|card|{CARD})"
    rf"|\b(?:another|one more|an extra|an additional) (?:gpu|card|{CARD})"
    r"|第二(?:张|块|个)|(?:再|多|添|加)(?:加|插|买|上)?了?(?:一|1)(?:张|块)"
)
_MOST = 4096
"""As `--counts`."""


def find_counts(plain: str, cards: Sequence[tuple[int, int]] = ()) -> tuple[tuple[int, int], ...]:
    """Every number of GPUs that is named, as (place, count) in the order of the text.

    `cards` are the places where a card of the table is named, from and to.
    """
    plain = re.sub(_NAMES, lambda name: re.sub(r"\d", "#", name[0]), plain)
    counts = {
        match.start(1): count_of(match.group(1))
        for pattern in _COUNTS
        for match in re.finditer(pattern, plain, re.ASCII)
    }
    counts |= _beside(plain, cards)
    another = search(_ANOTHER, plain)
    if another is not None:
        counts = {place: count for place, count in counts.items() if not another.start() <= place < another.end()}
        counts[another.start()] = 2
    if counts:
        for pattern in (_BARE_COUNT, _BARE_CHINESE, _BARE_DIGITS):
            for match in re.finditer(pattern, plain, re.ASCII):
                if not search(_OF_TIMES, plain[: match.start(1)]):
                    counts.setdefault(match.start(1), count_of(match.group(1)))
    return tuple(sorted((place, count) for place, count in counts.items() if 1 <= count <= _MOST))


def _beside(plain: str, cards: Sequence[tuple[int, int]]) -> dict[int, int]:
    """The numbers that stand right before or behind a card's name, by their places."""
    counts_beside: dict[int, int] = {}
    for start, end in cards:
        before, behind = search(_BEFORE_CARD, plain[:start]), re.match(_BEHIND_CARD, plain[end:], re.ASCII)
        if before is not None:
            counts_beside[before.start(1)] = count_of(before.group(1))
        elif behind is not None:
            counts_beside[end + behind.start(1)] = count_of(behind.group(1))
    return counts_beside


def count_of(word: str) -> int:
    """A number of cards or machines, in digits or as a word."""
    return int(word) if word.isdigit() else _WORDS[word]
