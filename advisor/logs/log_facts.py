"""What a training log tells."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field


@dataclass
class LogFacts:
    """What a log tells, in seconds, gathered line by line; lists are in the order of the log."""

    points: list[tuple[int, float]] = field(default_factory=list)
    """(step, seconds since the start of its run of steps)."""
    total_steps: int | None = None
    bar_epoch: int | None = None
    """Of the newest bar of steps, where it bears a number."""
    step_times_s: list[float] = field(default_factory=list)
    timed_steps: list[int] = field(default_factory=list)
    """Numbers of the steps whose lines may state a time."""
    data_times_s: list[float] = field(default_factory=list)
    starts_s: list[float] = field(default_factory=list)
    """Steps numbered 0, which also start the loader's workers and the kernels: a step's time only where no other is."""
    validation_passes_s: list[float] = field(default_factory=list)
    drawn_passes: list[tuple[int, float]] = field(default_factory=list)
    """Passes that bars told since the last training step: (its steps, seconds). Drawn again they are no others."""
    pass_stated: bool = False
    """Whether a line has stated the time of a pass since the last training step: it tells of what bars drew."""
    validation_steps: list[int] = field(default_factory=list)
    """Steps whose line also tells a validation result."""
    runtime_s: float | None = None
    """The whole training's wall time where the log states it."""
    first_stamp_s: float | None = None
    """Clock time of the first line that bears one, where steps are told by nothing else."""
    table_head: tuple[str, ...] = ()
    """The columns of the table of epochs that the lines from here on may be rows of."""
    epoch_count: int | None = None
    """Epochs of the whole run, where a log counts its batches anew in each."""
    newest_batch: tuple[int, float] | None = None
    """(batch of its epoch, clock time) of the newest line of such a log."""
    batches_per_step: int | None = None
    """Batches whose gradients such a log's steps gather."""
    steps_per_s: float | None = None
    """Steps a second over the whole runtime, as Trainer sums up."""

    def add_drawn_pass(self, steps: int, seconds: float) -> None:
        """A bar of evaluation that came to its end."""
        if self.pass_stated or (steps, seconds) in self.drawn_passes:
            return
        self.drawn_passes.append((steps, seconds))
        self.validation_passes_s.append(seconds)

    def add_stated_pass(self, seconds: float) -> None:
        """What a line says of an evaluation, and says better than a bar, whose clock is in whole seconds."""
        if self.drawn_passes:
            del self.validation_passes_s[-len(self.drawn_passes) :]
            self.drawn_passes.clear()
        self.pass_stated = True
        self.validation_passes_s.append(seconds)

    @property
    def steps_seen(self) -> int | None:
        """How many steps a log without a clock has come through; None where it counts anew, or tells no numbers."""
        numbers = self.timed_steps
        counts_on = all(earlier < later for earlier, later in itertools.pairwise(numbers))
        return numbers[-1] if numbers and counts_on else None

    def progress(self) -> tuple[int, int]:
        """What changes with a training step that was told: the newest step, and how many times were."""
        return (self.points[-1][0] if self.points else 0, len(self.step_times_s))

    def trained_on(self) -> None:
        """What is told of a pass from here on is of another one."""
        self.drawn_passes.clear()
        self.pass_stated = False
