"""Bars and the table that transformers' Trainer draws in a notebook, as their text is copied from there.

Every pattern takes a bounded number of steps a character: what may repeat has a least bound or an end of its own.
"""

from __future__ import annotations

import re

from advisor.logs.known_formats import CLOCK, clock_s
from advisor.logs.log_facts import Count, LogFacts

_BAR = re.compile(
    rf"\[ ?(\d{{1,12}})/(\d{{1,12}}) {CLOCK}(?: < {CLOCK})?"
    r"(?:, \d{1,9}(?:\.\d{1,3})? it/s)?(?:, Epoch \d{1,6}(?:\.\d{1,3})?/(\d{1,6}))?\]"
)
_HEAD = re.compile(r"^ ?(?:Step|Epoch) Training Loss Validation Loss\b")
_ROW = re.compile(r"^ ?\d{1,12}(?:\.\d{1,6})? (?:\d{1,9}\.\d{1,9}|No log) \d{1,9}\.\d{1,9}\b")


def takes_notebook(line: str, facts: LogFacts) -> bool:
    """Whether a line is of such a bar or table; what it tells is added to the facts.

    The bar that bears an epoch trains, and its clock goes on while one without evaluates: a notebook keeps the newest
    evaluation's alone, and a row for each.
    """
    if _HEAD.search(line) is not None:
        facts.validated_rows = 0
        return True
    if facts.validated_rows is not None and _ROW.search(line) is not None:
        facts.validated_rows += 1
        return True
    bar = _BAR.search(line)
    if bar is None:
        return False
    done, total = int(bar.group(1)), int(bar.group(2))
    elapsed = clock_s(bar.groups()[2:6])
    if bar.group(11) is None:
        if done == total:
            facts.notebook_pass_s = elapsed
        return True
    if not facts.marks:
        # A notebook keeps a bar's last state alone, and its clock began with it.
        facts.mark_beginning()
    facts.mark(done, elapsed, total)
    facts.has_clock = True
    facts.epoch_count = int(bar.group(11)) or facts.epoch_count
    facts.count(Count(done, total))
    return True
