"""Lines that tell a step of training or validation: its number, the totals beside it, its times, what is left.

Every pattern takes a bounded number of steps a character: what may repeat has a least bound or an end of its own.
"""

from __future__ import annotations

import re

from advisor.logs.known_formats import CLOCK, UNIT, clock_s, take_stamp, unit_s
from advisor.logs.log_facts import Count, LogFacts

VALIDATES = re.compile(
    r"\b(?:val(?:id(?:ation|ating)?)?|eval(?:uat(?:e|ion|ing))?|test(?:ing)?|dev)(?![a-z])|验证|评估|测试",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"\b(?:(?:global|current)[_ ]?steps?|step|(?<!\d )steps(?=:)|(?<!.)steps(?= : \d)|iters(?=: \d{1,12}, epoch)"
    r"|iter(?:ation)?|batch|it)\b['\"]?\s*[:=#]?\s*\[?\s*"
    r"(\d{1,12})(?:\s*/\s*(\d{1,12}))?\]?"
    r"|\]\s*\[\s*(\d{1,12})\s*/\s*(\d{1,12})\s*\]|\bTrain: \d{1,6} \[ ?(\d{1,12})/(\d{1,12}) \( ?\d{1,3}%\)\]"
    r"|\bIter\(train\) \[ ?(\d{1,12})/ ?(\d{1,12})\]|\| ?(\d{1,12})/ ?(\d{1,12}) batches\b"
    r"|(?:步数?|批次|迭代(?:次数)?|第(?![\s\d/／]{0,30}(?:[轮代]|个? ?epoch|个周期)))"
    r"\s*[:：]?\s*(\d{1,12})(?: ?[/／] ?(\d{1,12}))?\s*(?:步)?",
    re.IGNORECASE,
)
_GROUPED = re.compile(
    r"\b((?:iter(?:ation)?|step)s?\b\s{0,8}[:=]?\s{0,8})([1-9]\d{0,2}(?:,\d{3}){1,3})(?![,.]?\d)", re.IGNORECASE
)
"""A step whose thousands are set apart: `iter:   1,100`, as BasicSR prints it."""
_TESTED = re.compile(
    rf"(?:{VALIDATES.pattern})[\s:()\w]{{0,16}}(?:\[ ?\d{{1,6}} ?(?:/ ?\d{{1,6}} ?)?\])? ?:? ?"
    r"\[ ?(\d{1,12}) ?/ ?(\d{1,12}) ?\]",
    re.IGNORECASE,
)
"""A count of validation: `Test: [ 10/391]`, `Test (EMA): [  10/ 390]`, `Epoch(val) [1][50/625]`."""
_OTHER_PASS = re.compile(
    r"\((?:val|test)\)|^(?:val|valid|validation|eval|evaluation|test|testing)\b ?[:\[(]", re.IGNORECASE
)
"""Stands before a step of validation, as mmengine prints one."""
_EPOCH = re.compile(
    r"\bepochs?\b(?:\(train\))?['\"]?[\s:=#]{0,3}\[?\s?(\d{1,9})(?![\d.%])(?: ?[/／] ?(\d{1,9}))?|\bTrain: (\d{1,6}) \["
    r"|\[(\d{1,6})(?:/(\d{1,6}))?\] ?\[ ?\d{1,12} ?/"
    r"|(?:第 ?|轮次?[:： ]{0,2})(\d{1,9})(?: ?[/／] ?(\d{1,9}))?(?: ?轮)?",
    re.IGNORECASE,
)
_OF_AN_EPOCH = re.compile(
    r"\[\d{1,6}(?:/\d{1,6})?\] ?\[ ?\d{1,12} ?/|\bTrain: \d{1,6} \["
    r"|\bepoch \d{1,9} \| ?\d{1,12}/ ?\d{1,12} batches",
    re.IGNORECASE,
)
"""Forms that stand for the batches of one epoch."""
_LEFT = re.compile(rf"\b(?:eta|remaining(?:_time)?|time left)['\"]?\s?[:=]?\s?['\"]?{CLOCK}", re.IGNORECASE)
_ELAPSED_CLOCK = re.compile(
    rf"\b(?:time(?: usage)?|elapsed(?:_time)?|used|耗时|用时)['\"]?\s*[:=]?\s*['\"]?{CLOCK}", re.IGNORECASE
)
_ELAPSED = re.compile(
    r"(?:\b(?:elapsed?|total[_ ]time|time[_ ](?:used|usage|since[_ ]start))|(?<!步)(?:耗时|用时)|已用)"
    rf"['\"]?\s*[:=：]?\s*(\d+(?:\.\d+)?)\s*(?:({UNIT})(?![a-z]))?",
    re.IGNORECASE,
)
_PER_STEPS = re.compile(
    r"\b(?:time|seconds|took) (?:per|for|/) (\d{1,9}) (?:steps|iterations|iters|batches)\b[^\d]{0,12}?"
    rf"(\d{{1,9}}(?:\.\d{{1,9}})?) ?({UNIT})?"
    r"|\b(\d{1,9}) (?:steps|iterations|iters|batches) (?:took|in|takes) (\d{1,9}(?:\.\d{1,9})?) ?"
    rf"({UNIT})?"
    r"|每 ?(\d{1,9}) ?步(?:耗时|用时|的?时间)?[:： ]{0,2}(\d{1,9}(?:\.\d{1,9})?) ?(ms|s|秒|毫秒|分钟)",
    re.IGNORECASE,
)
"""The time of so many steps."""
_ITERATION = re.compile(
    r"(?:\b(?:batch[_ ]?(?:time|cost)|iter[_ ]?time(?: \(s\))?|step[_ ]?time|step_avg|dt"
    r"|train_step_timing(?: in s)?|time)"
    r"|步(?:耗时|用时))['\"]?\s*[:=：]?\s*(\d+(?:\.\d+)?)\s*(ms|s|秒)?(?![\d:])",
    re.IGNORECASE,
)
_MEAN = re.compile(r"\btime ?:? ?\d{1,9}(?:\.\d{1,9})? ?s? ?\( ?(\d{1,9}(?:\.\d{1,9})?) ?s?\)", re.IGNORECASE)
"""What stands in brackets after a time: the mean of its pass so far."""
_BARE = re.compile(r"\| ?(\d{1,9}(?:\.\d{1,9})?) ?(ms|s) ?\|")
"""A time between two bars of a step's line, as llm.c prints it."""
_RATE = re.compile(
    r"(?<![\w.])(\d{1,9}(?:\.\d{1,9})?) ?"
    r"(?:(?:it|iters?|iterations?|steps?|batch(?:es)?)/s(?:ec(?:ond)?)?|(ms|s|sec)/(?:it|iter|iteration|step|batch))\b"
)
"""The unit of a time of each; none where it is a rate."""
_PER_STEP = re.compile(r"\bper[ _]step[ _]time['\"]?\s*[:=]\s*(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s)?", re.IGNORECASE)
"""As MindSpore sums an epoch up."""
_NAMED_RATE = re.compile(
    r"(?<![a-z_])(?:train/)?steps_per_sec(?:ond)?['\"]?\s?[=:]\s?(\d{1,9}(?:\.\d{1,9})?)", re.IGNORECASE
)
"""As programs of JAX log it; that of an evaluation has another name."""
_UNIT_FIRST = re.compile(r"(?<![\w/])(ms|s|sec)/(?:it|iter|iteration|step|batch|b)[ :=]{1,3}(\d{1,9}(?:\.\d{1,9})?)")
"""`ms/batch 12.34`, as PyTorch's example of a language model prints; `s/b : 0.312` of HiFi-GAN's."""
_WITHOUT_STEP = re.compile(
    r"^\s{0,8}(?:speed: |Train loss \d{1,12} [^/]{1,80} )(\d{1,9}\.\d{1,9}) ?s/it(?:er)?\b"
    r"|\bBatch \(t\): (\d{1,9}\.\d{1,9})"
)
"""A step's time on a line that counts no steps: Informer's and its kin's `speed: 0.0312s/iter` below the count,
Tacotron 2's losses, OpenCLIP's counts of samples."""
_WITHOUT_STEP_DATA = re.compile(r"\bData \(t\): (\d{1,9}\.\d{1,9})")
_UNIT_IN_NAME = re.compile(
    r"\b(?:(?:step|iter(?:ation)?|batch)_?time_(?:in_)?|(?:time_)?per_step_)(ms|s|sec)(?:onds)?['\"]?\s?[:=]\s?"
    r"['\"]?(\d{1,9}(?:\.\d{1,9})?)"
)
"""`"step_time_ms": 213.4`, as programs write their own records."""
_OWN = re.compile(
    r"\b(?:step_time|step_avg|dt|train_step_timing(?: in s)?)['\"]?\s*[:=]\s*(\d+(?:\.\d+)?)\s*(ms|s)?(?![\d:])"
)
"""A step's own time beside a clock that goes on."""
_DATA = re.compile(
    r"\b(?:data(?:[_ ]?(?:time|cost))?|reader_cost|load(?:ing)?[_ ]?time)"
    r"['\"]?\s*[:=]?\s*(\d+(?:\.\d+)?)\s*(ms|s)?(?![\d:])",
    re.IGNORECASE,
)
_CONFIGURED_EPOCHS = re.compile(
    r"(?<![\w.])(?<!\w-)(?:(?:max|num|scheduled|total)[_ ])?(?:num_)?(?:train_)?epochs['\"]?(?: ?[=:] ?| )"
    r"(\d{1,9})\b(?!\.\d|/)",
    re.IGNORECASE,
)
_CONFIGURED_STEPS = re.compile(
    r"(?:\bTotal (?:optimization )?steps = |(?<![\w.])max_(?:train_)?(?:iters|iterations|steps) ?[=:] ?)"
    r"(\d{1,3}(?:,\d{3}){1,4}|\d{1,12})\b"
)
_FOLD = re.compile(
    r"(?<![\w-])fold[ _]?[:#=\[(]{0,2} ?(\d{1,3})(?: ?(?:/|of) ?(\d{1,3}))?(?![\w.%])"
    r"|第 ?(\d{1,3}) ?(?:[/／] ?(\d{1,3}) ?)?折",
    re.IGNORECASE,
)
"""A fold of a cross-validation, each of which trains anew."""
_FOLD_COUNT = re.compile(r"(?<!\d)(\d{1,3})(?:[ -]fold cross| ?折交叉)", re.IGNORECASE)


