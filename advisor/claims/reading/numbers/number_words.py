"""Numbers, durations and rates as people write them in a claim."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?!\.?\d)\s*(k(?![a-z])|m(?=\s*tok)|万|千)?"
"""Two groups: the number, always whole (no `4` of `4.5`), and its scale."""
PERCENT = rf"{NUMBER}\s*(?:%|percent|per cent)"
_UNITS = (
    (r"ms\b|milliseconds?|毫秒", 1e-3),
    (r"(?:µs|μs|us)\b|microseconds?|微秒", 1e-6),
    (r"seconds?|secs?\b|s\b|秒钟?", 1.0),
    (r"minutes?|mins?\b|分钟|分(?!类|割|辨|布|之)", 60.0),
    (r"(?:hours?|hrs?|h(?!(?:100|200|800)(?!\d)))(?![a-z])|个?小时", 3600.0),  # `8 H100` are cards
    (r"days?|天", 86400.0),
    (r"weeks?|周|个?星期", 604800.0),
    (r"months?|个月", 2629800.0),
    (r"years?|(?<!\d{4})(?<!\d{4} )年", 31557600.0),  # `2023 年` is a date
    (r"m\b", 60.0),
)
UNIT = "(" + "|".join(pattern for pattern, _ in _UNITS[:-1]) + ")"
_SECOND_UNIT = "(" + "|".join(pattern for pattern, _ in _UNITS) + ")"
"""One group: the word for a time, of any but the shortest hand (`m` alone is of a second figure)."""
DURATION = rf"(?<![a-z0-9.])(?<![a-z]-){NUMBER}\s*{UNIT}(?:\s*(?:and\s*)?(\d+(?:\.\d+)?)\s*{_SECOND_UNIT})?"
"""Five groups: number, scale, unit, and optionally a second number and unit (`2 h 46 min`)."""
SECOND = r"(?:s(?:ec(?:ond)?)?\b|秒钟?)"
A_SECOND = rf"\s*(?:/|per|a|each|every|每)\s*{SECOND}"
"""What stands behind a figure's unit where it is a rate."""
SAMPLES = (
    r"(?:images?|imgs?|ims?(?=\s*/)|pics?|samples?|sequences?|seqs?|examples?|sentences?|rows?|pictures?|frames?"
    r"|张图片?|张图像|张|幅|帧|图[片像]?(?=\s*(?:/|每))|个?样本|条)"
)
STEPS = r"(?:个\s*)?(?:training )?(?:steps?|iterations?|iters?|its?|batch(?:es)?|步|次迭代|迭代|个?batch)"
TOKENS = r"(?:个\s*)?(?:tok(?:en)?s?|t(?=/s\b)|词元)"
OF_RATE = rf"(?:{SAMPLES}|{STEPS}|{TOKENS}){A_SECOND}"
"""The unit of a rate of samples, steps or tokens."""
RATE = rf"(?<![a-z0-9.]){NUMBER}\s*{OF_RATE}"
"""Two groups: of samples, steps or tokens a second."""
A_SECOND_CHINESE = r"每秒(?:钟)?[^,.;:，。；：/每]{0,24}?(?<![a-z\d.-])"
"""With the words that may stand before its figure: `每秒大概能跑`, `每秒训练 ResNet-50`."""
RATE_BEHIND = rf"{A_SECOND_CHINESE}\s*{NUMBER}\s*(?:{SAMPLES}|{STEPS}|{TOKENS})"
"""The same, as Chinese puts it: two groups."""
NOT_ONE_NUMBER = (
    rf"(?<![a-z0-9-])(?:\d[\d.]*[,'’_⁄/^*:-]|\d+\.\d+\.|\.){NUMBER}"
    rf"\s*(?:{UNIT}|{OF_RATE}|x\b|times\b|倍|%)"
)
"""`12,5 ms`, `1/2 hours`, `3-4 images/s`, `1:30 h`: its last part alone would be another figure."""
SAYS = r"(?:\s*(?:of|=|:|is|为|是))?\s*"
BATCH_WORDS, OTHER_BATCH_WORDS = (
    r"(?:\b|(?<=train_)|(?<=micro_)|(?<=mini_))batch(?:[ _-]?size)?",
    (r"\bbs", r"批(?:大小|量|次)(?:大小)?"),
)
"""What a batch's samples stand behind: the word that may count batches of cards, and others."""
LENGTH_WORDS = (
    r"\b(?:(?:seq(?:uence)?|max)[ _-]?)?len(?:gth)?",
    r"\bseq",
    r"\bsequence(?=[ =:]{0,3}(?:of |is )?\d{2,7}(?![\w.]| ?(?:ms|s|sec|seconds?|x|×|gpus?|cards?|[abhlt]\d)\b))",
    r"(?:\b(?:context|ctx)|上下文)(?=[ =:]{0,3}(?:of |is |为|是)?(?:\d{1,4} ?k(?![a-z])|\d{3,7}(?![\w.])))",
    r"\bcut-?off(?:[ _-]?len(?:gth)?)?(?=[ =:]{0,3}(?:of |is )?\d{2,5}(?![\w.]))",
    r"(?:序列(?:长度?)?|长度)",
)
"""What a sample's words stand behind."""
CONTEXT = r"[ -]?(?:tokens?[ -]?)?(?:of )?(?:context|ctx\b|上下文)"
"""What stands behind a text's words: `128k context`."""
_SIZE = rf"(?:{'|'.join((BATCH_WORDS, *OTHER_BATCH_WORDS, *LENGTH_WORDS))}){SAYS}"
_BINARY_K = 1024
NO_WHOLE_SIZE = rf"{_SIZE}\d+(?:[.,'’_^*/:-]\*?\d|e[+-]?\d)[\d.e]*"
"""`batch 2^10`, `batch 1e3`, `batch 64-128`: its first digits alone would be another size."""
WHOLE_SIZE = rf"{_SIZE}(\d+)"
"""One group: samples of a batch or words of a sample."""
_WORDS = {
    "half an": "0.5", "an": "1", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "seven": "7", "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "半": "0.5", "一": "1", "两": "2", "二": "2",
    "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10",
}  # fmt: skip
_TENS = {"十": "10", "百": "100", "千": "1000"}
_CLOCK = re.compile(r"(?<![\w.])(\d{1,3})h(?!20)(\d{2})(?![\w.])")
"""`4h10`; `8h20` may be cards, too."""
_ENGLISH_SPELLED = re.compile(
    r"(?<![a-z])(half an|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
    r"(?= (?:hours?|minutes?|seconds?|days?|weeks?|months?|years?|epochs?|steps?|iterations?)\b)"
)
_A_SPELLED = re.compile(
    r"(?<![a-z])(?:(?<=\bin )|(?<=\bwithin )|(?<=\btook )|(?<=\btakes )|(?<=\bonly )|(?<=\bjust )|(?<=\babout ))"
    r"a(?= (?:hour|minute|day|week|month|year)\b)"
)
"""`in a week` is a time; `50 images a minute` holds none."""
_CLOCKS = re.compile(
    r"(?<![\w:.])(\d{1,3}):([0-5]\d)((?: (?:per|an|/|a) ?epoch)?\s*(?:(?:down )?to|->|=>|→|[降缩减]?[短少]?到)\s*)"
    r"(\d{1,3}):([0-5]\d)(?![:\d])"
)
"""`from 11:20 to 4:50`: what is told of two is their ratio, be they of minutes or of hours."""
_OF_SPEED = (
    r"(?=(?: of)? ?(?:the |its |their )?(?:(?:training|step|epoch) )?(?:speed|throughput|time)\b|的?(?:速度|吞吐|时间))"
)
_FRACTION = re.compile(rf"(?<![\w./])([1-9])/([2-9]|1[0-2])(?:th|rd)?(?![\w/]){_OF_SPEED}", re.ASCII)
_MANY_PARTS = r"(?P<many>an?|one|two|three|four)[ -](?P<part>third|quarter|fourth|fifth|sixth|eighth|tenth)s?"
_ENGLISH_FRACTIONS = (
    re.compile(
        rf"\b{_MANY_PARTS}"
        rf"(?:{_OF_SPEED}|(?= (?:faster|slower|quicker|longer|shorter)\b)"
        r"|(?= (?:more|less) (?:time|throughput|tokens|images|samples)\b))",
        re.ASCII,
    ),
    re.compile(rf"(?:(?<=\bby )|(?<=\bby about )|(?<=\bby almost ))\b{_MANY_PARTS}(?![\w-])", re.ASCII),
)
_CHINESE_FRACTION = re.compile(
    r"(?:(?<=快了)|(?<=慢了)|(?<=快)|(?<=慢)|(?<=缩短了)|(?<=缩短到)|(?<=缩短至)|(?<=减少了)|(?<=降低了)|(?<=提升了)"
    r"|(?<=提高了)|(?<=省了)|(?<=少了)|(?<=的))(?P<part>[二三四五六七八九十])分之(?P<many>[一二两三四五六七八])(?!的?(?:显存|内存|价))"
)
"""A share of speed or time; those of memory are words of their own."""
_PARTS = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_CHINESE_SPELLED = re.compile(
    r"(?<!第)([半一两二三四五六七八九]|[二三四五六七八九]?十[一二三四五六七八九]?)(?=\s*个?\s*(?:小时|分钟|秒|天|轮|周|星期|月|年|epoch|step))"
)


