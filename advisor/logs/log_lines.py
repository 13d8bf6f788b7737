"""Reads the figures that training loops print: tqdm bars, step lines, iteration and data times, evaluation times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from advisor.core.input_file import read_text
from advisor.logs.known_formats import clock_s, take_stamp, takes_known, unit_s
from advisor.logs.log_facts import LogFacts
from advisor.logs.terminal_codes import without_terminal_codes
from advisor.logs.trainer_lines import takes_trainers

MAX_BYTES = 16 * 2**20
MAX_LINES = 200_000
MAX_LINE_CHARACTERS = 2000
_BLANKS = re.compile(r"\s+")
_LONG_NUMBER = re.compile(r"\d{25,}")
"""No figure of a log; a 64-bit float's own digits are fewer."""
_VALIDATES = re.compile(
    r"\b(?:val(?:id(?:ation|ating)?)?|eval(?:uat(?:e|ion|ing))?|test(?:ing)?|dev)(?![a-z])|验证|评估|测试",
    re.IGNORECASE,
)
_CLOCK = r"(?:(\d+) days?, )?(?:(\d{1,3}):)?(\d{1,2}):(\d{2}(?:\.\d+)?)"
_BAR = re.compile(rf"(\d+)/(\d+) \[{_CLOCK}<")
_EPOCH_OF_BAR = re.compile(
    r"\b(?:epoch|ep)\b[ :#\[]{0,3}(\d{1,9})|第 ?(\d{1,9})(?: ?[/／] ?\d{1,9})? ?轮", re.IGNORECASE
)
_STEP = re.compile(
    r"\b(?:global[_ ]?step|step|iter(?:ation)?|batch|it)\b['\"]?\s*[:=#]?\s*\[?\s*(\d{1,12})(?:\s*/\s*(\d{1,12}))?\]?"
    r"|\]\s*\[\s*(\d{1,12})\s*/\s*(\d{1,12})\s*\]|\bTrain: \d{1,6} \[ ?(\d{1,12})/(\d{1,12}) \( ?\d{1,3}%\)\]"
    r"|(?:步数?|第(?![\s\d/／]{0,30}(?:[轮代]|个? ?epoch|个周期)))"
    r"\s*[:：]?\s*(\d{1,12})(?: ?[/／] ?(\d{1,12}))?\s*(?:步)?",
    re.IGNORECASE,
)
_ELAPSED_CLOCK = re.compile(rf"\b(?:time(?: usage)?|elapsed|used|耗时|用时)['\"]?\s*[:=]?\s*{_CLOCK}", re.IGNORECASE)
_ELAPSED = re.compile(
    r"(?:\b(?:elapsed|total[_ ]time|time[_ ](?:used|usage|since[_ ]start))|(?<!步)(?:耗时|用时)|已用)"
    r"['\"]?\s*[:=：]?\s*(\d+(?:\.\d+)?)\s*(ms|s|秒|min)?",
    re.IGNORECASE,
)
_ITERATION = re.compile(
    r"(?:\b(?:batch[_ ]?time|iter[_ ]?time|step[_ ]?time|step_avg|dt|train_step_timing(?: in s)?|time)"
    r"|步(?:耗时|用时))['\"]?\s*[:=：]?\s*(\d+(?:\.\d+)?)\s*(ms|s|秒)?(?![\d:])",
    re.IGNORECASE,
)
_BARE = re.compile(r"\| ?(\d{1,9}(?:\.\d{1,9})?) ?(ms|s) ?\|")
"""A time between two bars of a step's line, as llm.c prints it."""
_RATE = re.compile(
    r"(?<![\w.])(\d{1,9}(?:\.\d{1,9})?) ?"
    r"(?:(?:it|iters?|iterations?|steps?|batch(?:es)?)/s(?:ec(?:ond)?)?|(ms|s|sec)/(?:it|iter|iteration|step|batch))\b"
)
"""The unit of a time of each; none where it is a rate."""
_OTHER_PASS = re.compile(r"\((?:val|test)\)|^(?:val|valid|validation|eval|evaluation|test)\b ?[:\[(]", re.IGNORECASE)
"""Stands before a step of validation, as mmengine prints one."""
_DATA = re.compile(
    r"\b(?:data(?:[_ ]?time)?|load(?:ing)?[_ ]?time)['\"]?\s*[:=]?\s*(\d+(?:\.\d+)?)\s*(ms|s)?(?![\d:])", re.IGNORECASE
)
_TRAIN_RUNTIME = re.compile(rf"\btrain_runtime['\"]?\s*[:=]\s*['\"]?(?:{_CLOCK}|(\d+(?:\.\d+)?))")
_TRAIN_RATE = re.compile(r"\btrain_steps_per_second['\"]?\s*[:=]\s*['\"]?(\d+(?:\.\d+)?)")
_EVAL_RUNTIME = re.compile(r"['\"](?:eval|test|predict)_runtime['\"]?\s*[:=]\s*['\"]?(\d+(?:\.\d+)?)")
_LASTED = r"['\"]?\s*[:=：]?\s*(\d+(?:\.\d+)?)\s*(ms|s|sec(?:onds?)?|秒|min(?:utes?)?|分钟)(?![a-z/])"
_PASS_TOOK = re.compile(
    rf"(?:\b(?:took|takes|time|in|duration)\b|耗时|用时){_LASTED}",
    re.IGNORECASE,
)
_EVALUATION_TOOK = re.compile(
    rf"(?:(?:{_VALIDATES.pattern})(?:(?!\b(?:step|iter|batch)).){{0,60}}?\b(?:took|takes)\b"
    rf"|(?:验证|评估|测试)(?:耗时|用时)){_LASTED}",
    re.IGNORECASE,
)
"""Of a line that also names the step at which a pass was made: what it says of the pass, not of the step."""


