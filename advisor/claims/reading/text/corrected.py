"""Figures that a text denies or had hoped for beside the one that it claims, and units that it tells once for two."""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from advisor.claims.reading.numbers.card_counts import CARD
from advisor.claims.reading.numbers.number_words import OF_RATE, UNIT, search

_ONE = r"\d+(?:\.\d+)?k?"
_SPAN = rf"(?<![\w.\-]){_ONE}(?: ?(?:-|~|to|到|至) ?{_ONE})?"
_TIMES = rf"(?:(?<=\bis )|(?<=\bare )|(?<=\blike ))\d+(?:\.\d+)?[x×](?= ?{CARD})"
"""Beside a card so many of it are meant, but for what one is so many times of: `a 4090 is 2x a 3090`."""
_IN_WORDS = (
    r"\btwice\b|\b(?:two|three|four|five) times\b|\b(?:doubl|tripl)(?:e[sd]?|ing)\b"
    r"|翻了?[一两三]?[倍番]|[一两二三四五六七八]倍"
)
ANY_FOLD = rf"{_SPAN} ?(?:[x×](?! ?(?:\d|{CARD}))|-?fold\b|times\b|倍)|{_TIMES}|{_IN_WORDS}"
_RATE = rf"{_SPAN} ?{OF_RATE}"
_KINDS = (
    ("fold", ANY_FOLD),
    ("share", rf"{_SPAN} ?(?:%|percent\b)"),
    ("rate", _RATE),
    ("time", rf"{_SPAN} ?{UNIT}(?:[/ ](?:step|it|iter|epoch)\b)?"),
)
_FIGURE = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS), re.ASCII)
NEGATION = r"n't\b|\bnot\b|\bnever\b|并没有|并不是|并不|并非|不是|没有|没能|没|达不到"
_HOPE = (
    r"\b(?:expect(?:ed|ing|s)?|hop(?:ed|ing)(?: for)?|suppos(?:ed|edly)(?: to(?: be| take| give)?)?"
    r"|should(?: be| take| give| have been)?|theor(?:y|etical(?:ly)?)|ideal(?:ly)?|advertis(?:ed|es)|promis(?:ed|es)"
    r"|marketing|on paper|(?:claims?|says?|said|claimed|told me)(?: that)?)\b"
    r"|理论上?|预期|本以为|以为|号称|宣传|说好|理想"
)
_INSTEAD = r"\b(?:instead of|rather than|but not|not)\b|而不是|而非|不是"
_LINK = rf"(?:{_INSTEAD}) ?(?:the |an? |about )?(?:{_HOPE})? ?$|\b(?:vs\.?|versus) (?:the |an? )?(?:{_HOPE}) ?$"
"""Before a denied figure that stands behind the one that is claimed."""
_BUT = (
    r"\b(?:but|only|just|actually|really|in practice|in reality|however|more like|closer to|got|gets?|getting|see|saw"
    r"|seeing|measured|measure|it's|its|rather|about|around|roughly)\b|而是|只有|只是|实际|实测|其实|大概|也就|才|仅|测"
)
"""Before the figure that is claimed in place of the denied one."""
_OWN_WORD = (
    r"^ ?(?:as )?(?:fast|slow|quick|long|less|more|of the|the (?:speed|time)|speed|throughput|scaling|efficien"
    r"|[快慢提加]|的?(?:速度|时间|显存))"
)
"""Behind a figure, what it is of: it is read where it stands."""
_CLAUSE = re.compile(r"[;:,，。；：!?！？]|\.(?!\d)")
_NOW = (
    r"(?P<figure>\d+(?:\.\d+)?k?)(?=\s*(?:after(?:wards)?|now|with|once)\b)",
    (
        r"(?:\b(?:now|afterwards?|after that|then)\b:? ?(?:only |just |about )?"
        r"|(?:现在|之后|后来)(?:只?要|只?需要?|用|是)?)"
        r"(?P<figure>\d+(?:\.\d+)?k?)(?=\s*(?:$|[,.;)。，；]))"
    ),
)
_BEFORE = r"\b(?:before|previously|earlier|used to|originally|without|was)\b|原来|以前|之前|原先|本来"
_OF_ANOTHER = r"\w$|-$|\b(?:on|with|using|to|than|from|of|batch|bs|size|length|seq) $"
"""Before a figure that is a name's, a number of cards or a size."""
_UNIT_BEFORE = re.compile(rf"(?<![\w.])\d+(?:\.\d+)?k? ?(?P<unit>{UNIT}|{OF_RATE})", re.ASCII)


