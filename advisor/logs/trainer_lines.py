"""Lines of ESPnet and MaxText, and fastai's table of epochs.

Every pattern takes a bounded number of steps a character: what may repeat has a least bound or an end of its own.
"""

from __future__ import annotations

import re

from advisor.logs.known_formats import clock_s, stamp_s
from advisor.logs.log_facts import Count, LogFacts

_FIGURE = r"(\d{1,9}(?:\.\d{1,9})?(?:e[+-]\d{1,3})?)(?![\w.])"
_MAXTEXT = re.compile(rf"\bcompleted step: (\d{{1,12}}), seconds: {_FIGURE}")
_MAXTEXT_STEPS = re.compile(r"\bConfig param steps: (\d{1,12})\b")
_MAXTEXT_EVALUATION = re.compile(r"\beval metrics after step: \d")
_ESPNET = re.compile(r"\b\d{1,6}epoch:(\w{1,40}):(\d{1,12})-(\d{1,12})batch: ")
_ESPNET_EPOCH = re.compile(r"\b\d{1,6}/(\d{1,6})epoch started\b")
_ESPNET_RESULTS = re.compile(r"\b(\d{1,6})epoch results: ")
_ESPNET_SECTION = re.compile(r"\[(train|valid)\] ")
_ESPNET_TOOK = re.compile(r"(?<![a-z_])time=([a-z0-9., ]{1,100}), total_count=(\d{1,12})\b")
_WAITED = re.compile(rf"(?<![a-z_])iter_time={_FIGURE}")
_TRAINED = re.compile(rf"(?<![a-z_])train_time={_FIGURE}")
_SPAN = re.compile(r"\b(\d{1,6}(?:\.\d{1,6})?) (millisecond|second|minute|hour|day|week)s?\b")
_SPANS_S = {"millisecond": 1e-3, "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
_WHOLE_BATCHES = 0.1
"""How far the batches of a step that clock times tell may be from a whole number, as a fraction of it."""
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})")
_CELLS = re.compile(r"[ ,|]")


def takes_trainers(line: str, facts: LogFacts) -> bool:
    """Whether a line is of one of these trainers; what it tells is added to the facts."""
    return any(takes(line, facts) for takes in (_maxtext, _espnet, _espnet_epoch, _espnet_results, _fastai))


def _maxtext(line: str, facts: LogFacts) -> bool:
    """A step and its seconds; step 0 compiles."""
    if (steps := _MAXTEXT_STEPS.search(line)) is not None:
        facts.planned_steps = int(steps.group(1)) or None
        return True
    match = _MAXTEXT.search(line)
    if match is None:
        return _MAXTEXT_EVALUATION.search(line) is not None
    step, seconds = int(match.group(1)), float(match.group(2))
    (facts.step_times_s if step else facts.starts_s).append(seconds)
    facts.count(Count(step + 1))
    return True


def _espnet(line: str, facts: LogFacts) -> bool:
    """The means of the batches since the line before: waiting for a batch is told a batch, `train_time` a step.

    A step gathers the gradients of `accum_grad` batches. The log does not say how many, but its clock does.
    """
    match = _ESPNET.search(line)
    if match is None:
        return False
    trained, waited = _TRAINED.search(line), _WAITED.search(line)
    if match.group(1) != "train" or trained is None:
        return True
    step_s, batch, clock = float(trained.group(1)), int(match.group(3)), stamp_s(line)
    facts.step_times_s.append(step_s)
    before, facts.newest_batch = facts.newest_batch, None if clock is None else (batch, clock)
    if before is None or clock is None or before[0] + 1 != int(match.group(2)):
        return True
    batches = _whole(step_s * (batch - before[0]) / (clock - before[1])) if clock > before[1] else None
    if batches is not None:
        facts.batches_per_step = batches
        if waited is not None:
            facts.data_times_s.append(float(waited.group(1)) * batches)
    return True


def _whole(batches: float) -> int | None:
    """The whole number that a quotient of times is near to; None: it is near to none."""
    nearest = max(1, round(batches))
    return nearest if abs(batches / nearest - 1) <= _WHOLE_BATCHES else None


def _espnet_epoch(line: str, facts: LogFacts) -> bool:
    match = _ESPNET_EPOCH.search(line)
    if match is None:
        return False
    clock = stamp_s(line)
    facts.epoch_count = int(match.group(1))
    facts.newest_batch = None if clock is None else (0, clock)
    return True


def _espnet_results(line: str, facts: LogFacts) -> bool:
    """An epoch's training and validation, in words; what it took to plot attention is of neither."""
    epoch = _ESPNET_RESULTS.search(line)
    if epoch is None:
        return False
    _, *sections = _ESPNET_SECTION.split(line[epoch.end() :])
    for name, told in zip(sections[::2], sections[1::2], strict=True):
        took = _ESPNET_TOOK.search(told)
        seconds = 0.0 if took is None else _spans_s(took.group(1))
        if took is None or seconds <= 0:
            continue
        facts.add_epoch(None, seconds)
        if name == "valid":
            facts.validation_passes_s.append(seconds)
        elif facts.batches_per_step is not None:
            batches = int(took.group(2)) / max(1, int(epoch.group(1))) * (facts.epoch_count or int(epoch.group(1)))
            facts.total_steps = max(1, round(batches / facts.batches_per_step))
    return True


def _spans_s(words: str) -> float:
    """Seconds of `1 hour, 2 minutes and 3.5 seconds`."""
    return sum(float(figure) * _SPANS_S[unit] for figure, unit in _SPAN.findall(words))


def _fastai(line: str, facts: LogFacts) -> bool:
    """A row of the table of epochs, printed or as CSV: its time is a part of the whole, and no step's."""
    cells = tuple(cell for cell in _CELLS.split(line) if cell)
    if cells[:1] == ("epoch",) and cells[-1] == "time" and "train_loss" in cells:
        facts.table_head = cells
        return True
    if not cells or len(cells) != len(facts.table_head) or not cells[0].isdecimal():
        return False
    clock = _CLOCK.fullmatch(cells[-1])
    if clock is None:
        return False
    if (seconds := clock_s((None, *clock.groups()))) > 0:
        facts.add_epoch(None, seconds)
    return True