def read_log(path: Path) -> LogFacts:
    """The facts of a log file of at most 16 MiB of text. Raises InputError for what cannot be read."""
    return parse_log(read_text(path, max_bytes=MAX_BYTES))


def parse_log(text: str) -> LogFacts:
    """The facts of a log's text; lines that tell nothing are passed over, as are lines beyond 2000 characters."""
    facts = LogFacts()
    for line in _lines(text):
        before = facts.progress()
        _take(line, facts)
        if facts.progress() != before:
            facts.trained_on()
    if not facts.step_times_s and not facts.points:
        facts.step_times_s = facts.starts_s
    return facts


def _lines(text: str) -> Iterator[str]:
    """Lines, where a bar's carriage returns part lines too."""
    for count, line in enumerate(re.split(r"[\r\n]+", without_terminal_codes(text))):
        if count >= MAX_LINES:
            return
        if line.strip():
            yield _bounded(line[:MAX_LINE_CHARACTERS])


def _bounded(line: str) -> str:
    """A line without long runs of blanks or digits: every pattern then takes a bounded number of steps a character.

    A pattern that begins with digits, or that lets blanks stand in several places, would try each of a run's
    beginnings and ends: the square of its length, or more.
    """
    return _LONG_NUMBER.sub("#", _BLANKS.sub(" ", line))


def _take(line: str, facts: LogFacts) -> None:
    """Add what a line tells; the first kind of line that it may be decides."""
    if _take_summary(line, facts):
        return
    if (evaluation := _EVAL_RUNTIME.search(line)) is not None:
        facts.add_stated_pass(float(evaluation.group(1)))
    elif takes_known(line, facts) or takes_trainers(line, facts):
        return
    elif (bar := _BAR.search(line)) is not None:
        _take_bar(line, bar, facts)
    elif (took := _EVALUATION_TOOK.search(line)) is not None and _elapsed_s(line[: took.start()]) is None:
        facts.validation_passes_s.append(_seconds_in(took))
    elif (step := _STEP.search(line)) is not None:
        _take_step(line, step, facts)
    elif _VALIDATES.search(line):
        facts.validation_passes_s.extend(_seconds_of(_PASS_TOOK, line))