def takes_step(line: str, facts: LogFacts) -> bool:
    """Whether a line tells a step; what it says of it is added to the facts."""
    line = _GROUPED.sub(lambda match: match.group(1) + match.group(2).replace(",", ""), line)
    if (tested := _TESTED.search(line)) is not None:
        times = _seconds_of(_ITERATION, line)
        mean = next(iter(_seconds_of(_MEAN, line)), None)
        facts.add_tested_step(int(tested.group(1)), int(tested.group(2)), next(iter(times), None), mean)
        return True
    step = _STEP.search(line)
    if step is not None:
        _take_step(line, step, facts)
        return True
    alone = tuple(float(match.group(1) or match.group(2)) for match in _WITHOUT_STEP.finditer(line))
    facts.data_times_s.extend(_seconds_of(_WITHOUT_STEP_DATA, line) if alone else ())
    many = alone or _seconds_of_many(line) or _seconds_of(_PER_STEP, line) or _by_named_rate(line)
    facts.step_times_s.extend(many)
    return bool(many)


def take_configuration(line: str, facts: LogFacts) -> None:
    """How long the run is to be, where a line of its configuration says so."""
    if (epochs := _CONFIGURED_EPOCHS.search(line)) is not None and int(epochs.group(1)) > 0:
        facts.epoch_count = int(epochs.group(1))
    if (steps := _CONFIGURED_STEPS.search(line)) is not None:
        facts.planned_steps = int(steps.group(1).replace(",", "")) or None
    if (folds := _FOLD_COUNT.search(line)) is not None:
        facts.fold_count = int(folds.group(1)) or None
    if (fold := _FOLD.search(line)) is not None:
        number, *of = (int(group) for group in fold.groups() if group is not None)
        facts.begin_fold(number, of[0] if of else None)


