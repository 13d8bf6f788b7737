"""Figures that are told as a range (`2-2.5x`, `20% 到 30%`) or as a bound (`less than 2x`, `not 2x`)."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from advisor.claims.reading.numbers.card_counts import CARD
from advisor.claims.reading.numbers.number_words import OF_RATE, UNIT, number, search
from advisor.claims.reading.text.corrected import ANY_FOLD

_ONE = r"\d+(?:\.\d+)?k?"
_OF = rf"(?:[x×](?! ?(?:\d|{CARD}))|-?fold\b|times\b|倍|%|percent\b|{OF_RATE}|gi?b\b|{UNIT})"
_LIKE = r"(?: ?(?:[x×]|times|倍|%|percent|gi?b|ms|s|min(?:ute)?s?|h|hours?|days?|分钟|小时|天|秒))?"
"""A unit that stands behind the first figure, too."""
_RANGE = re.compile(
    rf"(?:\bbetween |\bsomewhere between |介于 ?|在(?=[\d. ]+[到至和]))?(?<![\w.\-/,:])(?P<low>{_ONE}){_LIKE}"
    rf" ?(?P<joint>-|~|〜|、|to|到|至|and|和) ?(?P<high>{_ONE})(?P<unit> ?{_OF})(?:之间)?",
    re.ASCII,
)
_HEADED = re.compile(
    rf"(?P<head>\b(?:speed-?\s?ups?|mfu)\b[^.;,\d]{{0,12}}|加速比[^.;,，。；\d]{{0,8}})"
    rf"(?P<low>{_ONE}) ?(?P<joint>-|~|to|到|至) ?(?P<high>{_ONE})(?P<unit>)(?![\d.]* ?(?:[\dx×%-]|gpus?\b|cards?\b))",
    re.ASCII,
)
"""Behind a word for what has no unit."""
_CHINESE = re.compile(r"(?<!十)([一两二三四五六七八])([二三四五六七八九])(?=倍)")
_DIGITS = {"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_CHANGES = (
    r"(?:\bfrom\b|\b(?:went|goes|rose|raised|grew|up|down|dropped|cut|fell|improved|increased|reduced)\b|[从由升降涨提])"
    r"[^,.;，。；\d]{0,16}$"
)
"""Before two figures joined by `to` that are a change: `from 20% to 30%`."""
_WIDEST = 10
_FEWEST_OF_BETWEEN = ("and", "和")
_UPPER = (
    r"(?:\b(?:less|fewer|lower) than|\bunder|\bbelow|\bat most|\bno(?:t)? more than"
    r"|不到|至多|最多|不超过|不足|低于|小于|顶多) ?(?:about |around |roughly )?$"
)
_NEVER_MORE = (
    r"(?:n't|\b(?:not|never|no|hardly|barely))\b(?P<between>[^.;,\d]{0,24}?)"
    r"\b(?:more than|better than|above|over|beyond|past|exceed\w*) ?$"
    r"|\b(?:tops? out|max(?:es|ed)? out|capp?ed|caps) at ?$|\bat best ?$"
    r"|(?:最高|最大|封顶)(?:也?就?(?:只有|是|能)?)? ?$"
)
_LOWER = r"(?:\bmore than|\bover|\babove|\bat least|\bno(?:t)? less than|超过|至少|不止|大于|高于)(?:了)? ?$"
_OR_MORE, _OR_LESS = r"^ ?(?:多(?!的)|以上|\+|or more\b)", r"^ ?(?:以下|以内|or less\b)"
_FIGURE = re.compile(rf"(?P<fold>{ANY_FOLD})|(?<![\w.\-])\d+(?:\.\d+)? ?(?:%|percent\b)", re.ASCII)
_VERBS = (
    r"(?: (?:even|quite|really|exactly|actually|always|necessarily|be|is|being|giv(?:e|ing)|get(?:ting)?"
    r"|mak(?:e|ing)|see(?:ing)?|reach|deliver|bring|scal(?:e|ing)|run|train(?:ing)?|it|you|me|us|any|an?|the|that"
    r"|near(?:ly)?|close|anywhere|to|at|by|about))*"
)
_COMPARED = (
    r"(?:比[^,.;，。；]{1,16}?)?(?:真的?|完全|那么|能够?|会|可以|有|是|[达到]{1,2}|提升|带来|加速|快|多|了){0,4}"
)
_DENIED = (
    (
        r"(?P<denial>(?:\b(?:don't|do not|can't)\b[^.;,]{0,16}\b(?:think|believe|see)|\b(?:doubt|no way)"
        r"|不相信|不信|不认为|怀疑)(?: that)?)[^.;,，。；]{0,60}$"
    ),
    rf"(?P<denial>n't|\bnot|\bnever){_VERBS} ?$",
    rf"(?P<denial>并不是|并没有?|并不|并非|不是|没有?|不会|不可能){_COMPARED} ?$",
)
"""Before a figure that is denied, with what may stand between."""
_HALVES = r"^ ?(?:as )?(?:slow|long|less|fewer|lower|memory|vram|[慢降减省少]|的?显存)"


class Told(NamedTuple):
    """A range as it is told, and its ends and middle as a figure each would be told."""

    words: str
    start: int
    end: int
    ends: tuple[str, str]
    middle: str


class Bounded(NamedTuple):
    """A figure that is told as a bound, and the text that claims it as it stands."""

    side: Literal["most", "least"]
    figure: str
    without: str
    denied: bool = False
    """Whether it is denied: `not 2x`."""


def find_ranges(plain: str) -> tuple[Told, ...]:
    """The ranges of a normalised text, in its order."""
    found = [told for match in _RANGE.finditer(plain) if (told := _told(plain, match)) is not None]
    found += [told for match in _HEADED.finditer(plain) if (told := _told(plain, match)) is not None]
    for match in _CHINESE.finditer(plain):
        low, high = _DIGITS[match[1]], _DIGITS[match[2]]
        if high == low + 1:
            found.append(Told(f"{match.group()}倍", *match.span(), (str(low), str(high)), f"{(low + high) / 2:g}"))
    return tuple(sorted(found, key=lambda told: told.start))


def _told(plain: str, match: re.Match[str]) -> Told | None:
    low, high = (number(match[end].rstrip("k"), "k" if match[end].endswith("k") else None) for end in ("low", "high"))
    if match["high"].endswith("k") and not match["low"].endswith("k"):
        low *= 1000
    joint, between = match["joint"], plain[match.start() : match.start("low")].strip()
    changes = joint in {"to", "到", "至"} and search(_CHANGES, plain[: match.start()]) is not None
    if not low < high <= _WIDEST * low or changes or (joint in _FEWEST_OF_BETWEEN and not between):
        return None
    head = match.groupdict().get("head")
    start = match.start("low") if head else match.start()
    texts = tuple(f"{value:g}{match['unit']}" for value in (low, high, (low + high) / 2))
    return Told(plain[match.start("low") : match.end()].strip(), start, match.end(), texts[:2], texts[2])  # type: ignore[arg-type]


def with_figures(plain: str, ranges: tuple[Told, ...], figures: tuple[str, ...]) -> str:
    """The text with one figure in the place of each range."""
    for told, figure in reversed(list(zip(ranges, figures, strict=True))):
        plain = f"{plain[: told.start]}{figure}{plain[told.end :]}"
    return plain


def find_bound(plain: str) -> Bounded | None:
    """The one figure of how many times, or how many per cent, that is told as a bound; None: none is."""
    figures = list(_FIGURE.finditer(plain))
    if len(figures) != 1:
        return None
    figure, before = figures[0], plain[: figures[0].start()]
    if search(_HALVES, plain[figure.end() :]) is not None:
        return None
    for side, words in (("most", _NEVER_MORE), ("most", _UPPER), ("least", _LOWER)):
        match = search(words, before)
        if match is not None:
            between = match.groupdict().get("between") or ""
            text = f"{before[: match.start()]}{between}{plain[figure.start() :]}"
            return Bounded(side, figure.group(), re.sub(r"\s+", " ", text).strip())  # type: ignore[arg-type]
    behind = plain[figure.end() :]
    for side, words in (("most", _OR_LESS), ("least", _OR_MORE)):
        match = search(words, behind)
        if match is not None:
            return Bounded(side, figure.group(), f"{plain[: figure.end()]}{behind[match.end() :]}")  # type: ignore[arg-type]
    denial = next((hit for words in _DENIED if (hit := search(words, before)) is not None), None)
    if denial is None:
        return None
    start, end = denial.span("denial")
    return Bounded("most", figure.group(), re.sub(r"\s+", " ", f"{plain[:start]}{plain[end:]}").strip(), denied=True)
