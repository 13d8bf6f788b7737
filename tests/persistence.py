"""Tests that try again and again: with more time on a busy machine, or a kill at every moment of a run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import pytest

kill_moments = pytest.mark.parametrize(
    "moments",
    [
        pytest.param(range(3), id="sample"),
        *(pytest.param(range(at, at + 20), id=f"from_{at}", marks=pytest.mark.nightly) for at in range(0, 200, 20)),
    ],
)
"""A few kills each time, two hundred at night in portions of twenty; each number seeds the moment of its kill."""


def growing_budgets(first_s: float) -> Iterator[float]:
    """Seconds for a measurement: beside other work the same steps need more of them, so it is tried three times."""
    return (first_s * factor for factor in (1.0, 4.0, 15.0))


def ended_well(
    run: Callable[[float], subprocess.CompletedProcess[str]], first_s: float
) -> subprocess.CompletedProcess[str]:
    """What a command gave with the first budget in which it could measure, else with the last."""
    for budget_s in growing_budgets(first_s):
        ended = run(budget_s)
        if ended.returncode == 0:
            break
    return ended
