"""Bars that tqdm and its like draw: of training, of an evaluation, of data made ready, of epochs.

Every pattern takes a bounded number of steps a character: what may repeat has a least bound or an end of its own.
"""

from __future__ import annotations

import re

from advisor.logs.known_formats import CLOCK, clock_s, row_epoch
from advisor.logs.log_facts import Count, LogFacts
from advisor.logs.step_lines import VALIDATES, epoch_of

_BAR = re.compile(rf"(\d+)/(\d+) \[{CLOCK}<")
_PREPARES = re.compile(
    r"\b(?:Map|Filter|Tokeniz\w{1,6}|Download\w{0,4}|Generating \w{1,20} split|Loading [\w ]{1,30}|Fetching \w{1,20}"
    r"|Resolving data files|Casting \w{1,20}|Saving [\w ]{1,30}|Flattening|Extracting|Running tokenizer[\w ]{0,30}"
    r"|Grouping texts[\w ]{0,30}|Packing|Caching [\w ]{1,20}|Scanning)\b[^|]{0,60}: ?\d{1,3}%"
)
_OF_DATA = re.compile(
    r"(?:\d ?(?:examples|files|tables|shards|[kMGT]?i?B)/s|s/(?:examples|files|tables|shards|[kMGT]?i?B))\b"
)
"""Bars of data or weights that are made ready, by their names or by what they count: no step of training."""
_FIGURE = r"(?<![\w.])(\d{1,9}(?:\.\d{1,3})?)"
_RATE = re.compile(rf"{_FIGURE} ?([^\W\d_][^\W\d]{{0,19}})/s\b|{_FIGURE} ?s/([^\W\d_][^\W\d]{{0,19}})")
"""A rate and what a bar counts, as tqdm prints them behind its clock: `806.45img/s`, `1.24s/it`."""
_STEPS = re.compile(r"it|(?:iter|step)s?|batch(?:es)?|步|批次?")
_SAMPLES = re.compile(
    r"(?:img|image|sample|seq|sequence|sentence|doc|document|row|record|clip|frame|utt|utterance|tok|token|word)s?"
    r"|[张图条句帧]|图片|个?样本"
)
"""Units of which a step takes as many as the batch holds."""
_EPOCHS = re.compile(r"ep(?:och)?s?|[轮代]|周期|个epoch")
_NAMED_EPOCHS = re.compile(r"^ ?(?:train(?:ing)? )?(?:(epochs)|epoch|轮次?|训练轮次?) ?[:：]? ?\d{1,3}%", re.IGNORECASE)
_SLOW = re.compile(r"\d ?s/it\b")
"""Beside `Epoch: 33%| 1/3`, which counts epochs, or the steps of one: what takes more than a second is an epoch."""


def takes_bar(line: str, facts: LogFacts) -> bool:
    """Whether a line holds a bar; what it tells of training or validation is added to the facts."""
    bar = _BAR.search(line)
    if bar is None:
        return False
    head, tail = line[: bar.start()], line[bar.end() :]
    if _PREPARES.search(head) is not None or _OF_DATA.search(tail) is not None:
        return True
    rate = _RATE.search(tail)
    counted = "" if rate is None else _unit(rate)
    named = _NAMED_EPOCHS.search(head)
    if _EPOCHS.fullmatch(counted) is not None or (named is not None and (named.group(1) or _SLOW.search(tail))):
        _take_epochs(bar, facts)
    else:
        _take_bar(line, bar, facts, rate)
    return True


def _take_epochs(bar: re.Match[str], facts: LogFacts) -> None:
    """A bar of epochs: bars of steps below it are of the one that it is at."""
    facts.epoch_count = int(bar.group(2)) or facts.epoch_count
    facts.epoch_states.append((int(bar.group(1)), clock_s(bar.groups()[2:6])))


def drop_bar_of_evaluation(facts: LogFacts) -> None:
    """A bar that came to its end after the one of training did: its result shows that it was an evaluation's."""
    of = facts.marks[-1].of if facts.marks else None
    outer = max((mark.of or 0 for mark in facts.marks), default=0)
    while of is not None and of < outer and facts.marks[-1].of in (of, None):
        facts.marks.pop()
    facts.total_steps = outer or facts.total_steps


def _take_bar(line: str, bar: re.Match[str], facts: LogFacts, rate: re.Match[str] | None) -> None:
    done, total = int(bar.group(1)), int(bar.group(2))
    elapsed, ended = clock_s(bar.groups()[2:6]), done == total > 0
    head = line[: bar.start()]
    named = VALIDATES.search(head) is not None or "mAP" in head
    # A bar without a name inside an unfinished one is an evaluation, as transformers' Trainer draws it.
    if not named and not _is_inner(total, facts):
        epoch, epochs = row_epoch(head, facts) or epoch_of(head)
        if epoch is None and facts.epoch_states:
            epoch, epochs = facts.epoch_states[-1][0], facts.epoch_count
        _begin_epoch(epoch, facts, ended=ended)
        facts.mark(done, elapsed, total, epoch)
        facts.has_clock = True
        if done:
            facts.count(Count(done, total, epoch, epochs))
        facts.total_steps = total
        _take_rate(rate, facts)
    elif ended:
        facts.add_drawn_pass(total, elapsed)
        newest = facts.marks[-1] if facts.marks else None
        if named and newest is not None and newest.epoch is None and newest.step == facts.total_steps:
            # The next bar is another epoch's, even where a file kept only the last state of each bar.
            facts.mark_beginning()


def _take_rate(rate: re.Match[str] | None, facts: LogFacts) -> None:
    """What a bar of training says itself of the time of what it counts, and whether that is samples."""
    if rate is None:
        return
    counted, figure = _unit(rate), float(rate.group(1) or rate.group(3))
    of_samples = _SAMPLES.fullmatch(counted) is not None
    facts.counts_samples = facts.counts_samples or of_samples
    if figure > 0 and (of_samples or _STEPS.fullmatch(counted) is not None):
        facts.bar_step_s = 1.0 / figure if rate.group(1) is not None else figure


def _unit(rate: re.Match[str]) -> str:
    return str(rate.group(2) or rate.group(4)).lower()


def _begin_epoch(epoch: int | None, facts: LogFacts, *, ended: bool) -> None:
    """A bar that bears another epoch's number than the one before it is no other state of that one.

    Nor is the first one of a file that kept only the last state of each: its clock went from its first step on.
    """
    newest = facts.marks[-1] if facts.marks else None
    of_no_epoch = newest is not None and newest.epoch is None and newest.step == newest.of
    anew = epoch is not None and (of_no_epoch if facts.bar_epoch is None else epoch > facts.bar_epoch)
    if anew or (ended and not facts.marks):
        facts.mark_beginning(epoch)
    facts.bar_epoch = epoch if facts.bar_epoch is None or anew else facts.bar_epoch


def _is_inner(total: int, facts: LogFacts) -> bool:
    """Whether a bar of so many steps stands inside another one that has not come to its end."""
    outer = facts.total_steps
    return outer is not None and total < outer and bool(facts.marks) and 0 < facts.marks[-1].step < outer
