"""Lines of Keras, Lightning's rich bars, Megatron, epoch summaries, and clock times before each line.

Every pattern takes a bounded number of steps a character: what may repeat has a least bound or an end of its own.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.logs.log_facts import LogFacts

_KERAS = re.compile(
    r"(\d{1,12})/(\d{1,12}) (?:\[={1,60}\]|━{1,60}) (?:- )?(?:(\d{1,9})s )?(\d{1,9}(?:\.\d{1,9})?)(ms|s|us)/step"
)
_RICH = re.compile(
    r"(\d{1,12})/(\d{1,12}) (\d{1,3}):(\d{2}):(\d{2}) • (?:\d{1,3}:\d{2}:\d{2}|-:--:--) (\d{1,9}(?:\.\d{1,9})?)it/s"
)
_MEGATRON = re.compile(r"elapsed time per iteration \((ms|s)\): ?(\d{1,12}(?:\.\d{1,9})?)")
_MEGATRON_STEP = re.compile(r"\biteration (\d{1,12})/ ?(\d{1,12})")
_EPOCH = re.compile(r"\bepoch ?:? ?\[?(\d{1,6}) ?/ ?(\d{1,6})\b", re.IGNORECASE)
_EPOCH_TIME = re.compile(
    r"\b(?:epoch_)?(?:time|took|duration|elapsed)['\"]?[:= ]{1,3}(\d{1,9}(?:\.\d{1,9})?) ?(ms|s|sec|min|m)\b",
    re.IGNORECASE,
)
_STAMP = re.compile(r"(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,6}))?")
_VALIDATES = re.compile(r"\b(?:val(?:idation)?|sanity checking|testing|predicting)\b", re.IGNORECASE)
_UNITS_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0}


def take_known(line: str, facts: LogFacts) -> LogFacts | None:
    """The facts with what a line of a known format adds; None: the line is of none of them."""
    for take in (_keras, _rich, _megatron, _epoch):
        taken = take(line, facts)
        if taken is not None:
            return taken
    return None


def stamped(line: str, step: int, facts: LogFacts) -> LogFacts:
    """The facts with a step line's clock time, counted from the first line that bore one."""
    match = _STAMP.search(line)
    if match is None:
        return facts
    *parts, fraction = match.groups()
    try:
        clock = datetime(*(int(part) for part in parts)).timestamp()  # type: ignore[arg-type]  # noqa: DTZ001
    except (ValueError, OverflowError):
        return facts
    clock += float(f"0.{fraction or 0}")
    first = clock if facts.first_stamp_s is None else facts.first_stamp_s
    facts.points.append((step, max(0.0, clock - first)))
    return facts._replace(first_stamp_s=first)


def _keras(line: str, facts: LogFacts) -> LogFacts | None:
    """A finished epoch: its steps and seconds are added to those before it."""
    match = _KERAS.search(line)
    if match is None:
        return None
    done, total = int(match.group(1)), int(match.group(2))
    if done != total:
        return facts
    each = float(match.group(4)) * _UNITS_S[match.group(5)]
    whole = float(match.group(3)) if match.group(3) else done * each
    before_steps, before_s = facts.points[-1] if facts.points else (0, 0.0)
    if not facts.points:
        facts.points.append((0, 0.0))
    facts.points.append((before_steps + done, before_s + whole))
    return facts._replace(total_steps=before_steps + done)


def _rich(line: str, facts: LogFacts) -> LogFacts | None:
    match = _RICH.search(line)
    if match is None:
        return None
    done, total, hours, minutes, seconds = (int(group) for group in match.groups()[:5])
    elapsed = 3600.0 * hours + 60.0 * minutes + seconds
    if _VALIDATES.search(line[: match.start()]):
        if done == total:
            facts.validation_passes_s.append(elapsed)
        return facts
    if not facts.points or done <= facts.points[-1][0]:
        facts.points.append((0, 0.0))
    facts.points.append((done, elapsed))
    return facts._replace(total_steps=total)


def _megatron(line: str, facts: LogFacts) -> LogFacts | None:
    match, step = _MEGATRON.search(line), _MEGATRON_STEP.search(line)
    if match is None:
        return None
    facts.step_times_s.append(float(match.group(2)) * _UNITS_S[match.group(1)])
    return facts if step is None else facts._replace(total_steps=int(step.group(2)))


def _epoch(line: str, facts: LogFacts) -> LogFacts | None:
    """A line that sums an epoch up: its time is a part of the whole, and no step's."""
    epoch, time = _EPOCH.search(line), _EPOCH_TIME.search(line)
    if epoch is None or time is None or re.search(r"\b(?:step|iter|batch|it)\b", line, re.IGNORECASE):
        return None
    seconds = float(time.group(1)) * _UNITS_S[time.group(2).lower()]
    if seconds < 1.0:
        return None
    return facts._replace(runtime_s=(facts.runtime_s or 0.0) + seconds)
