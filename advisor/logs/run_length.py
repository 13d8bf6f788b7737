"""How many steps a log's run has, and how much of it the log shows: counts go over the run, or anew over each epoch."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from advisor.logs.log_facts import Count, LogFacts

Covers = Literal["run", "epoch", "log"]
"""What figures are of: the whole run, one of its epochs, or what the log shows."""
_NEAR_EPOCHS = 2
"""Segments that ranks may be in at one time: none is two epochs behind another."""
_HALF = 0.5


class RunLength(NamedTuple):
    """The steps of a run, of its epochs and of what the log shows of them."""

    anew: bool
    """Whether each epoch counts its steps anew."""
    of: int | None
    """Steps that the log counts to: of an epoch where it counts anew, else of the run."""
    epochs: int | None
    """Of the whole run, where it counts anew."""
    seen: int | None
    """Steps that the log came through; None: it tells no numbers."""
    ended_epochs: int
    """Epochs that came to their end."""
    first_step: int
    """Steps that had been made before the log began."""

    @property
    def steps(self) -> int | None:
        """Steps from where the log begins to the end of the run, else of an epoch; None: the log does not tell."""
        if self.of is None:
            return None
        return max(1, self.of * (self.epochs or 1) - self.first_step)

    @property
    def covers(self) -> Covers:
        """What `steps` are of."""
        if self.of is None:
            return "log"
        return "epoch" if self.anew and self.epochs is None else "run"

    def passes_in_all(self, passes: int, *, at_end: bool) -> float:
        """Passes of validation in all `steps`, where so many were seen.

        Where each epoch that ended had as many, each one has, as where a log that was cut within its only epoch ends
        with the one pass that it shows (`at_end`); else they are spread over the steps.
        """
        if self.anew and not self.ended_epochs and passes == 1 and at_end:
            return float(self.epochs or 1)
        if self.anew and self.ended_epochs and passes % self.ended_epochs == 0:
            return passes / self.ended_epochs * (self.epochs or 1)
        return passes * max(1.0, (self.steps or 1) / (self.seen or self.steps or 1))


@dataclass
class _Segment:
    """Steps that a log counted on over: an epoch's, or the run's; of one fold."""

    fold: int | None
    epoch: int | None
    first: int
    last: int


def run_length(facts: LogFacts) -> RunLength:
    """The length of the run that a log tells of."""
    counts = _counted_from_one(facts.counts)
    of = next((count.of for count in reversed(counts) if count.of), None) or facts.total_steps
    if not counts:
        return RunLength(anew=False, of=of or facts.planned_steps, epochs=None, seen=None, ended_epochs=0, first_step=0)
    segments, apart = _segments(counts), _interval(counts)
    if facts.folds > 1 and all(count.epoch is None for count in counts):
        # Each fold counts to the same number: there are no epochs to tell.
        seen = sum(segment.last for segment in segments)
        return RunLength(
            anew=False, of=of and of * facts.folds, epochs=None, seen=seen or None, ended_epochs=0, first_step=0
        )
    if _counts_anew(counts, segments):
        steps = of or max(segment.last for segment in segments)
        ended = sum(segment.last >= steps - apart for segment in segments[-1:]) + len(segments) - 1
        seen = sum(min(segment.last, segment.last - segment.first + apart) for segment in segments)
        stated = next((count.epochs for count in reversed(counts) if count.epochs), None) or facts.epoch_count
        stated = stated and stated * facts.folds
        # A run that was summed up has no more epochs than were seen.
        shown = ended if facts.stated_runtime_s is not None and ended else None
        epochs = stated or shown or _epochs_by_what_is_left(facts, steps, segments)
        return RunLength(anew=True, of=of, epochs=epochs, seen=seen, ended_epochs=ended, first_step=0)
    first = segments[0].first - apart
    first = first if first >= apart else 0
    until = of or facts.planned_steps or _steps_by_what_is_left(facts)
    # A single line whose number nothing bounds may be any step's.
    told = until is not None or len(counts) > 1
    shown_steps = max(segment.last for segment in segments) - first if told else 0
    return RunLength(
        anew=False, of=until, epochs=None, seen=shown_steps or None, ended_epochs=0, first_step=first if until else 0
    )


def _counted_from_one(counts: Sequence[Count]) -> Sequence[Count]:
    """Counts of a log that numbers steps from zero and counts up to the last number, `9/99`, `19/99`: to 100.

    That all numbers and their end are one short of the steps between two of them shows it.
    """
    apart = _interval(counts) if len(counts) > 1 else 0
    short = apart > 1 and all(
        count.of is not None and (count.number + 1) % apart == (count.of + 1) % apart == 0 for count in counts
    )
    if not short:
        return counts
    return [count._replace(number=count.number + 1, of=count.of and count.of + 1) for count in counts]


def made_before(run: Sequence[tuple[int, float]], step_s: float) -> int:
    """Steps that were made before a run of (step, seconds) began: its clock is then too early for its number."""
    apart = statistics.median_low([later[0] - earlier[0] for earlier, later in itertools.pairwise(run)] or [run[0][0]])
    first, seconds = run[0]
    before = first - max(apart, round(seconds / step_s))
    return before if before >= apart and before > _HALF * first else 0


def _interval(counts: Sequence[Count]) -> int:
    """Steps from one told step to the next."""
    grown = [later.number - earlier.number for earlier, later in itertools.pairwise(counts)]
    return statistics.median_low([steps for steps in grown if steps > 0] or [counts[0].number])


def _segments(counts: Sequence[Count]) -> list[_Segment]:
    """Where a log's counts begin anew: at another epoch, or where they fall far. Ranks that lag fall little."""
    segments: list[_Segment] = []
    for count in counts:
        near = segments[-_NEAR_EPOCHS:] if count.epoch is not None else segments[-1:]
        same = next((segment for segment in reversed(near) if _goes_on(segment, count)), None)
        if same is None:
            segments.append(_Segment(count.fold, count.epoch, count.number, count.number))
        else:
            same.last = max(same.last, count.number)
    return segments


