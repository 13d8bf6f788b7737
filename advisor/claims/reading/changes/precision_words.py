"""The words of a claim that name a precision, and which of two it is told of, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.catalogue.precisions import Precision
from advisor.claims.reading.changes.held_against import first_named, held_against_each_other, named_in_order
from advisor.claims.reading.numbers.number_words import search

_HALF = r"(?:amp|autocast|mixed[\s-]precision|half|tf32|tensorfloat[\s-]?32|混合精度|半精度)"
_WITHOUT_HALF = (
    rf"\b(?:without|no|not using|not|disabl\w+) {_HALF}(?![a-z0-9])"
    rf"|(?:不用|不使用|不开|没开|未开|关闭了?|关掉了?|关了|禁用了?|未用|没有|没用|非)\s*{_HALF}"
    rf"|(?<![a-z0-9]){_HALF}(?:(?: is| was|,)? (?:disabled|(?:turned |switched )?off)\b|\s?=\s?(?:false|0)\b"
    r"|\s*(?:已?关闭|关掉|关了|没开|未开))"
)
_STRICT = (
    r"\b(?:strict|true|ieee|real)[ -]?(?:fp32|float32|single)|\b(?:no|without|disabl\w+|not) tf32"
    r"|\btf32 (?:is )?(?:off|disabled)"
    r"|allow_tf32\s*=\s*(?:false|0)|(?:关闭|关掉|不用|没有)\s*tf32|严格\s*fp32"
)
_AUTOCAST = r"(?:[\s-]{0,2}(?:amp\b|autocast\b|mixed[\s-]precision|混合精度))?"
"""Behind a type's name it says nothing more: `BF16 AMP` names one precision, not two."""
_AUTOCAST_IN = r"(?:\b(?:amp|mixed[\s-]precision)[\s-]{0,2}(?:\(|with |in |using )?)?"
PRECISIONS: tuple[tuple[str, Precision], ...] = (
    (_WITHOUT_HALF, "fp32"),
    (rf"{_AUTOCAST_IN}(?:\bfp[\s-]?8\b|\bfloat8\b){_AUTOCAST}", "fp8"),
    (r"\b(?:pure|full|true)[\s-](?:bf16|bfloat16)|\bbf16[_ -]true\b|(?:纯|全)\s*bf16", "bf16_true"),
    (rf"{_AUTOCAST_IN}\bb(?:float|f)16\b{_AUTOCAST}", "bf16_amp"),
    (r"(?<![a-z0-9])tf32(?![a-z0-9])|tensorfloat", "tf32"),
    (r"\b(?:pure|full)[\s-](?:fp16|half)|\bo2\b|纯\s*fp16", "fp16"),
    (r"\b(?:strict |full |true )?fp[\s-]?32\b|\bfloat32\b|(?:single|full)[\s-]precision|单精度|全精度", "fp32"),
    (
        rf"{_AUTOCAST_IN}\b(?:fp[\s-]?|float)16\b{_AUTOCAST}|\bamp\b|(?:mixed|half)[\s-]precision|混合精度|半精度",
        "fp16_amp",
    ),
)
"""`FP16` alone means autocast, as most people use it."""
_BROUGHT = (
    r"^(?: training|训练| on (?:an? |the |my )?[a-z][a-z0-9 -]{1,16}?)?"
    r" ?(?:only |just |已经?|只)?(?:made|makes|gave|gives|brought|brings|sped|speeds|doubles|doubled|is|was|使|让)"
)
"""Behind a precision that is told alone: what it is held against is FP32, or BF16 where that is FP8."""
_REDUCED = tuple((pattern, meant) for pattern, meant in PRECISIONS if meant != "fp32")
_ANY_REDUCED = rf"(?:{_HALF}|{'|'.join(pattern for pattern, _ in _REDUCED)})"
_OFF = (
    r"(?:\b(?:(?:turn|switch)(?:ing|ed) (?:off )?|(?:disabl|dropp|remov)(?:ing|ed) |los(?:ing|t) )(?:the )?"
    rf"(?P<english>{_ANY_REDUCED})(?: off)?"
    r"(?=\W+(?:made|makes|cost|slow|brought|gave|is|was|doubled|halved|i |we |my |our ))"
    rf"|(?:关掉|关闭|关了|禁用|去掉|不用)了?\s*(?P<chinese>{_ANY_REDUCED})\s*(?:之后|以后|后|,|让|使))"
)
"""A precision that was done without, of which the figure is told: what it is held against is that precision."""


def says_strict(text: str) -> bool:
    """Whether FP32 is said to be FP32 in convolutions, too."""
    return search(_STRICT, text.lower()) is not None


def compared_precisions(plain: str) -> tuple[Precision, Precision] | None:
    """Two precisions that are held against each other: `BF16 is twice as fast as FP32`; None: not two."""
    named = named_in_order(PRECISIONS, plain)
    if len(named) == 1 and (without := search(_OFF, plain)) is not None:
        meant = _meant_by(without["english"] or without["chinese"])
        return _usual_beside(meant), meant
    if len(named) == 1 and named[0][1] != "fp32" and search(_BROUGHT, plain[named[0][0] :]):
        return named[0][1], _usual_beside(named[0][1])
    if len(named) == 2 and re.match(r"\s*(?:->|-->|=>|→|换成?|改成?|到)", plain[named[0][0] :]) is not None:  # noqa: PLR2004
        return named[1][1], named[0][1]
    return held_against_each_other(named, plain)


def _meant_by(words: str) -> Precision:
    return first_named(_REDUCED, words) or ("tf32" if words.startswith("t") else "fp16_amp")


def _usual_beside(precision: Precision) -> Precision:
    """What a precision that is told alone is held against."""
    return "bf16_amp" if precision == "fp8" else "fp32"


def precisions_of_cards(plain: str, cards: Sequence[tuple[int, int]]) -> tuple[Precision, Precision] | None:
    """The precision that stands nearest to either of two cards, in the order of the cards; None: not two are named.

    `cards`: the places of their names, from and to.
    """
    named = named_in_order(PRECISIONS, plain)
    if len(named) != 2 or named[0][1] == named[1][1]:  # noqa: PLR2004 - a pair
        return None
    near = [min((0, 1), key=lambda which: abs(named[which][0] - end)) for _, end in cards]
    first, other = near if near[0] != near[1] else (0, 1)
    return named[first][1], named[other][1]
