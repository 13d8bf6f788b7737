"""Validation every so many steps, as a log shows it: its share of a run, and what validating less often gives."""

from __future__ import annotations

import itertools
import statistics
from typing import NamedTuple

from advisor.core.sentences import Reason
from advisor.logs.log_facts import LogFacts
from advisor.logs.run_length import run_length
from advisor.recommend.wall_time import LOUD_SHARE, calm_interval

CALMER_FACTOR = 10
"""How many times as rarely a run may well validate."""
CALM_ENOUGH_SHARE = 0.25
_FEWEST = 3


class PeriodicValidation(NamedTuple):
    """A run that validates every so many steps."""

    interval_s: float
    """From one validation to the next, one of them included."""
    validation_s: float
    every_steps: int
    step_count: int

    @property
    def validation_fraction(self) -> float:
        """Validation's share of the wall time."""
        return min(1.0, self.validation_s / self.interval_s)

    @property
    def step_s(self) -> float:
        """A training step by itself."""
        return max(0.0, self.interval_s - self.validation_s) / self.every_steps

    @property
    def total_s(self) -> float:
        """All steps with validation as it is."""
        return self.total_at_s(self.every_steps)

    def total_at_s(self, every_steps: int) -> float:
        """All steps with validation every `every_steps` steps."""
        return self.step_count * self.step_s + self.step_count / every_steps * self.validation_s

    @property
    def better_every_steps(self) -> int:
        """Ten times as rarely where that makes validation small; else as rarely as makes it 5 %."""
        rarer = min(self.step_count, CALMER_FACTOR * self.every_steps)
        share = self.validation_s / (rarer * self.step_s + self.validation_s)
        if share <= CALM_ENOUGH_SHARE:
            return rarer
        return calm_interval(self.step_count * self.step_s, self.validation_s, self.step_count)

    def reasons(self) -> tuple[Reason, ...]:
        """Validation's share, and what validating less often would give; nothing where it is small."""
        if self.validation_fraction < LOUD_SHARE:
            return ()
        better = self.better_every_steps
        return (
            Reason.of(
                "log-validation-share",
                interval_s=self.interval_s,
                validation_s=self.validation_s,
                share_fraction=self.validation_fraction,
                every_steps=self.every_steps,
            ),
            Reason.of(
                "log-validate-less",
                better_steps=better,
                total_s=self.total_s,
                better_total_s=self.total_at_s(better),
                gain_s=self.total_s - self.total_at_s(better),
            ),
        )


def periodic_validation(facts: LogFacts) -> PeriodicValidation | None:
    """Validation that goes with every log line: its pass is the time at the first step, or is stated."""
    points = [point for point in facts.points if point[0] in set(facts.validation_steps)]
    if len(points) < _FEWEST or any(later[0] <= earlier[0] for earlier, later in itertools.pairwise(points)):
        return None
    gaps = [(later[0] - earlier[0], later[1] - earlier[1]) for earlier, later in itertools.pairwise(points)]
    every = statistics.median_low([steps for steps, _ in gaps])
    spans = [seconds for steps, seconds in gaps if steps == every]
    interval = statistics.median(spans)
    if facts.validation_passes_s:
        validation = statistics.median(facts.validation_passes_s)
    elif points[0][0] <= 1:
        validation = points[0][1]
    else:
        return None
    steps = run_length(facts).steps or points[-1][0]
    if interval <= 0 or validation > interval:
        return None
    return PeriodicValidation(interval, validation, every, max(1, steps))
