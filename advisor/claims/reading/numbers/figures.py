"""The figure that a claim makes: a step time, a rate, an epoch, or how many times faster."""

from __future__ import annotations

import re
from typing import NamedTuple

from advisor.claims.reading.numbers.number_words import (
    A_SECOND,
    A_SECOND_CHINESE,
    DURATION,
    NUMBER,
    SAMPLES,
    STEPS,
    TOKENS,
    duration,
    number,
    search,
)
from advisor.claims.reading.numbers.ratio_words import find_ratio
from advisor.claims.reading.numbers.utilisation_words import find_flop_rate, find_utilisation, without_utilisation

_STEP_WORD = STEPS.replace("|its?", "")
"""Not `it`, which mostly is the pronoun: `it took 3 hours`."""
_PER = r"\s*(?:a|an|per|/|each|every|for (?:a|one|each)|每|一)\s*(?:single )?"
_OF_NO_NAME = r"(?<![a-z0-9./-])"
"""Before a number of epochs or steps: the end of a model's name is none, `a ResNet-50 epoch`."""
_EPOCH = r"(?:epochs?|轮|个?epoch)"
_OF_EACH_EPOCH = (
    rf"(?:\b(?:per|each|every|an?|one|single)[ -]|/ ?|[每一单](?:个)? ?){_EPOCH}|{_EPOCH} (?:time|takes?|took)"
)
_SEVERAL_STEPS = r"(?:(?:training |optimizer )?(?:steps|iterations|iters|updates)|步|次迭代)"
_MILLIONS = r"(m|million|百万)?"
_OF_EACH_STEP = (
    r"(?:\b(?:per|each|every|a|one|single)[ -]|/ ?|[每一单](?:个)? ?)(?:training )?"
    r"(?:steps?|iterations?|its?|batch|步)(?![a-z])"
)
_ABOUT = r"(?:only |about |almost |nearly |roughly |around |over |more than |仅|约|大约|近)?"
_TAKES_ENGLISH = r"(?:takes?|took|in|within|only|needs?|needed|finish(?:es|ed)? in)"
_TAKES_CHINESE = r"(?:需要?|用时?了?|耗时|仅用?|只用|只要|花了?|要|约)"


class Figures(NamedTuple):
    """What was claimed, in base units; None: not said. An empty one is false."""

    step_s: float | None = None
    samples_per_s: float | None = None
    tokens_per_s: float | None = None
    epoch_s: float | None = None
    job_s: float | None = None
    speed_up_ratio: float | None = None
    mfu_fraction: float | None = None
    memory_ratio: float | None = None
    saved_bytes: float | None = None
    flop_per_s: float | None = None

    def __bool__(self) -> bool:
        """Whether there is anything to check."""
        return any(value is not None for value in self)


def find_figures(plain: str, *, alike: bool = True) -> Figures:
    """The figures of a normalised text; `alike`: whether what is no faster is as fast."""
    rate = find_flop_rate(plain)
    if rate is not None:
        return find_figures(rate.without, alike=alike)._replace(flop_per_s=rate.flop_per_s or None)
    mfu = find_utilisation(plain)
    if mfu is not None:
        return _speeds(without_utilisation(plain), alike=alike)._replace(mfu_fraction=mfu)
    return _speeds(plain, alike=alike)


def _speeds(plain: str, *, alike: bool) -> Figures:
    """Times, rates and ratios."""
    step = _step_s(plain)
    samples = _rate(plain, SAMPLES)
    tokens = _rate(plain, TOKENS)
    ratio = find_ratio(plain, alike=alike)
    epoch = _epoch_s(plain) if ratio is None else None
    if any((step, samples, tokens, epoch, ratio)):
        return Figures(step, samples, tokens, epoch, None, ratio)
    job = _seconds(plain, rf"{_TAKES_ENGLISH}\s*{_ABOUT}{DURATION}") or _seconds(
        plain, rf"{_TAKES_CHINESE}\s*{_ABOUT}{DURATION}"
    )
    return _whole(job) if job is not None else _only_duration(plain)


def _only_duration(plain: str) -> Figures:
    """The one duration of a text, of what the text speaks of: a step, an epoch or else the whole job."""
    durations = [duration(match.groups()) for match in re.finditer(DURATION, plain, re.ASCII)]
    if len(durations) != 1 or durations[0] <= 0:
        return Figures()
    if search(_EPOCH, plain):
        return Figures(epoch_s=durations[0])
    if search(_STEP_WORD, re.sub(r"batch[ _-]?size", "", plain)):
        return Figures(step_s=durations[0])
    return _whole(durations[0])


_LEAST_JOB_S = 1.0
"""Nobody tells a whole training in fractions of a second: `trains it in 200 ms` means a step."""


def _whole(duration_s: float) -> Figures:
    return Figures(job_s=duration_s) if duration_s >= _LEAST_JOB_S else Figures(step_s=duration_s)


