"""What a training log tells."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class LogFacts:
    """What a log tells, in seconds, gathered line by line; lists are in the order of the log."""

    points: list[tuple[int, float]] = field(default_factory=list)
    """(step, seconds since the start of its run of steps)."""
    total_steps: int | None = None
    step_times_s: list[float] = field(default_factory=list)
    data_times_s: list[float] = field(default_factory=list)
    starts_s: list[float] = field(default_factory=list)
    """Steps numbered 0, which also start the loader's workers and the kernels: a step's time only where no other is."""
    validation_passes_s: list[float] = field(default_factory=list)
    validation_steps: list[int] = field(default_factory=list)
    """Steps whose line also tells a validation result."""
    runtime_s: float | None = None
    """The whole training's wall time where the log states it."""
    first_stamp_s: float | None = None
    """Clock time of the first line that bears one, where steps are told by nothing else."""
    steps_per_s: float | None = None
    """Steps a second over the whole runtime, as Trainer sums up."""