def elapsed_s(line: str) -> float | None:
    """What a line says that went by since the beginning."""
    clock = _ELAPSED_CLOCK.search(line)
    return clock_s(clock.groups()[:4]) if clock is not None else next(iter(_seconds_of(_ELAPSED, line)), None)


def epoch_of(line: str) -> tuple[int | None, int | None]:
    """The number of an epoch and how many there are, as far as a line tells."""
    match = _EPOCH.search(line)
    if match is None:
        return None, None
    number, *epochs = (int(group) for group in match.groups() if group is not None)
    return number, (epochs[0] or None) if epochs else None


def seconds_in(match: re.Match[str]) -> float:
    """Seconds of a figure and its unit."""
    return float(match.group(1)) * unit_s(match.group(2) if match.re.groups > 1 else None)


def _take_step(line: str, step: re.Match[str], facts: LogFacts) -> None:
    number, *totals = (int(group) for group in step.groups() if group is not None)
    of = totals[0] if totals else _total_beside(line)
    elapsed = elapsed_s(line)
    if elapsed is None and _OTHER_PASS.search(line[: step.start()]):
        return
    epoch, epochs = epoch_of(line)
    count = Count(number, of, epoch, epochs, anew=_OF_AN_EPOCH.search(line) is not None)
    iterations: tuple[float, ...] = ()
    if elapsed is not None:
        facts.mark(number, elapsed, of)
        facts.step_times_s.extend(_seconds_of(_OWN, line) or _by_name(line))
        if VALIDATES.search(line):
            facts.validation_steps.append(number)
    else:
        iterations = _iteration_s(line)
        if number == 0:
            facts.starts_s.extend(iterations)
        elif facts.validated_at == number:
            facts.validating_s.extend(iterations)
        else:
            facts.step_times_s.extend(iterations)
            facts.data_times_s.extend(_seconds_of(_DATA, line))
        if not iterations:
            take_stamp(line, number, facts)
    facts.validated_at = number if VALIDATES.search(line) and elapsed is None and not iterations else None
    if (left := _LEFT.search(line)) is not None:
        facts.left_s.append((len(facts.counts), clock_s(left.groups()[:4])))
    facts.count(count)


