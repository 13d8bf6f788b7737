"""The words of a claim that name precision, strategy and count, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from advisor.catalogue.precisions import Precision
from advisor.claims.reading.number_words import DURATION, RATE, RATE_BEHIND, search

Word = TypeVar("Word", bound=str)

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
COMPARES = (
    r"\bthan\b|\bover\b|\bvs\b|\bversus\b|\bcompared\b|\bagainst\b|\bas (?:fast|slow|quick) as\b|\binstead of\b"
    r"|\b(?:speed|throughput|time) of\b|\b(?:same|equal|identical) (?:speed|throughput|time)\b"
    r"|\bno (?:\w+ )?difference\b|比|相对|一样快|速度(?:基本)?一样|没有?(?:什么)?(?:区别|差别|差异)|差不多快"
)
_CHANGES = r"\bfrom\b.{0,40}\bto\b|从.{0,20}(?:到|换成|改为)"
_BROUGHT = (
    r"^(?: training|训练| on (?:an? |the |my )?[a-z][a-z0-9 -]{1,16}?)?"
    r" ?(?:only |just |已经?|只)?(?:made|makes|gave|gives|brought|brings|sped|speeds|doubles|doubled|is|was|使|让)"
)
"""Behind a precision that is told alone: what it is held against is FP32, or BF16 where that is FP8."""
_TURNED_OFF = (
    r"(?:\b(?:turn|switch)\w* off|\bdisabl\w+|\bremov\w+|\bdropp\w+|关掉|关了|关闭|去掉)\s*(?:the )?[a-z0-9 -]{2,24}$"
)
"""Before a precision, to its end: what is told is what came of doing without it."""
_SWITCHED_OFF = (
    rf"\b(?:(?:turn|switch)(?:ing|ed) (?:off )?|disabl(?:ing|ed) |dropp(?:ing|ed) |los(?:ing|t) )(?:the )?({_HALF})"
    r"(?: off)?(?=\W+(?:made|makes|cost|slow|brought|gave|is|was|doubled|halved|i |we |my |our ))"
    rf"|(?:关掉|关闭|关了|禁用|去掉|不用)了?\s*({_HALF})\s*(?:之后|以后|后|,)"
)
"""A precision that was done without, of which the figure is told: what it is held against is that precision."""
_FITS = r"\bfits?\b|\bfitting\b|放得下|装得下|装得进|放得进|能放进|能装进|[可能](?:以)?[放装]下"
_FITS_NOT = (
    r"(?:\b(?:not|never|cannot)|n't) (?!only |just )(?:[a-z]+ ){0,2}fit(?:s|ting)?\b|\bout of memory\b"
    r"|\boom(?:s|ed|ing|'d|'s)?\b|too (?:large|big) for\b"
    r"|\bno way\b[^.;]{0,60}\bfits?\b"
    r"|放不下|装不下|塞不下|塞不进|放不进|装不进|爆显存"
)
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


def says_training(text: str) -> bool:
    """Whether a claim says in words that a model was trained: then no inference explains it."""
    return search(r"\b(?:re|pre)?-?train|fine-?\s?tun|\bq?lora\b|\bepochs?\b|训练|微调|轮", text.lower()) is not None


def says_strict(text: str) -> bool:
    """Whether FP32 is said to be FP32 in convolutions, too."""
    return search(_STRICT, text.lower()) is not None


def first_named(words: tuple[tuple[str, Word], ...], plain: str) -> Word | None:
    """What the first pattern of a table that is found in a text means; None: none is found."""
    return next((meant for pattern, meant in words if search(pattern, plain)), None)


def compared_precisions(plain: str) -> tuple[Precision, Precision] | None:
    """Two precisions that are held against each other: `BF16 is twice as fast as FP32`; None: not two."""
    named = named_in_order(PRECISIONS, plain)
    without = search(_SWITCHED_OFF, plain)
    if without is not None and len(named) == 1:
        return "fp32", ("tf32" if (without.group(1) or without.group(2)).startswith("t") else "fp16_amp")
    if len(named) == 1 and named[0][1] != "fp32" and search(_BROUGHT, plain[named[0][0] :]):
        usual: Precision = "bf16_amp" if named[0][1] == "fp8" else "fp32"
        off = search(_TURNED_OFF, plain[: named[0][0]]) is not None
        return (usual, named[0][1]) if off else (named[0][1], usual)
    if len(named) == 2 and re.match(r"\s*(?:->|-->|=>|→|换成?|改成?|到)", plain[named[0][0] :]) is not None:  # noqa: PLR2004
        return named[1][1], named[0][1]
    return held_against_each_other([precision for _, precision in named], plain)


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


def named_in_order(words: tuple[tuple[str, Word], ...], plain: str) -> list[tuple[int, Word]]:
    """What a table's patterns find, with the place behind each, in the text's order; what is taken is read once."""
    taken: list[tuple[int, int, Word]] = []
    for pattern, meant in words:
        for match in re.finditer(pattern, plain, re.ASCII):
            start, end = match.span()
            if not any(start < other_end and other_start < end for other_start, other_end, _ in taken):
                taken.append((start, end, meant))
    return [(end, meant) for _, end, meant in sorted(taken)]


def held_against_each_other(named: Sequence[Word], plain: str) -> tuple[Word, Word] | None:
    """After and before of two things that a text names in this order; None: not two, or not held together.

    One that is named again is what the figure is said of: `FSDP vs DDP: FSDP is 10 % slower`, `DDP vs FSDP: FSDP is`.
    """
    first, other = (*dict.fromkeys(named), None, None)[:2]
    if len(set(named)) != 2 or len(named) > 3 or first is None or other is None:  # noqa: PLR2004 - a pair, one again
        return None
    again = named[-1] if len(named) == 3 and named[0] != named[1] else None  # noqa: PLR2004
    if again is None and (search(_CHANGES, plain) is not None or says_two_speeds(plain)):
        return other, first
    if search(COMPARES, plain) is None:
        return None
    return (other, first) if again == other else (first, other)


def says_two_speeds(plain: str) -> bool:
    """Whether two rates are told, or two times and no rate: each is of one of two set-ups."""
    rates = len(re.findall(rf"(?:{RATE}|{RATE_BEHIND})", plain, re.ASCII))
    return rates == 2 or (rates == 0 and len(re.findall(DURATION, plain, re.ASCII)) == 2)  # noqa: PLR2004 - a pair


def says_fits(plain: str) -> bool | None:
    """Whether a model is said to fit a card, or not to; None: neither is said.

    What another set-up does in a part of its own, without a figure, decides nothing beside what does fit:
    `ZeRO-2 on 8 A100 can train a 7B, plain DDP ran out of memory`.
    """
    if (without := search(_FITS_NOT, plain)) is not None:
        parts = re.split(r"[,;.。，；](?!\d)|\b(?:but|while|whereas)\b|但|而", plain)
        beside = next((part for part in parts if without.group() in part), plain)
        others = plain.replace(beside, " ")
        holds = search(rf"{_FITS}|\bcan (?:train|fine-?tune|run)\b|能训", others) is not None
        return holds and search(r"\d", beside) is None
    return True if search(_FITS, plain) else None


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
