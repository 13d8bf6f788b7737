"""What a training log tells."""

from __future__ import annotations

from typing import NamedTuple


class LogFacts(NamedTuple):
    """What a log tells, in seconds; lists are in the order of the log."""

    points: list[tuple[int, float]]
    """(step, seconds since the start of its run of steps)."""
    total_steps: int | None
    step_times_s: list[float]
    data_times_s: list[float]
    validation_passes_s: list[float]
    validation_steps: list[int]
    """Steps whose line also tells a validation result."""
    runtime_s: float | None
    """The whole training's wall time where the log states it."""
    first_stamp_s: float | None = None
    """Clock time of the first line that bears one, where steps are told by nothing else."""
