"""The words for how much of a card's peak a training uses: MFU, in English and Chinese; and what is not meant by it."""

from __future__ import annotations

import re

from advisor.claims.number_words import NUMBER, search

_SIGN = r"\s*(%|percent\b|per cent\b|pct\b)"
_PERCENT = rf"(?<![a-z\d.]){NUMBER}(?:{_SIGN})?"
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
_BETWEEN = r"(?:\s*(?:\([^)]{0,20}\)|of|=|:|is|was|at|about|around|roughly|nearly|almost|over|up to|reache[sd]|hits?|"
_BETWEEN += r"为|是|达到?|到|约|有|仅|只有|高达))*\s*"
_CHANGED = rf"{_MFU}[^.;。；]{{0,24}}?(?:from|从|由)\s*{_PERCENT}\s*(?:to|->|→|到|提升到|提高到)\s*{_PERCENT}"
_PATTERNS = (
    rf"{_BEFORE}\s*(?:的\s*)?{_MFU}",
    rf"{_MFU}{_BETWEEN}{_PERCENT}",
    rf"{_BEFORE}\s*{_PEAK}",
    rf"{_PEAK}的?{_BETWEEN}{_PERCENT}",
)
_OTHER = (
    (r"\bhfu\b|\bhardware[\s-]*flop/?s?[\s-]*util[iy][sz]?[a-z]*|硬件\s*(?:flops?|算力)\s*利用率", "hardware"),
    (r"\bgpu[\s-]*(?:util[iy][sz]?[a-z]*|usage|load)\b|(?:gpu|显卡)\s*(?:利用率|占用率|使用率)", "time"),
)
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