def _take_summary(line: str, facts: LogFacts) -> bool:
    """What Trainer says at its end: on one line, or on one line each."""
    runtime, rate = _TRAIN_RUNTIME.search(line), _TRAIN_RATE.search(line)
    if rate is not None:
        facts.steps_per_s = float(rate.group(1)) or None
    if runtime is not None:
        *clock, plain = runtime.groups()
        facts.runtime_s = clock_s(tuple(clock)) if plain is None else float(plain)
    return runtime is not None or rate is not None


def _take_bar(line: str, bar: re.Match[str], facts: LogFacts) -> None:
    done, total = int(bar.group(1)), int(bar.group(2))
    elapsed, ended = clock_s(bar.groups()[2:6]), done == total > 0
    head = line[: bar.start()]
    named = _VALIDATES.search(head) is not None or "mAP50" in head
    # A bar without a name inside an unfinished one is an evaluation, as transformers' Trainer draws it.
    if not named and not _is_inner(total, facts):
        _begin_epoch(head, facts, ended=ended)
        facts.points.append((done, elapsed))
        facts.total_steps = total
    elif ended:
        facts.add_drawn_pass(total, elapsed)
        if named and facts.points and facts.points[-1][0] == facts.total_steps:
            # The next bar is another epoch's, even where a file kept only the last state of each bar.
            facts.points.append((0, 0.0))


def _begin_epoch(head: str, facts: LogFacts, *, ended: bool) -> None:
    """A bar that bears another epoch's number than the one before it is no other state of that one.

    Nor is the first one of a file that kept only the last state of each: its clock went from its first step on.
    """
    found = _EPOCH_OF_BAR.search(head)
    epoch = None if found is None else int(found.group(1) or found.group(2))
    anew = epoch is not None and facts.bar_epoch is not None and epoch != facts.bar_epoch
    if anew or (ended and not facts.points):
        facts.points.append((0, 0.0))
    facts.bar_epoch = epoch


def _is_inner(total: int, facts: LogFacts) -> bool:
    """Whether a bar of so many steps stands inside another one that has not come to its end."""
    outer = facts.total_steps
    return outer is not None and total < outer and bool(facts.points) and 0 < facts.points[-1][0] < outer


def _take_step(line: str, step: re.Match[str], facts: LogFacts) -> None:
    numbers = [int(group) for group in step.groups() if group is not None]
    elapsed = _elapsed_s(line)
    if elapsed is not None:
        facts.points.append((numbers[0], elapsed))
        if _VALIDATES.search(line):
            facts.validation_steps.append(numbers[0])
    elif _OTHER_PASS.search(line[: step.start()]):
        return
    else:
        iterations = _seconds_of(_ITERATION, line) or _seconds_of(_BARE, line) or _by_rate(line)
        if numbers[0] == 0:
            facts.starts_s.extend(iterations)
        else:
            facts.step_times_s.extend(iterations)
            facts.data_times_s.extend(_seconds_of(_DATA, line))
            facts.timed_steps.append(numbers[0])
        if not iterations:
            take_stamp(line, numbers[0], facts)
    if len(numbers) > 1:
        facts.total_steps = numbers[1]


def _elapsed_s(line: str) -> float | None:
    clock = _ELAPSED_CLOCK.search(line)
    return clock_s(clock.groups()[:4]) if clock is not None else next(iter(_seconds_of(_ELAPSED, line)), None)


def _seconds_of(pattern: re.Pattern[str], line: str) -> tuple[float, ...]:
    """The duration that a pattern finds, if it finds one: a number and its unit."""
    match = pattern.search(line)
    return () if match is None else (_seconds_in(match),)


def _seconds_in(match: re.Match[str]) -> float:
    return float(match.group(1)) * unit_s(match.group(2))


def _by_rate(line: str) -> tuple[float, ...]:
    """A step's seconds of `4.0 it/s`, `0.25 s/it` or `250 ms/step`, if a line has one of them."""
    match = _RATE.search(line)
    if match is None or float(match.group(1)) <= 0:
        return ()
    figure = float(match.group(1))
    return (1.0 / figure if match.group(2) is None else figure * unit_s(match.group(2)),)
