"""The figure that a claim makes: a step time, a rate, an epoch, or how many times faster."""

from __future__ import annotations

import re
from typing import NamedTuple

_N = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(k(?![a-z])|万|千)?"
_UNITS = (
    (r"ms\b|milliseconds?|毫秒", 1e-3),
    (r"(?:µs|μs|us)\b|microseconds?|微秒", 1e-6),
    (r"seconds?|secs?\b|s\b|秒", 1.0),
    (r"minutes?|mins?\b|分钟|分(?!类|割|辨|布)", 60.0),
    (r"hours?|hrs?\b|h\b|小时|个小时", 3600.0),
    (r"days?|天", 86400.0),
)
_UNIT = "(" + "|".join(pattern for pattern, _ in _UNITS) + ")"
_STEP = r"(?:training )?(?:steps?|iterations?|iters?|its?|batch(?:es)?|步|次迭代|迭代|个?batch)"
_PER = r"\s*(?:a|an|per|/|each|every|for (?:a|one|each)|每|一)\s*(?:single )?"
_SAMPLES = (
    r"(?:images?|imgs?|samples?|sequences?|seqs?|examples?|sentences?|rows?|pictures?|张图片?|张图像|张|幅|个?样本|条)"
)
_SECOND = r"(?:s(?:ec(?:ond)?)?\b|秒)"
_EPOCH = r"(?:epochs?|轮|个?epoch)"
_DURATION = rf"{_N}\s*{_UNIT}(?:\s*(?:and\s*)?(\d+(?:\.\d+)?)\s*{_UNIT})?"
"""Five groups: number, scale, unit, and optionally a second number and unit (`2 h 46 min`)."""
_ABOUT = r"(?:only |about |almost |nearly |over |more than |仅|约|大约|近)?"
_TAKES_ENGLISH = r"(?:takes?|took|in|within|only|needs?|needed)"
_TAKES_CHINESE = r"(?:需要?|用时?|耗时|仅用?|只用|只要|花了?|要|约)"
_FASTER = (
    r"(?:faster|as fast|quicker|as quick|the speed|speed-?\s?up|more throughput|the throughput|as much|better"
    r"|acceleration)"
)
_CHINESE_GAIN = r"(?:快|提升|加速|提速)\s*(?:了|到|至)?"
_TO = r"(?:down )?(?:to|到|降到|降至|减到|减至|缩短到|缩短至|变成|变为)"
_FROM_TO = rf"(?:from|从|由)\s*{_DURATION}\s*(?:an epoch |per epoch |/epoch )?{_TO}\s*{_DURATION}"
_PERCENT = (
    rf"{_N}\s*%\s*(?:{_FASTER}|更快|加速|提速|提升)",
    rf"(?:{_CHINESE_GAIN}|faster by|speed-?up of)\s*{_N}\s*%",
)
_TIMES = (
    rf"{_N}\s*(?:x|×|-?\s?fold|times)\s*(?:as? )?{_FASTER}",
    rf"(?:speed-?\s?up|faster|acceleration)\s*(?:of|by|:|=|is)?\s*{_ABOUT}{_N}\s*(?:x|×|-?\s?fold|times)",
    rf"speed-?\s?up\s*(?:of|:|=|is)\s*{_ABOUT}{_N}(?!\s*(?:%|ms|s\b|gpu))",
    rf"{_N}\s*倍",
    rf"{_CHINESE_GAIN}\s*{_N}\s*[x×]",
)
_TWOFOLD = (
    r"\btwice (?:as|the)|\btwo times|\bdoubl(?:e|ed|es|ing)\b|\bhal(?:f the time|ve[sd]?)\b|\btwofold"
    r"|快了?一倍|两倍|翻倍|减半"
)
_THREEFOLD = r"三倍|\bthree times|\btripl(?:e|ed|es|ing)\b"


class Figures(NamedTuple):
    """What was claimed, in base units; None: not said. An empty one is false."""

    step_s: float | None = None
    samples_per_s: float | None = None
    tokens_per_s: float | None = None
    epoch_s: float | None = None
    job_s: float | None = None
    speed_up_ratio: float | None = None

    def __bool__(self) -> bool:
        """Whether there is anything to check."""
        return any(value is not None for value in self)


def search(pattern: str, plain: str) -> re.Match[str] | None:
    r"""As `re.search`, with `\\b` also between Latin letters or digits and Chinese ones."""
    return re.search(pattern, plain, re.ASCII)