def _epoch_s(plain: str) -> float | None:
    """Seconds of one epoch; `3 epochs in 38 minutes` counts a third of it."""
    several = search(
        rf"{_OF_NO_NAME}(\d+)\s*{_EPOCH}\s*(?:{_TAKES_ENGLISH}|{_TAKES_CHINESE})?\s*{_ABOUT}{DURATION}", plain
    )
    several = several or search(
        rf"{_OF_NO_NAME}(\d+)\s*epochs?\b[^.;,]{{0,30}}?\s(?:{_TAKES_ENGLISH})\s*{_ABOUT}{DURATION}", plain
    )
    if several is not None and int(several.group(1)) > 0:
        return duration(several.groups()[1:]) / int(several.group(1)) or None
    if (of_all := _shared(plain, _EPOCH, _OF_EACH_EPOCH)) is not None:
        return of_all
    return (
        _seconds(plain, rf"{DURATION}\s*(?:{_PER}){_EPOCH}")
        or _seconds(plain, rf"(?:每|一)(?:个)?\s*{_EPOCH}\s*{_TAKES_CHINESE}?\s*{_ABOUT}{DURATION}")
        or _of_counted_epochs(plain)
    )


def _of_counted_epochs(plain: str) -> float | None:
    """Seconds of one epoch where what it took stands further behind, be it of several: `3 epochs, it took 6 min`."""
    took = rf"{_EPOCH}[^.;。；]{{0,24}}?(?:{_TAKES_ENGLISH}|{_TAKES_CHINESE})\s*{_ABOUT}{DURATION}"
    match = search(rf"(?:{_OF_NO_NAME}(\d{{1,4}})\s*个?\s*)?{took}", plain)
    if match is None:
        return None
    return duration(match.groups()[1:]) / max(1, int(match.group(1) or 1)) or None


def _shared(plain: str, thing: str, of_each: str, *, scale: str = "()") -> float | None:
    """Seconds of one of so many epochs or steps, wherever they are counted, where the text's one duration is of all.

    `scale`: a group for the word of millions, where they may be so many.
    """
    durations = [duration(match.groups()) for match in re.finditer(DURATION, plain, re.ASCII)]
    told = rf"{_OF_NO_NAME}{NUMBER}\s*{scale}\s*个?\s*{thing}(?![a-z])(?!{A_SECOND})"
    counts = {number(*match.groups()[:2]) * (1e6 if match[3] else 1.0) for match in re.finditer(told, plain, re.ASCII)}
    alone = len(durations) == 1 and len(counts) == 1 and max(counts) >= 1
    if not alone or search(of_each, plain) is not None:
        return None
    return durations[0] / max(counts) or None


def _seconds(plain: str, pattern: str) -> float | None:
    match = search(pattern, plain)
    seconds = duration(match.groups()) if match is not None else 0.0
    return seconds if seconds > 0 else None


def _step_s(plain: str) -> float | None:
    """Seconds of one step; `100k steps in 2 days` counts its part of them."""
    steps = r"(?:training )?(?:steps|iterations|iters)\b"
    several = search(
        rf"{_OF_NO_NAME}{NUMBER}\s*{steps}[^.;,]{{0,20}}?\s(?:{_TAKES_ENGLISH})\s*{_ABOUT}{DURATION}", plain
    )
    several = several or search(rf"{NUMBER}\s*(?:步|次迭代)\s*(?:{_TAKES_CHINESE})\s*{_ABOUT}{DURATION}", plain)
    groups = several.groups() if several is not None else ()
    if (behind := search(rf"{DURATION}\s*for\s*{NUMBER}\s*{steps}", plain)) is not None:
        groups = (*behind.groups()[5:], *behind.groups()[:5])
    if groups and (step_count := number(groups[0], groups[1])) > 0:
        return duration(groups[2:]) / step_count or None
    direct = (
        _seconds(plain, rf"{DURATION}\s*(?:{_PER}){STEPS}")
        or _seconds(plain, rf"(?:每|一)(?:个)?\s*{STEPS}\s*(?:只?需要?|用时?|耗时|要|约|为|是)?\s*{DURATION}")
        or _seconds(plain, rf"{_STEP_WORD}\s*(?:time\s*(?:of|=|:|is)?|takes|took)\s*{_ABOUT}{DURATION}")
        or _seconds(
            plain, rf"{_STEP_WORD}(?: time)?(?: of|=|:| is| takes| took| in)?\s*{_ABOUT}{NUMBER}\s*(ms\b|毫秒)()()"
        )
    )
    if direct is not None:
        return direct
    rate = search(rf"{NUMBER}\s*{STEPS}{A_SECOND}", plain) or search(rf"{A_SECOND_CHINESE}\s*{NUMBER}\s*{STEPS}", plain)
    value = number(rate.group(1), rate.group(2)) if rate is not None else 0.0
    return 1 / value if value > 0 else _shared(plain, _SEVERAL_STEPS, _OF_EACH_STEP, scale=_MILLIONS)


def _rate(plain: str, thing: str) -> float | None:
    match = search(rf"{NUMBER}\s*{thing}{A_SECOND}", plain) or search(
        rf"{A_SECOND_CHINESE}\s*{NUMBER}\s*{thing}", plain
    )
    value = number(match.group(1), match.group(2)) if match is not None else 0.0
    return value if value > 0 else None