def spelled_out(plain: str) -> str:
    """The text with `three hours`, `half an hour`, `三小时`, `一个半小时` and `batch 4k` in digits."""
    plain = re.sub(
        r"([一两二三四五六七八九\d])个半小时", lambda match: f"{_WORDS.get(match[1], match[1])}.5小时", plain
    )
    plain = re.sub(r"\ban hour and a half\b", "1.5 hours", plain)
    plain = _CLOCK.sub(r"\1 h \2 min", plain)
    plain = _ENGLISH_SPELLED.sub(lambda match: _WORDS[match[1]], plain)
    plain = re.sub(r"([一两二三四五])倍半", lambda match: f"{_WORDS[match[1]]}.5倍", plain)
    plain = re.sub(r"([一二两三四五六七八九\d])\s*成(?=$|[\s,.;。，；的左多显内时速])", _in_tenths, plain)
    plain = _A_SPELLED.sub("1", plain)
    plain = _CLOCKS.sub(r"\1 min \2 s\3\4 min \5 s", plain)
    plain = _FRACTION.sub(lambda match: f"{100 * int(match[1]) / int(match[2]):.4g}%", plain)
    for fraction in (*_ENGLISH_FRACTIONS, _CHINESE_FRACTION):
        plain = fraction.sub(_in_percent, plain)
    plain = _CHINESE_SPELLED.sub(_beside_name, plain)
    plain = re.sub(r"(?<![\d一二两三四五六七八九十百千])([十百千])万", lambda match: f"{_TENS[match[1]]}0000", plain)
    # No blank stands between a Latin word and a number in Chinese; a digit behind a letter belongs to a card's name.
    plain = re.sub(r"(epoch|step|batch|iteration|ddp|fsdp|parallel)(?=\d)", r"\1 ", plain)
    # `batch 4k`, `length 8k` and `8k context` are powers of two to everyone who writes them.
    plain = re.sub(rf"()(?<![\d.])(\d{{1,4}}) ?k(?={CONTEXT}| ?的?(?:序列)?长度)", _in_binary_k, plain, flags=re.ASCII)
    return re.sub(rf"({_SIZE})(\d{{1,6}}) ?k(?![a-z])", _in_binary_k, plain, flags=re.ASCII)


