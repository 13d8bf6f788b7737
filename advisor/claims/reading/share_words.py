"""The words for shares: of a card's peak (MFU), and of the memory that a change takes or saves, in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from advisor.claims.reading.change_words import blanked, share_of
from advisor.claims.reading.number_words import NUMBER, PERCENT, number, search
from advisor.claims.reading.ratio_words import ABOUT, FOLD

_SIGN = r"\s*(%|percent\b|per cent\b|pct\b)"
_SHARE_OF_PEAK = rf"(?<![a-z\d.]){NUMBER}(?:{_SIGN})?"
_BEFORE = rf"(?<![a-z\d.])(?:{NUMBER}{_SIGN}|(0?\.\d+))"
"""A figure that stands before its word is told from a size or a card by its sign or by being below one."""
_MFU = (
    r"(?:\bmfu\b|\bm\.f\.u\.|\bmodel[\s-]*flop/?s?[\s-]*util[iy][sz]?[a-z]*"
    r"|模型\s*(?:flops?|算力|浮点(?:运算)?)\s*利用率)"
)
_PEAK = (
    r"(?:of (?:[a-z0-9'’-]{1,14} ){0,3}peak\b"
    r"(?! (?:memory|bandwidth|power|performance per watt))|的?(?:理论)?峰值(?:算力|性能|浮点)?(?!显存|内存|带宽|功率))"
)
_BETWEEN = r"(?:\s*(?:\([^)]{0,20}\)|of|=|:|is|was|at|about|around|roughly|nearly|almost"
_BETWEEN += r"|over|above|below|under|up to|reache[sd]|hits?|"
_BETWEEN += r"为|是|达到?|到|约|有|仅|只有|高达|[能可才大将近达跑做稳定在以]{1,4}到?))*\s*"
_RAISED_TO = r"(?:to|->|→|(?:提升|提高|[提升涨])?到)"
_CHANGED = rf"{_MFU}[^.;。；]{{0,24}}?(?:from|从|由)\s*{_SHARE_OF_PEAK}\s*{_RAISED_TO}\s*{_SHARE_OF_PEAK}"
_PATTERNS = (
    rf"{_BEFORE}\s*(?:的\s*)?{_MFU}",
    rf"{_MFU}{_BETWEEN}{_SHARE_OF_PEAK}",
    rf"{_MFU}[^,.;，。；\d%$]{{1,24}}{NUMBER}{_SIGN}",
    rf"{_BEFORE}\s*{_PEAK}",
    rf"{_PEAK}的?{_BETWEEN}{_SHARE_OF_PEAK}",
)
_OTHER = (
    (r"\bhfu\b|\bhardware[\s-]*flop/?s?[\s-]*util[iy][sz]?[a-z]*|硬件\s*(?:flops?|算力)\s*利用率", "hardware"),
    (r"\bgpu[\s-]*(?:util(?:[iy][sz]?[a-z]*)?|usage|load)\b|(?:gpu|显卡)\s*(?:利用率|占用率|使用率)", "time"),
)
_FLOP_RATE = rf"(?<![a-z\d.]){NUMBER}\s*([tp])(?:era|eta)?-?\s?flop/?s?(?:/s|ps| per second)?(?![a-z])"
_OF_PEAK = r"\b(?:peak|theoretical|data ?sheet|spec(?:s|ified)?|rated)\b|峰值|理论|标称|规格"
_OF_ONE_CARD = (
    r"^\s*(?:/|per|a|each|every|on each|每)\s*(?:张)?\s*(?:gpu|card|device|accelerator|[avhb]\d{2,3}|卡|显卡)"
)
_OF_ONE_BEFORE = r"(?:每(?:张|块)?(?:卡|显卡|gpu)|单卡|\beach (?:gpu|card))[^\d]{0,12}$"


class FlopRate(NamedTuple):
    """FLOP a second, whether of each card, and the text without them."""

    flop_per_s: float
    per_card: bool
    without: str


_MOST_AS_FRACTION = 2.0
"""A bare `0.55` or `1.2` is a fraction of the peak, a bare `55` is in per cent."""
MEMORY = (
    r"(?:(?:the |its |my |our |your |as much |of |gpu |peak |video |activation |device )*(?:memory|vram)"
    r"(?: (?:use|usage|consumption|footprint|need))?"
    r"|(?:激活(?:值)?的?)?显存(?:占用|用量|需求|消耗)?|(?:激活(?:值)?的?)?内存(?:占用)?)"
)
_PART = (
    r"(?:optimi[sz]ers?(?:'s)?(?: states?)?|gradients?|weights?|parameters?|states?)\s+(?:memory|vram)\b"
    r"|memory (?:of|for) (?:the )?(?:optimi[sz]er|gradients?|weights?|states?)"
    r"|(?:优化器(?:状态)?|梯度|权重|参数|状态)的?(?:显存|内存)"
)
_WORDS = {
    "half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fourth": 1 / 4, "fifth": 1 / 5, "eighth": 1 / 8, "tenth": 1 / 10,
    "二": 1 / 2, "三": 1 / 3, "四": 1 / 4, "五": 1 / 5, "八": 1 / 8, "十": 1 / 10,
}  # fmt: skip
_ENGLISH_SHARE = r"(half|(?:a |one[\s-])(?:third|quarter|fourth|fifth|eighth|tenth))"
_CHINESE_SHARE = r"([二三四五八十]分之一)"
LESS = r"(?:less|lower|smaller|fewer)"
_IS = r"(?:\bis|\bwas|只需要?|只有|仅为?|是)[^.;。；\d]{0,10}?"
CUT = (
    r"(?:cuts?|reduc\w+|lower\w*|decreas\w+|shrink\w*|shrank|sav\w+|drop\w*|falls?|fell|free[sd]?(?: up)?"
    r"|减少|降低|节省|省|下降|少用?)"
)
_SIZE = r"(\d+(?:\.\d+)?)\s*(gi?b?|mi?b?)(?![a-z])"
_FROM_TO = (
    rf"{_SIZE}\s*(?:of {MEMORY}\s*)?"
    rf"(?:(?:down |up )?to|->|→|[降涨升增]?到|[降涨升增]至|增加到|instead of)\s*{ABOUT}{_SIZE}"
)
_PAIR = rf"{MEMORY}[^.;。；\d]{{0,24}}?(?:from|从|由)?\s*{_FROM_TO}|{_FROM_TO}[^.;。；\d]{{0,12}}?{MEMORY}"
_TO = (
    rf"\b(?:needs?|uses?|takes?|with|in|to|at|only|about)\s*{ABOUT}{_ENGLISH_SHARE}\s*{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?(?:to|到|至|为|剩)\s*(?:原来的?|之前的?|以前的?|原先的?)?\s*{ABOUT}(?:{_ENGLISH_SHARE}|{_CHINESE_SHARE})",
    rf"{_CHINESE_SHARE}的?{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{_IS}(?:{_ENGLISH_SHARE}|{_CHINESE_SHARE})",
)
"""What is left, as a share in words."""
_HALVED = (
    rf"\bhal(?:v(?:e|es|ed|ing)|f(?:s|es))\s*{MEMORY}|{MEMORY}[^.;。；\d]{{0,16}}?(?:halved|in half|by half|减半)"
    rf"|(?:一半|减半)的?{MEMORY}|{MEMORY}[^.;。；\d]{{0,8}}?(?:{CUT}了?|[到至为剩])\s*(?:(?:原来|之前|以前|原先)的?)?一半"
    rf"|{CUT}了?一半的?{MEMORY}|\bhalf {MEMORY}"
    rf"|{MEMORY}[^.;。；\d]{{0,8}}?{_IS}一半"
)
_DOUBLED = rf"\b(?:doubl(?:e|es|ed|ing)|twice)\s*{MEMORY}|{MEMORY}[^.;。；\d]{{0,12}}?(?:doubl\w+|翻倍|翻一番)"
_LEFT = (
    rf"{PERCENT}\s*(?:of |的\s*){MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?(?:to|到|至|为|剩)\s*(?:原来的?|之前的?|以前的?|原先的?)?\s*{ABOUT}{PERCENT}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{_IS}{PERCENT}(?! ?{LESS})",
)
_SAVED = (
    rf"{PERCENT}\s*{LESS}\s*{MEMORY}",
    rf"{CUT}[a-z]*\s*(?:了|by|up to )?\s*{ABOUT}{PERCENT}\s*(?:of |in |的\s*)?{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{CUT}[a-z]*\s*(?:了|by)?\s*{ABOUT}{PERCENT}",
    rf"{CUT}[a-z]*\s*{MEMORY}\s*(?:by|了)?\s*{ABOUT}{PERCENT}",
    rf"{PERCENT}\s*(?:{MEMORY}\s*(?:saving|reduction)s?)",
)
_FOLD_LESS = (
    rf"{CUT}[a-z]*\s*(?:了|by|up to )?\s*{ABOUT}{NUMBER}\s*(?:{FOLD}|倍)\s*的?(?:of )?(?:the |its )?{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{CUT}了?\s*(?:约|近)?{NUMBER}\s*倍",
    rf"{NUMBER}\s*{FOLD}\s*{LESS}\s*{MEMORY}",
    rf"{CUT}[a-z]*\s*{MEMORY}\s*(?:by )?(?:a factor of )?{ABOUT}{NUMBER}\s*{FOLD}?(?!\s*(?:%|percent|g|m))",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{CUT}[a-z]*\s*(?:by )?(?:a factor of )?{ABOUT}{NUMBER}\s*{FOLD}",
)
_MORE = (rf"{PERCENT}\s*more\s*{MEMORY}",)
_FOLD_MORE = (rf"{NUMBER}\s*{FOLD}\s*(?:more\s*)?{MEMORY}", rf"{NUMBER}\s*倍的?{MEMORY}")


def find_utilisation(plain: str) -> float | None:
    """The claimed share of the peak (MFU) as a fraction; of a change (`from 40 % to 55 %`) what it was changed to.

    None: none is claimed.
    """
    changed = search(_CHANGED, plain)
    if changed is not None:
        return _fraction(changed.groups()[3:6])
    for pattern in _PATTERNS:
        match = search(pattern, plain)
        if match is not None:
            return _fraction(match.groups())
    return None


def find_flop_rate(plain: str) -> FlopRate | None:
    """What cards are said to reach in FLOP/s (`400 TFLOPS per GPU`), nothing where it is their peak; None: not told."""
    told = search(_FLOP_RATE, plain)
    if told is None:
        return None
    scale = (1e15 if told.group(3) == "p" else 1e12) if search(_OF_PEAK, plain) is None else 0.0
    of_one = search(_OF_ONE_CARD, plain[told.end() :]) is not None or search(_OF_ONE_BEFORE, plain[: told.start()])
    without = f"{plain[: told.start()]} {plain[told.end() :]}"
    return FlopRate(number(told.group(1), told.group(2)) * scale, per_card=bool(of_one), without=without)


def without_utilisation(plain: str) -> str:
    """The text without what claims a share of the peak: its figure is no speed-up and no size."""
    for pattern in (_CHANGED, *_PATTERNS):
        plain = re.sub(pattern, " ", plain, flags=re.ASCII)
    return plain


def other_utilisation(plain: str) -> str | None:
    """`hardware` where recomputed work is counted, `time` where a driver's figure is meant; None: neither is named."""
    return next((meant for pattern, meant in _OTHER if search(pattern, plain)), None)


