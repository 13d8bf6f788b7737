"""Which states of counts belong together: those of an epoch, told by one rank or by several that lag one another."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from advisor.logs.log_facts import Mark

_RANKS = 64
"""Counts that may go on beside each other; of more, the oldest are taken to have ended."""
_FAR = 10
"""A state that is so many times as far from the newest count as from an older one is the older one's."""


@dataclass
class _Series:
    """States of one count, its steps and its clock growing."""

    marks: list[Mark]
    first_line: int
    last_line: int

    @property
    def newest(self) -> Mark:
        return self.marks[-1]

    @property
    def ended(self) -> bool:
        return self.newest.of is not None and self.newest.step >= self.newest.of

    def goes_on_at(self, mark: Mark, *, newest: bool) -> bool:
        """Whether a state can be this count's next one: the count grew with its clock, or it is told again."""
        if mark.epoch != self.newest.epoch:
            return False
        if mark.step == self.newest.step:
            return newest or mark.seconds == self.newest.seconds
        return not self.ended and mark.step > self.newest.step and mark.seconds >= self.newest.seconds

    def nearer(self, mark: Mark, other: _Series) -> bool:
        """Whether a state is far nearer to this count than to a newer one, which it may be the next of too.

        One that this count told already is the newer one's, unless that would leap over many more steps than this did.
        """
        leap = mark.step - other.newest.step
        own = (mark.step - self.newest.step) or self.newest.step / len(self.marks)
        return _FAR * own < leap

    def take(self, mark: Mark, line: int) -> None:
        if self.marks and mark.step == self.newest.step:
            passes_s = self.newest.passes_s + mark.passes_s
            self.marks[-1] = max(self.newest, mark, key=lambda state: state.seconds)._replace(passes_s=passes_s)
        else:
            self.marks.append(mark)
        self.last_line = line

    def beside(self, other: _Series) -> bool:
        """Whether most of either was told while the other was: epochs of ranks that lag meet at their ends only."""
        both = min(self.last_line, other.last_line) - max(self.first_line, other.first_line)
        if self.newest.epoch is not None and self.newest.epoch == other.newest.epoch:
            return both >= 0
        return 2 * both >= min(self.last_line - self.first_line, other.last_line - other.first_line) and both >= 0


class CountedPass(NamedTuple):
    """An epoch, or a stretch in which steps and clock both grow."""

    points: list[tuple[int, float]]
    """(step, seconds) as the log tells them."""
    training: list[tuple[int, float]]
    """The same without the passes of validation that the log tells between two of them."""


def counted_passes(marks: Sequence[Mark]) -> list[CountedPass]:
    """What a log tells of each epoch, in its order.

    Of ranks that each told of the same epoch, the one that tells the most steps.
    """
    told: list[_Series] = []
    for series in _series(marks):
        if told and told[-1].beside(series):
            told[-1] = _joined(told[-1], series)
        else:
            told.append(series)
    return [CountedPass([mark[:2] for mark in series.marks], _training(series.marks)) for series in told]


def _training(marks: Sequence[Mark]) -> list[tuple[int, float]]:
    """(step, seconds) of training alone; an interval shorter than the pass told in it did not hold that pass."""
    points, passed_s = [marks[0][:2]], 0.0
    for before, mark in itertools.pairwise(marks):
        if mark.passes_s < mark.seconds - before.seconds:
            passed_s += mark.passes_s
        points.append((mark.step, mark.seconds - passed_s))
    return points


def _joined(one: _Series, other: _Series) -> _Series:
    """The longer one of two ranks' counts, over the lines of both."""
    longer = max(one, other, key=lambda series: series.newest.step)
    return _Series(longer.marks, min(one.first_line, other.first_line), max(one.last_line, other.last_line))


def _series(marks: Sequence[Mark]) -> list[_Series]:
    """Each state goes to the newest count that it can go on with, or to one that it follows far more closely."""
    every: list[_Series] = []
    going_on: list[_Series] = []
    for line, mark in enumerate(marks):
        if mark.begins:
            going_on = []
        fitting = [series for series in reversed(going_on) if series.goes_on_at(mark, newest=series is going_on[-1])]
        chosen = fitting[0] if fitting else None
        for series in fitting[1:]:
            if chosen is not None and series.nearer(mark, chosen):
                chosen = series
        if chosen is None:
            chosen = _Series([], line, line)
            every.append(chosen)
            going_on = [*going_on[1 - _RANKS :], chosen]
        chosen.take(mark, line)
    return every
