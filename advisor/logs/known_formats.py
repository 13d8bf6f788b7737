"""Lines of Keras, bars that are no tqdm's, Megatron, fairseq, Composer, epoch summaries, and clock times before lines.

Every pattern takes a bounded number of steps a character: what may repeat has a least bound or an end of its own.
"""

from __future__ import annotations

import re
from datetime import datetime

from advisor.logs.log_facts import Count, LogFacts

CLOCK = r"(?:(\d+) days?, )?(?:(\d{1,3}):)?(\d{1,2}):(\d{2}(?:\.\d+)?)"
"""Days, hours, minutes and seconds."""
UNIT = r"ms|s(?:ecs?|econds?)?|m(?:ins?|inutes?)?|h(?:rs?|ours?)?|毫秒|秒|分钟|分|小时"
"""Of a time that is one figure."""

_KERAS = re.compile(
    r"(\d{1,12})/(\d{1,12}) (?:\[={1,60}\]|━{1,60}) (?:- )?(?:(\d{1,9})s )?(\d{1,9}(?:\.\d{1,9})?)(ms|s|us)/step"
)
_KERAS_SAMPLES = re.compile(r"(\d{1,12})/(\d{1,12}) \[={1,60}\] - (\d{1,9})s (\d{1,9}(?:\.\d{1,9})?)(?:ms|s|us)/sample")
"""As Keras printed before it counted batches: an epoch's seconds, and no step's."""
_RICH = re.compile(
    r"(\d{1,12})/(\d{1,12}) (\d{1,3}):(\d{2}):(\d{2}) • (?:\d{1,3}:\d{2}:\d{2}|-:--:--) (\d{1,9}(?:\.\d{1,9})?)it/s"
)
_DRAWN = re.compile(
    r"━ ?(\d{1,12})/(\d{1,12}) \d{1,9}(?:\.\d{1,9})?(?:it/s|s/it) "
    r"(?:(\d{1,4}):)??(?:(\d{1,2}):)?(\d{1,6}(?:\.\d{1,3})?)s?(?![\d:])"
)
"""Ultralytics' own bar: rate, then the time that went by."""
_ROW = re.compile(r"^ ?(\d{1,6})/(\d{1,6}) \d{1,4}(?:\.\d{1,3})?[GM]B? ")
"""Its table's row before the bar: the epoch, how many there are, the card's memory."""
_UPDATES = re.compile(r"\bnum_updates['\"]?[=: ] ?['\"]?(\d{1,12})\b")
_WALL = re.compile(r"(?<![a-z_])wall['\"]?[=: ] ?['\"]?(\d{1,12}(?:\.\d{1,3})?)\b")
_BATCHES_PER_S = re.compile(r"\bthroughput/batches_per_sec: ?(\d{1,9}(?:\.\d{1,9})?)")
_MEGATRON = re.compile(r"elapsed time per iteration \((ms|s)\): ?(\d{1,12}(?:\.\d{1,9})?)")
_MEGATRON_STEP = re.compile(r"\biteration (\d{1,12})/ ?(\d{1,12})")
_TIMERS = re.compile(r"\btimes? across ranks \((ms|s)\):")
_EVALUATE_TIMER = re.compile(r"^ ?evaluate ?\.{3,60}: ?\(?(\d{1,12}(?:\.\d{1,9})?)(?:, (\d{1,12}(?:\.\d{1,9})?)\))?")
"""The least and the most of all ranks, or the most alone."""
_KERAS_EPOCH = re.compile(r"Epoch (\d{1,6})/(\d{1,6})")
_STAMP = re.compile(r"(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,6}))?")
_VALIDATES = re.compile(r"\b(?:val(?:idation)?|sanity checking|testing|predicting|mAP50)\b|\bmAP@", re.IGNORECASE)
"""mAP50 and mAP@.5: the head of the table that Ultralytics fills as it validates."""
_UNITS_S = {"us": 1e-6, "ms": 1e-3, "毫秒": 1e-3, "h": 3600.0, "小时": 3600.0, "m": 60.0, "分": 60.0}
"""By their first letters, where they are no seconds."""


def unit_s(word: str | None) -> float:
    """Seconds of a unit; a figure without one is in seconds."""
    unit = (word or "").lower()
    return _UNITS_S.get(unit, _UNITS_S.get(unit[:1], 1.0))


def clock_s(groups: tuple[str | None, ...]) -> float:
    """Seconds of days, hours, minutes and seconds, each of which may be missing."""
    days, hours, minutes, seconds = (float(group or 0) for group in groups)
    return 86400 * days + 3600 * hours + 60 * minutes + seconds


def takes_known(line: str, facts: LogFacts) -> bool:
    """Whether a line is of a known format; what it tells is added to the facts."""
    return any(
        takes(line, facts)
        for takes in (
            *(_keras_epoch, _keras, _keras_samples, _rich, _drawn),
            *(_megatron, _megatron_timers, _fairseq, _composer),
        )
    )


def take_stamp(line: str, step: int, facts: LogFacts) -> None:
    """Add a step line's clock time, counted from the first line that bore one."""
    clock = stamp_s(line)
    if clock is None:
        return
    if facts.first_stamp_s is None:
        facts.first_stamp_s = clock
    facts.mark(step, max(0.0, clock - facts.first_stamp_s))


