"""A step's usual time, and the pauses between steps, from a log's clock: one that counts whole seconds tells less."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence

PAUSE_RATIO = 3.0
"""An interval of the log this many times as long as the usual one held a pause."""
_SPAN_TICKS = 10
"""Ticks of its clock that an interval must span: its end is then told to a tenth of it."""

_Run = Sequence[tuple[int, float]]
"""(step, seconds) of steps that were made one after another."""


def usual_step_s(runs: Sequence[_Run]) -> float | None:
    """The median seconds of a step; None where the clock stands still.

    A clock of whole seconds gives most steps of 0.2 s no time and every fifth a second. Intervals are joined until
    they span ten of its ticks; where no run is that long, the mean is what is known.
    """
    tick = _tick_s(runs)
    long = [rate for run in runs for rate in _rates(run, _SPAN_TICKS * tick)]
    steps = sum(run[-1][0] - run[0][0] for run in runs)
    median = statistics.median(long) if long else 0.0
    mean = sum(run[-1][1] - run[0][1] for run in runs) / steps if steps else 0.0
    return median or mean or None


def paused_s(runs: Sequence[_Run], step_s: float) -> float:
    """Seconds of the intervals that are too long for their steps, beyond what those take.

    What a tick of the clock may have added to an interval makes it no pause.
    """
    tick, paused = _tick_s(runs), 0.0
    for run in runs:
        for (step0, time0), (step1, time1) in itertools.pairwise(run):
            expected = step_s * (step1 - step0)
            if time1 - time0 - tick > PAUSE_RATIO * expected:
                paused += time1 - time0 - expected
    return paused


def _tick_s(runs: Sequence[_Run]) -> float:
    """A second where all of a log's times are whole ones; 0: its clock is finer."""
    return 1.0 if all(float(seconds).is_integer() for run in runs for _, seconds in run) else 0.0


def _rates(run: _Run, least_s: float) -> Iterator[float]:
    """Seconds a step of a run's intervals, joined until they are long enough; what is left at the end is not told."""
    step0, time0 = run[0]
    for step, time in run[1:]:
        if time - time0 >= least_s:
            yield (time - time0) / (step - step0)
            step0, time0 = step, time
