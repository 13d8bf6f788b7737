"""How the time that is left is shared out among batch sizes, judged from those that have run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_LEAST_STEPS = 4.5
"""Of a batch size for which there is time: a cold first step and three samples."""
_LEAST_STEP_S = 0.1
_SETTLES_WITHIN_S = 3.0
"""What a batch size of short steps is given, if there is enough: it ends as soon as its median is known."""


def foreseen_s(
    seen: Sequence[tuple[int, float]], batch_size: int, estimates: Mapping[int, float] | None = None
) -> float | None:
    """A step's seconds at `batch_size` by the sizes that ran before, smallest first; None where none has.

    After a single size the parent's `estimates` of both say how the time grows; without them it is taken as
    proportional to the batch, which is the most it can be.
    """
    if len(seen) == 1 and estimates:
        there, here = estimates.get(seen[0][0]), estimates.get(batch_size)
        if there and here:
            return seen[0][1] * max(1.0, here / there)
    return extrapolated(seen, batch_size)


def first_share_s(left_s: float, step_s: Sequence[float]) -> float:
    """What the first of several batch sizes gets of the seconds left, by the expected step of each, smallest first.

    Where not all seem to fit, the largest must not starve the sizes before them; these take no more than they need,
    as what is left over may do for the next one after all.
    """
    least_s = [_LEAST_STEPS * max(_LEAST_STEP_S, seconds) for seconds in step_s]
    while len(least_s) > 1 and sum(least_s) > left_s:
        least_s.pop()
    wanted_s = [max(_SETTLES_WITHIN_S, seconds) for seconds in least_s]
    share_s = left_s * (wanted_s[0] / sum(wanted_s))
    return share_s if len(wanted_s) == len(step_s) else min(share_s, wanted_s[0])


def extrapolated(points: Sequence[tuple[int, float]], batch_size: int) -> float | None:
    """The figure at `batch_size` on the line through the last two points; one point: in proportion at most."""
    if not points:
        return None
    last_batch, last = points[-1]
    if len(points) == 1:
        return last * max(1.0, batch_size / last_batch)
    first_batch, first = points[-2]
    slope = max(0.0, (last - first) / (last_batch - first_batch))
    return last + slope * (batch_size - last_batch)