def stamp_s(line: str) -> float | None:
    """The clock time that a line bears, in seconds since some moment; None: it bears none."""
    match = _STAMP.search(line)
    if match is None:
        return None
    *parts, fraction = match.groups()
    try:
        clock = datetime(*(int(part) for part in parts)).timestamp()  # type: ignore[arg-type]  # noqa: DTZ001
    except (ValueError, OverflowError):
        return None
    return clock + float(f"0.{fraction or 0}")


def _keras(line: str, facts: LogFacts) -> bool:
    """A finished epoch: its steps and seconds are added to those before it."""
    match = _KERAS.search(line)
    if match is None:
        return False
    done, total = int(match.group(1)), int(match.group(2))
    if done == total:
        each = float(match.group(4)) * unit_s(match.group(5))
        whole = float(match.group(3)) if match.group(3) else done * each
        if facts.epoch_open is False:
            # `fit` announces each epoch; a bar that none was announced for is `evaluate`'s or `predict`'s.
            facts.add_drawn_pass(done, whole)
            return True
        if not facts.marks:
            facts.mark_beginning()
        before = facts.marks[-1]
        facts.mark(before.step + done, before.seconds + whole)
        facts.has_clock = True
        facts.count(Count(done, done, len(facts.counts) + 1, facts.epoch_count, anew=True))
        facts.epoch_open = None if facts.epoch_open is None else False
    return True


def _keras_epoch(line: str, facts: LogFacts) -> bool:
    match = _KERAS_EPOCH.fullmatch(line.strip())
    if match is not None:
        facts.epoch_open, facts.epoch_count = True, int(match.group(2)) or None
        facts.announced = int(match.group(1))
    return match is not None


def announces_again(line: str, facts: LogFacts) -> bool:
    """Whether a line announces a first epoch when later ones were: `fit` was called again, and not for another fold."""
    match = _KERAS_EPOCH.fullmatch(line.strip()) if (facts.announced or 0) > 1 else None
    return match is not None and int(match.group(1)) == 1


def row_epoch(head: str, facts: LogFacts) -> tuple[int, int | None] | None:
    """The epoch of a row of Ultralytics' table and how many there are; None: a bar's head that is no such row."""
    match = _ROW.search(head)
    if match is None:
        return None
    number, last = int(match.group(1)), int(match.group(2))
    facts.rows_from_zero = facts.rows_from_zero or number == 0
    return number, last + facts.rows_from_zero


def _keras_samples(line: str, facts: LogFacts) -> bool:
    match = _KERAS_SAMPLES.search(line)
    if match is not None and match.group(1) == match.group(2):
        facts.add_epoch(None, float(match.group(3)))
    return match is not None


def _rich(line: str, facts: LogFacts) -> bool:
    match = _RICH.search(line)
    if match is None:
        return False
    return _take_bar(line, match, clock_s((None, *match.groups()[2:5])), facts)


def _drawn(line: str, facts: LogFacts) -> bool:
    match = _DRAWN.search(line)
    return match is not None and _take_bar(line, match, clock_s((None, *match.groups()[2:5])), facts)


def _take_bar(line: str, match: re.Match[str], elapsed: float, facts: LogFacts) -> bool:
    """A bar's state: of a pass of validation by what stands before it, else of an epoch's steps."""
    done, total = int(match.group(1)), int(match.group(2))
    if not _VALIDATES.search(line[: match.start()]):
        if not facts.marks or done <= facts.marks[-1].step:
            facts.mark_beginning()
        epoch, epochs = row_epoch(line[: match.start()], facts) or (None, None)
        facts.mark(done, elapsed, total)
        facts.has_clock = True
        facts.count(Count(done, total, epoch, epochs))
    elif done == total:
        facts.add_drawn_pass(total, elapsed)
    return True


def _megatron(line: str, facts: LogFacts) -> bool:
    match, step = _MEGATRON.search(line), _MEGATRON_STEP.search(line)
    if match is None:
        return False
    facts.step_times_s.append(float(match.group(2)) * unit_s(match.group(1)))
    if step is not None:
        facts.count(Count(int(step.group(1)), int(step.group(2))))
    return True


def _megatron_timers(line: str, facts: LogFacts) -> bool:
    """The table of timers after a step: what the slowest rank took to evaluate."""
    if (head := _TIMERS.search(line)) is not None:
        facts.timers_of = head.group(1)
        return True
    match = _EVALUATE_TIMER.search(line)
    if match is not None and facts.timers_of is not None:
        facts.add_stated_pass(float(match.group(2) or match.group(1)) * unit_s(facts.timers_of))
    return match is not None


def _fairseq(line: str, facts: LogFacts) -> bool:
    """Updates since the beginning and the seconds that they took, validation among them."""
    updates, wall = _UPDATES.search(line), _WALL.search(line)
    if updates is None or wall is None or float(wall.group(1)) <= 0:
        return False
    facts.mark(int(updates.group(1)), float(wall.group(1)))
    facts.has_clock = True
    return True


def _composer(line: str, facts: LogFacts) -> bool:
    match = _BATCHES_PER_S.search(line)
    if match is None or float(match.group(1)) <= 0:
        return False
    facts.step_times_s.append(1.0 / float(match.group(1)))
    return True
