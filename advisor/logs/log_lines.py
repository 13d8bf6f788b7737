"""Reads the figures that training loops print: each line by the first kind that it may be, runs and ranks apart."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from advisor.core.input_file import read_foreign_text
from advisor.logs.bars import drop_bar_of_evaluation, takes_bar
from advisor.logs.clocked_bars import takes_clocked_bar
from advisor.logs.epoch_lines import takes_epoch
from advisor.logs.known_formats import CLOCK, UNIT, announces_again, clock_s, takes_known, unit_s
from advisor.logs.log_facts import LogFacts
from advisor.logs.metric_tables import table_facts
from advisor.logs.notebook_bars import takes_notebook
from advisor.logs.step_lines import VALIDATES, elapsed_s, seconds_in, take_configuration, takes_step
from advisor.logs.step_rates import PAUSE_RATIO
from advisor.logs.terminal_codes import without_terminal_codes
from advisor.logs.trainer_lines import takes_trainers

MAX_BYTES = 16 * 2**20
MAX_LINES = 200_000
MAX_LINE_CHARACTERS = 2000
_BLANKS = re.compile(r"\s+")
_LONG_NUMBER = re.compile(r"\d{25,}")
"""No figure of a log; a 64-bit float's own digits are fewer."""
_RANK = re.compile(r"\[default(\d{1,5})\]|(?<![a-z])(?:local_?)?rank['\"]?[ :=_]{0,2}(\d{1,5})\b", re.IGNORECASE)
"""Who prints a line, as torchrun, loggers and `srun` mark it."""
_RUN_RUNTIME = re.compile(
    rf"(?:\btrain_runtime['\"]?\s*[:=]\s*['\"]?|^(?:total )?training time:? )"
    rf"(?:{CLOCK}|(\d+(?:\.\d+)?)(?: ?({UNIT})(?![\w/]))?)"
    r"|(?<![\d.])(\d{1,9}(?:\.\d{1,9})?) seconds used for training\b"
    r"|^ ?training(?: is)? (?:completed?|finished|done|took) (?:in )?"
    r"(?:(\d{1,4}) ?h(?:ours?)? ?)?(\d{1,6}) ?m(?:in(?:utes?)?)? ?(\d{1,2}(?:\.\d{1,6})?) ?s\b",
    re.IGNORECASE,
)
"""As Trainer sums up, torchvision's scripts, Unsloth's notebooks, and PyTorch's tutorials (`1m 7s`)."""
_FALLEN = 0.25
"""Share of its intervals over which a clock that goes on may seem to fall: lines of other ranks, an epoch's end."""
_FEW = 2
"""Intervals that tell too little of a clock."""
_TRAIN_RATE = re.compile(r"\btrain_steps_per_second['\"]?\s*[:=]\s*['\"]?(\d+(?:\.\d+)?)")
_EVAL_RUNTIME = re.compile(r"['\"](?:eval|test|predict)_runtime['\"]?\s*[:=]\s*['\"]?(\d+(?:\.\d+)?)")
_LOSS = re.compile(r"['\"]loss['\"]: ?['\"]?\d")
_TOTAL_TIME = re.compile(
    rf"(?:\bepoch:? \[?(\d{{1,9}})\]?|({VALIDATES.pattern})):? total time: {CLOCK}"
    rf"|(\btotal inference time: ){CLOCK}",
    re.IGNORECASE,
)
"""Of an epoch or of a pass of validation, as torchvision's scripts print it, and detectron2."""
_LASTED = rf"['\"]?\s*[:=：]?\s*(\d+(?:\.\d+)?)\s*({UNIT})(?![a-z/])"
_PASS_TOOK = re.compile(rf"(?:\b(?:took|takes|time|in|duration)\b|耗时|用时){_LASTED}", re.IGNORECASE)
_EVALUATION_TOOK = re.compile(
    rf"(?:(?:{VALIDATES.pattern})(?:(?!\b(?:step|iter|batch)).){{0,60}}?\b(?:took|takes)\b"
    rf"|(?:验证|评估|测试)(?:耗时|用时)){_LASTED}",
    re.IGNORECASE,
)
"""Of a line that also names the step at which a pass was made: what it says of the pass, not of the step."""


def read_log(path: Path) -> LogFacts:
    """The facts of a log file of at most 16 MiB of text. Raises InputError for what cannot be read."""
    return parse_log(log_text(path))


def log_text(path: Path) -> str:
    """The text of a log file of at most 16 MiB. Raises InputError for what cannot be read."""
    return read_foreign_text(path, max_bytes=MAX_BYTES, whole=False)


def parse_log(text: str) -> LogFacts:
    """The facts of a log's text, of its last run where it holds several.

    Lines that tell nothing are passed over, as are lines beyond 2000 characters and those of other ranks than the one
    that most lines are of.
    """
    written = [line for line in text.splitlines() if line.strip()]
    if (table := table_facts(written[:MAX_LINES])) is not None:
        _tell_own_times(table)
        return table
    runs = [LogFacts()]
    for line in _of_one_rank(list(_lines(text))):
        if _begins_again(line, runs[-1], later=len(runs) > 1):
            runs.append(LogFacts())
        facts = runs[-1]
        before = facts.progress()
        _take(line, facts)
        if facts.progress() != before:
            facts.trained_on()
    # Bars that follow a summary are of an evaluation, unless something else shows that they train.
    shown = [runs[0], *(run for run in runs[1:] if _trains(run))]
    told = shown[-1]
    told.runs = len(shown)
    told.sum_up()
    _tell_own_times(told)
    _tell_validating(told)
    if not told.step_times_s and not told.marks:
        told.step_times_s = told.starts_s
    return told


