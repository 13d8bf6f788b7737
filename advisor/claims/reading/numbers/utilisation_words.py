"""The words for shares: of a card's peak (MFU), and of the memory that a change takes or saves, in both languages."""

from __future__ import annotations

import re
from typing import NamedTuple

from advisor.claims.reading.numbers.number_words import NUMBER, number, search

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