def _beside_name(match: re.Match[str]) -> str:
    """A numeral in digits, parted from a name or a comma right before it: `resnet50一个epoch`, `128,一秒`."""
    before = match.string[match.start() - 1 : match.start()]
    parted = before == "," or (before.isascii() and before.isalnum())
    return f" {_chinese(match[1])}" if parted else _chinese(match[1])


def _in_percent(match: re.Match[str]) -> str:
    """`two thirds` and `三分之二` are 66.67 %."""
    many = {"a": "1", "an": "1"}.get(match["many"]) or _WORDS[match["many"]]
    return f"{100 * int(many) / (_PARTS.get(match['part']) or int(_WORDS[match['part']])):.4g}%"


def _in_tenths(match: re.Match[str]) -> str:
    """`三成` is 30 %."""
    return f"{int(_WORDS.get(match[1], match[1])) * 10}%"


def _in_binary_k(match: re.Match[str]) -> str:
    return f"{match[1]}{int(match[2]) * _BINARY_K}"


def _chinese(word: str) -> str:
    """A numeral below a hundred in digits: `五十二` is 52."""
    tens, ten, ones = word.partition("十")
    if not ten:
        return _WORDS[word]
    return str(10 * int(_WORDS.get(tens, "1")) + int(_WORDS.get(ones, "0")))


def search(pattern: str, plain: str) -> re.Match[str] | None:
    r"""As `re.search`, with `\\b` also between Latin letters or digits and Chinese ones."""
    return _compiled(pattern).search(plain)


def search_each(patterns: Iterable[str], plain: str) -> re.Match[str] | None:
    """What the first of these patterns that is found at all finds."""
    return next((hit for pattern in patterns if (hit := search(pattern, plain)) is not None), None)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled once: the words of claims are more patterns than `re` itself keeps."""
    return re.compile(pattern, re.ASCII)


def number(text: str, scale: str | None) -> float:
    """The groups of NUMBER as one number."""
    return float(text) * {"k": 1e3, "m": 1e6, "千": 1e3, "万": 1e4}.get(scale or "", 1.0)


def duration(groups: tuple[str | None, ...]) -> float:
    """Seconds of the groups of DURATION: number, scale, unit, and optionally number and unit again."""
    first, scale, unit, second, second_unit = groups[:5]
    seconds = number(first or "0", scale) * _unit_s(unit or "s")
    if second and second_unit:
        seconds += float(second) * _unit_s(second_unit)
    return seconds


def _unit_s(word: str) -> float:
    return next(size for pattern, size in _UNITS if re.fullmatch(pattern, word))


SHARE_WORDS = {
    "half": 1 / 2, "a third": 1 / 3, "one third": 1 / 3, "a quarter": 1 / 4, "one quarter": 1 / 4, "a fifth": 1 / 5,
    "one fifth": 1 / 5, "三分之一": 1 / 3, "四分之一": 1 / 4, "五分之一": 1 / 5, "一半": 1 / 2,
}  # fmt: skip


def share_of(groups: tuple[str | None, ...]) -> float:
    """The groups of a share, number, scale and word, as a fraction."""
    figure, scale, word = groups
    return number(figure, scale) / 100 if figure else SHARE_WORDS[word or "half"]


def blanked(plain: str, pattern: str) -> str:
    """The text with what a pattern finds replaced by as many blanks, so that all other places stay."""
    return re.sub(pattern, lambda match: " " * len(match[0]), plain, flags=re.ASCII)


UNIT_BYTES = {"g": 1e9, "gb": 1e9, "gib": 2.0**30, "tb": 1e12, "tib": 2.0**40}