def _goes_on(segment: _Segment, count: Count) -> bool:
    if count.fold != segment.fold:
        return False
    if count.epoch is not None or segment.epoch is not None:
        return segment.epoch == count.epoch
    fallen = segment.last - count.number
    return fallen <= _HALF * (segment.last - segment.first) or fallen <= 0


def _counts_anew(counts: Sequence[Count], segments: Sequence[_Segment]) -> bool:
    """Whether each epoch counts its steps anew: by the lines' form, by what is seen, or by both totals stated."""
    if any(count.anew for count in counts):
        return True
    if len(segments) > 1:
        return any(later.first <= earlier.last for earlier, later in itertools.pairwise(segments))
    return any(count.epochs is not None and count.of is not None for count in counts)


def _steps_by_what_is_left(facts: LogFacts) -> int | None:
    """Steps of the run by what the log expects to be left at its mean step."""
    if not facts.left_s or not facts.step_times_s or (mean := statistics.fmean(facts.step_times_s)) <= 0:
        return None
    at, left_s = facts.left_s[-1]
    return facts.counts[at].number + round(left_s / mean)


def _epochs_by_what_is_left(facts: LogFacts, steps: int, segments: Sequence[_Segment]) -> int | None:
    """Epochs by what the log expects to be left, where that is more than the rest of the epoch at its mean step."""
    if not facts.step_times_s or (mean := statistics.fmean(facts.step_times_s)) <= 0:
        return None
    from_zero = any(segment.epoch == 0 for segment in segments)
    for at, left_s in reversed(facts.left_s):
        count = facts.counts[at]
        beyond = (left_s / mean - (steps - count.number)) / steps
        if count.epoch is not None and beyond > _HALF:
            return count.epoch + from_zero + round(beyond)
    return None