def find_figures(plain: str) -> Figures:
    """The figures of a normalised text."""
    step = _step_s(plain)
    samples = _rate(plain, _SAMPLES)
    tokens = _rate(plain, r"(?:tokens?|词元)")
    ratio = _ratio(plain)
    epoch = _epoch_s(plain) if ratio is None else None
    job = None
    if not any((step, samples, tokens, epoch, ratio)):
        job = _seconds(plain, rf"{_TAKES_ENGLISH}\s*{_ABOUT}{_DURATION}") or _seconds(
            plain, rf"{_TAKES_CHINESE}\s*{_ABOUT}{_DURATION}"
        )
    return Figures(step, samples, tokens, epoch, job, ratio)


def _epoch_s(plain: str) -> float | None:
    """Seconds of one epoch; `3 epochs in 38 minutes` counts a third of it."""
    several = search(rf"(\d+)\s*{_EPOCH}\s*(?:{_TAKES_ENGLISH}|{_TAKES_CHINESE})?\s*{_ABOUT}{_DURATION}", plain)
    if several is not None and int(several.group(1)) > 0:
        return _duration(several.groups()[1:]) / int(several.group(1)) or None
    return (
        _seconds(plain, rf"{_DURATION}\s*(?:{_PER}){_EPOCH}")
        or _seconds(plain, rf"(?:每|一)(?:个)?\s*{_EPOCH}\s*{_TAKES_CHINESE}?\s*{_ABOUT}{_DURATION}")
        or _seconds(plain, rf"{_EPOCH}[^.;。；]{{0,24}}?(?:{_TAKES_ENGLISH}|{_TAKES_CHINESE})\s*{_ABOUT}{_DURATION}")
    )


def _number(text: str, scale: str | None) -> float:
    return float(text) * {"k": 1e3, "千": 1e3, "万": 1e4}.get(scale or "", 1.0)


def _unit_s(word: str) -> float:
    return next(size for pattern, size in _UNITS if re.fullmatch(pattern, word))


def _duration(groups: tuple[str | None, ...]) -> float:
    """Seconds of the groups of _DURATION: number, scale, unit, and optionally number and unit again."""
    number, scale, unit, number2, unit2 = groups[:5]
    seconds = _number(number or "0", scale) * _unit_s(unit or "s")
    if number2 and unit2:
        seconds += float(number2) * _unit_s(unit2)
    return seconds


def _seconds(plain: str, pattern: str) -> float | None:
    match = search(pattern, plain)
    seconds = _duration(match.groups()) if match is not None else 0.0
    return seconds if seconds > 0 else None


def _step_s(plain: str) -> float | None:
    direct = (
        _seconds(plain, rf"{_DURATION}\s*(?:{_PER}){_STEP}")
        or _seconds(plain, rf"(?:每|一)(?:个)?\s*{_STEP}\s*(?:只?需要?|用时?|耗时|要|约|为|是)?\s*{_DURATION}")
        or _seconds(plain, rf"{_STEP}\s*(?:time\s*(?:of|=|:|is)?|takes|took)\s*{_ABOUT}{_DURATION}")
        or _seconds(plain, rf"{_STEP}(?: time)?(?: of|=|:| is| takes| took| in)?\s*{_ABOUT}{_N}\s*(ms\b|毫秒)()()")
    )
    if direct is not None:
        return direct
    rate = search(rf"{_N}\s*{_STEP}\s*(?:/|per|a|each|every|每)\s*{_SECOND}", plain) or search(
        rf"每秒(?:钟)?\s*{_N}\s*(?:步|次迭代|迭代|个?batch)", plain
    )
    value = _number(rate.group(1), rate.group(2)) if rate is not None else 0.0
    return 1 / value if value > 0 else None


def _rate(plain: str, thing: str) -> float | None:
    match = search(rf"{_N}\s*{thing}\s*(?:/|per|a|each|every|每)\s*{_SECOND}", plain) or search(
        rf"每秒(?:钟)?(?:处理|训练)?\s*{_N}\s*{thing}", plain
    )
    value = _number(match.group(1), match.group(2)) if match is not None else 0.0
    return value if value > 0 else None


def _ratio(plain: str) -> float | None:
    """How many times faster; `77 % faster` is 1.77, `3.5 times faster` is 3.5, `from 3 h to 52 min` is their ratio."""
    between = search(_FROM_TO, plain)
    if between is not None:
        before, after = _duration(between.groups()[:5]), _duration(between.groups()[5:])
        return before / after if after > 0 and before > 0 else None
    for pattern in _PERCENT:
        percent = search(pattern, plain)
        if percent is not None:
            return 1 + float(percent.group(1)) / 100
    for pattern in _TIMES:
        times = search(pattern, plain)
        if times is not None:
            return _number(times.group(1), times.group(2)) or None
    if search(_TWOFOLD, plain):
        return 2.0
    return 3.0 if search(_THREEFOLD, plain) else None
