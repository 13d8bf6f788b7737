"""Bars that tell their clock in units, as pytorch-cifar's `progress_bar` draws them: `Step: 61ms | Tot: 12s345ms`.

Every pattern takes a bounded number of steps a character: what may repeat has a least bound or an end of its own.
"""

from __future__ import annotations

import re

from advisor.logs.log_facts import Count, LogFacts

_SPAN = r"((?:\d{1,5}(?:D|h|ms|m|s)){1,3})"
_BAR = re.compile(rf"\bStep: {_SPAN} \| Tot: {_SPAN}(?![\w.])")
_COUNT = re.compile(r"(?<![\d/.(])(\d{1,9})/(\d{1,9})(?![\d/.)%])")
"""Drawn over the bar's middle, or behind it where a file keeps the moves of the cursor; right answers stand in
brackets."""
_EPOCH = re.compile(r"Epoch:? (\d{1,6})")
_PART = re.compile(r"(\d{1,5})(D|h|ms|m|s)")
_SECONDS = {"D": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}


def takes_clocked_bar(line: str, facts: LogFacts) -> bool:
    """Whether a line is such a bar; what it tells of training or of the pass that follows it is added to the facts."""
    if (epoch := _EPOCH.fullmatch(line.strip())) is not None:
        facts.epoch_alone, facts.alone_trained = int(epoch.group(1)), False
        return False
    bar = _BAR.search(line)
    counts = [] if bar is None else _COUNT.findall(line.replace("\b", " "))
    if bar is None or not counts:
        return False
    done, total = (int(figure) for figure in counts[-1])
    # Its clock begins as the first step has ended.
    elapsed = _span_s(bar.group(2)) * (done / (done - 1) if done > 1 else 1.0)
    newest = facts.marks[-1] if facts.marks else None
    if newest is not None and newest[:3] == (done, elapsed, total):
        return True
    if not _is_training(done, total, facts):
        if done == total:
            facts.add_drawn_pass(total, elapsed)
        return True
    if newest is None or done <= newest.step:
        facts.mark_beginning()
    facts.has_clock = True
    if done > 1:
        facts.mark(done, elapsed, total)
    facts.count(Count(done, total, facts.epoch_alone))
    facts.alone_trained = done == total
    return True


def _is_training(done: int, total: int, facts: LogFacts) -> bool:
    """Scripts announce an epoch, train and then test: by that, or by its length, the second bar is a test's."""
    if facts.epoch_alone is not None:
        return not facts.alone_trained
    newest = facts.counts[-1] if facts.counts else None
    return newest is None or newest.of == total or (newest.number != newest.of and done > newest.number)


def _span_s(words: str) -> float:
    return sum(float(figure) * _SECONDS[unit] for figure, unit in _PART.findall(words))