_TOTAL = re.compile(r"\b(?:total|max)_(?:train_)?steps['\"]?\s?[:=]\s?(\d{1,12})\b")


def _total_beside(line: str) -> int | None:
    """A total that a line tells apart from its step."""
    match = _TOTAL.search(line)
    return None if match is None else int(match.group(1)) or None


def _iteration_s(line: str) -> tuple[float, ...]:
    """A step's seconds, as the first of the ways in which lines tell them has it."""
    return (
        _seconds_of_many(line)
        or _by_name(line)
        or _seconds_of(_ITERATION, line)
        or _seconds_of(_BARE, line)
        or _by_rate(line)
        or _by_named_rate(line)
        or tuple(float(match.group(2)) * unit_s(match.group(1)) for match in _UNIT_FIRST.finditer(line))[:1]
    )


def _by_name(line: str) -> tuple[float, ...]:
    """A step's seconds whose unit ends their name, if a line has them."""
    match = _UNIT_IN_NAME.search(line)
    return () if match is None else (float(match.group(2)) * unit_s(match.group(1)),)


def _seconds_of(pattern: re.Pattern[str], line: str) -> tuple[float, ...]:
    """The duration that a pattern finds, if it finds one: a number and its unit."""
    match = pattern.search(line)
    return () if match is None else (seconds_in(match),)


def _seconds_of_many(line: str) -> tuple[float, ...]:
    """A step's share of what a line says that several took."""
    match = _PER_STEPS.search(line)
    if match is None:
        return ()
    groups = match.groups()
    steps, figure, unit = next(groups[at : at + 3] for at in range(0, len(groups), 3) if groups[at] is not None)
    return (float(figure or 0) * unit_s(unit) / int(steps or 1),) if int(steps or 0) else ()


def _by_named_rate(line: str) -> tuple[float, ...]:
    match = _NAMED_RATE.search(line)
    return () if match is None or float(match.group(1)) <= 0 else (1.0 / float(match.group(1)),)


def _by_rate(line: str) -> tuple[float, ...]:
    """A step's seconds of `4.0 it/s`, `0.25 s/it` or `250 ms/step`, if a line has one of them."""
    match = _RATE.search(line)
    if match is None or float(match.group(1)) <= 0:
        return ()
    figure = float(match.group(1))
    return (1.0 / figure if match.group(2) is None else figure * unit_s(match.group(2)),)