class Denied(NamedTuple):
    """A figure that another one was told in place of, and the text that claims that one alone."""

    figure: str
    instead: str
    without: str


def ratio_figures(plain: str) -> list[tuple[int, int]]:
    """Where the figures of how many times, or how many per cent, stand, from and to."""
    return [match.span() for match in _FIGURE.finditer(plain) if match.lastgroup in {"fold", "share"}]


def find_denied(plain: str) -> Denied | None:
    """The first figure that is denied, or was hoped for, beside one of its kind: `not 2x, but 1.85x`; None: none is."""
    figures = list(_FIGURE.finditer(plain))
    for first, other in itertools.pairwise(figures):
        if not _alike(first, other):
            continue
        denial = last_before(rf"{NEGATION}|{_HOPE}", plain, first.start())
        between = plain[first.end() : other.start()]
        if denial is not None and search(_BUT, between) is not None:
            return _replaced(plain, denial, first, other)
        link = search(_LINK, between)
        if link is not None and first.lastgroup in {"fold", "share"}:
            start = first.end() + link.start()
            return Denied(other.group(), first.group(), _joined(plain[:start], plain[other.end() :]))
    return None


def _alike(first: re.Match[str], other: re.Match[str]) -> bool:
    kinds = {first.lastgroup, other.lastgroup}
    return len(kinds) == 1 or kinds == {"fold", "share"}


def last_before(words: str, plain: str, place: int) -> re.Match[str] | None:
    """The last of some words that stand before a place, in its clause and behind every other figure; None: none do."""
    figures = [match.end() for match in _FIGURE.finditer(plain, 0, place) if match.end() < place]
    start = max((*(match.end() for match in _CLAUSE.finditer(plain, 0, place)), *figures), default=0)
    found = list(re.compile(words, re.ASCII).finditer(plain, start, place))
    return found[-1] if found else None


def _replaced(plain: str, denial: re.Match[str], denied: re.Match[str], kept: re.Match[str]) -> Denied | None:
    """The text with the kept figure in the denied one's place, or where it stands if a word of its own follows it."""
    before, between = plain[: denial.start()], plain[denial.end() : denied.start()]
    behind, rest = plain[denied.end() : kept.start()], plain[kept.end() :]
    if search(_OWN_WORD, rest) is not None:
        text = _joined(
            before + between, re.sub(r"^ ?(?:as )?(?:fast(?:er)?|slow(?:er)?|快|慢)", "", behind) + kept.group() + rest
        )
    elif denied.lastgroup == kept.lastgroup:
        text = _joined(before + between + kept.group() + behind, rest)
    else:
        return None
    return Denied(denied.group(), kept.group(), text)


def _joined(before: str, behind: str) -> str:
    return re.sub(r"\s+", " ", f"{before}{behind}").strip()


def with_units(plain: str) -> str:
    """The text whose second figure has the unit of the first: `45 mins before, 17 after`."""
    for pattern in _NOW:
        for match in re.finditer(pattern, plain, re.ASCII):
            start, end = match.span("figure")
            units = list(_UNIT_BEFORE.finditer(plain, 0, start))
            told = search(_BEFORE, plain[:start]) is not None and search(_OF_ANOTHER, plain[:start]) is None
            if units and told:
                unit = units[-1]["unit"]
                return f"{plain[:end]} {unit}{plain[end:]}"
    return plain