def _fraction(groups: tuple[str | None, ...]) -> float:
    figure, _, percent, *bare = groups
    value = float(figure or bare[0] or "0")
    return value if percent is None and value <= _MOST_AS_FRACTION else value / 100


def find_memory_ratio(plain: str) -> tuple[float, str] | None:
    """Memory after a change over that before, and the text without these words; None: nothing is said of memory.

    `half the memory` is 0.5, `60 % less` 0.4, `3x less` a third, `from 40 GB to 10 GB` a quarter.
    """
    for patterns, ratio in _READERS:
        for pattern in patterns:
            match = search(pattern, plain)
            if match is not None:
                memory_ratio = ratio(tuple(group for group in match.groups() if group is not None), match.group())
                return (memory_ratio, blanked(plain, pattern)) if memory_ratio is not None else None
    return None


def says_part(plain: str) -> bool:
    """Whether a part of the memory is spoken of, such as the optimizer's: what is predicted is the whole."""
    return search(_PART, plain) is not None


def _sizes(groups: tuple[str, ...], words: str) -> float | None:
    first, unit, second, other = groups[:4]
    first_gb, second_gb = (
        float(size) * (1.0 if kind[0] == "g" else 1e-3) for size, kind in ((first, unit), (second, other))
    )
    before, after = (second_gb, first_gb) if "instead of" in words else (first_gb, second_gb)
    return after / before if before > 0 and after > 0 else None


def _share(groups: tuple[str, ...], _: str) -> float:
    word = groups[0]
    return _WORDS[word[0]] if word[0] in _WORDS else _WORDS[word.replace("-", " ").split()[-1]]


def _percent(groups: tuple[str, ...]) -> float:
    return share_of((groups[0], groups[1] if len(groups) > 1 else None, None))


def _fold(groups: tuple[str, ...]) -> float:
    return number(groups[0], groups[1] if len(groups) > 1 else None)


_READERS: tuple[tuple[tuple[str, ...], Callable[[tuple[str, ...], str], float | None]], ...] = (
    ((_PAIR,), _sizes),
    (_TO, _share),
    ((_HALVED,), lambda *_: 0.5),
    (_SAVED, lambda groups, _: 1 - _percent(groups)),
    (_LEFT, lambda groups, _: _percent(groups)),
    (_MORE, lambda groups, _: 1 + _percent(groups)),
    (_FOLD_LESS, lambda groups, _: 1 / _fold(groups) if _fold(groups) else None),
    ((_DOUBLED,), lambda *_: 2.0),
    (_FOLD_MORE, lambda groups, _: _fold(groups)),
)