def _tell_own_times(facts: LogFacts) -> None:
    """Words such as `elapsed` and 耗时 also stand for a step's own time: what does not grow with the steps is that."""
    grown = [
        (later.step - earlier.step, later.seconds - earlier.seconds)
        for earlier, later in itertools.pairwise(facts.marks)
        if later.step > earlier.step
    ]
    fallen, told = sum(seconds < 0 for _, seconds in grown), {mark.seconds for mark in facts.marks}
    sure = facts.has_clock or facts.first_stamp_s is not None or bool(facts.validation_steps)
    if sure or len(grown) < _FEW or (len(told) > 1 and fallen < _FALLEN * len(grown)):
        return
    times = [mark.seconds for mark in facts.marks if mark.step and mark.seconds > 0]
    if len(times) > 1:
        facts.step_times_s, facts.marks = times, []
        facts.own_times_apart = statistics.median_low([steps for steps, _ in grown])


def _tell_validating(facts: LogFacts) -> None:
    """A step whose line before told a validation, and that took many times as long as others, held its pass."""
    usual_s = statistics.median(facts.step_times_s) if facts.step_times_s else None
    for seconds in facts.validating_s:
        if usual_s is not None and seconds > PAUSE_RATIO * usual_s:
            facts.validation_passes_s.append(seconds - usual_s)
        else:
            facts.step_times_s.append(seconds)


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


def _of_one_rank(lines: Sequence[str]) -> Iterator[str]:
    """Lines that bear no rank, and those of the rank that most of the others bear: ranks tell the same steps."""
    marks = [_RANK.search(line) for line in lines]
    ranks = [None if mark is None else int(mark.group(1) or mark.group(2)) for mark in marks]
    told = Counter(rank for rank in ranks if rank is not None)
    chosen = min(told, key=lambda rank: (-told[rank], rank), default=None)
    return (line for line, rank in zip(lines, ranks, strict=True) if rank is None or rank == chosen)


def _trains(facts: LogFacts) -> bool:
    """Whether something beside bars shows that a run trained."""
    announced = facts.announced is not None
    return facts.shows_losses or announced or bool(facts.step_times_s) or facts.runtime_s is not None


def _begins_again(line: str, facts: LogFacts, *, later: bool) -> bool:
    """Whether a line is of another run: it announces a first epoch again, or counts from 0 after a summary."""
    if announces_again(line, facts):
        return True
    after_bars = later and bool(facts.marks) and not _trains(facts)
    if facts.stated_runtime_s is None and not after_bars:
        return False
    told = LogFacts()
    _take(line, told)
    if after_bars:
        return bool(told.marks) and told.marks[-1].of != facts.marks[-1].of
    ended_at = max((told.step for told in facts.marks[-1:]), default=0) or max(
        (count.number for count in facts.counts[-1:]), default=0
    )
    first = [mark.step for mark in told.marks[:1]] or [count.number for count in told.counts[:1]]
    return told.shows_losses or any(number < ended_at for number in first)


def _take(line: str, facts: LogFacts) -> None:
    """Add what a line tells; the first kind of line that it may be decides."""
    take_configuration(line, facts)
    facts.shows_losses = facts.shows_losses or _LOSS.search(line) is not None
    if _take_summary(line, facts):
        return
    if (evaluation := _EVAL_RUNTIME.search(line)) is not None:
        drop_bar_of_evaluation(facts)
        facts.add_stated_pass(float(evaluation.group(1)))
    elif any(takes(line, facts) for takes in _READERS):
        return
    elif (took := _EVALUATION_TOOK.search(line)) is not None and elapsed_s(line[: took.start()]) is None:
        facts.validation_passes_s.append(seconds_in(took))
    elif not takes_step(line, facts):
        _take_pass(line, facts)


_READERS = (takes_clocked_bar, takes_known, takes_epoch, takes_trainers, takes_notebook, takes_bar)


def _take_pass(line: str, facts: LogFacts) -> None:
    """What a line that tells no step says of a pass of validation."""
    if VALIDATES.search(line) and (took := _PASS_TOOK.search(line)) is not None:
        facts.validation_passes_s.append(seconds_in(took))


def _take_summary(line: str, facts: LogFacts) -> bool:
    """What is said at the end of a run, of an epoch or of a pass: on one line, or on one line each."""
    runtime, rate, total = _RUN_RUNTIME.search(line), _TRAIN_RATE.search(line), _TOTAL_TIME.search(line)
    if rate is not None:
        facts.steps_per_s = float(rate.group(1)) or None
    if runtime is not None:
        facts.stated_runtime_s = _runtime_s(runtime)
    elif total is not None:
        epoch, _, *clock = total.groups()
        seconds = clock_s(tuple(clock[:4])) if total.group(7) is None else clock_s(tuple(clock[5:]))
        if epoch is None:
            facts.add_stated_pass(seconds)
        else:
            facts.add_epoch(int(epoch), seconds)
    return runtime is not None or rate is not None or total is not None


def _runtime_s(told: re.Match[str]) -> float:
    """What a run took, as the first of the ways that `_RUN_RUNTIME` knows tells it."""
    plain, unit, used, *parts = told.groups()[4:]
    if (figure := plain or used) is not None:
        return float(figure) * unit_s(unit)
    return clock_s(told.groups()[:4] if parts[-1] is None else (None, *parts))
