"""What a training log tells, as it is gathered line by line; what that says of the run is reckoned elsewhere."""

from __future__ import annotations

import itertools
import statistics
from dataclasses import dataclass, field
from typing import NamedTuple


class Count(NamedTuple):
    """A training step as a log counts it."""

    number: int
    of: int | None = None
    """What it counts up to: the steps of an epoch or of the run."""
    epoch: int | None = None
    epochs: int | None = None
    """Of the whole run, where the line says so."""
    anew: bool = False
    """Whether the line's form alone shows that each epoch counts anew: `[3][50/7330]`."""
    fold: int | None = None
    """Of a cross-validation, each of which counts anew."""


class Mark(NamedTuple):
    """A count's clock."""

    step: int
    seconds: float
    """Since the count began."""
    of: int | None = None
    epoch: int | None = None
    """The number of the epoch that it is of, where a bar bears one."""
    begins: bool = False
    """Whether another count is known to begin here."""
    passes_s: float = 0.0
    """Of validation, told since the mark before: the clock went on meanwhile, and no step was made."""


_LEAST_GROWN = 0.5
"""Of its usual growth, what a clock that goes on grows at least in an epoch."""

_OFF, _OFF_OF_TWO = 0.5, 0.1
"""How far the first figure of such a clock may be from whole epochs: the first one also starts loader and kernels."""


@dataclass
class _TestedPass:
    """A pass of validation of which the log tells the steps."""

    first: int
    number: int
    of: int | None
    times_s: list[float]
    mean_s: float | None = None
    """Of its steps so far, where the log states it."""

    @property
    def duration_s(self) -> float:
        """All its steps at their mean."""
        mean = statistics.fmean(self.times_s) if self.mean_s is None else self.mean_s
        return mean * max(self.number + (self.first == 0), self.of or 0)


@dataclass
class LogFacts:
    """What a log tells, in seconds, gathered line by line; lists are in the order of the log."""

    marks: list[Mark] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    """Training steps, however the log tells them."""
    has_clock: bool = False
    """Whether marks are of a bar or another clock that goes on beyond doubt."""
    own_times_apart: int | None = None
    """Steps from one time to the next, where words for what went by stood for times of their own."""
    left_s: list[tuple[int, float]] = field(default_factory=list)
    """What the log itself expects to be left: (how many counts were told before, seconds)."""
    total_steps: int | None = None
    """What the newest count goes up to."""
    planned_steps: int | None = None
    """Of the whole run, as its configuration says."""
    bar_epoch: int | None = None
    """Of the newest bar of steps, where it bears a number."""
    counts_samples: bool = False
    """Whether bars count samples, of which a step takes as many as the batch holds."""
    bar_step_s: float | None = None
    """What the newest bar of steps says that one takes: all that a log with a single state of it tells."""
    epoch_states: list[tuple[int, float]] = field(default_factory=list)
    """States of a bar that counts epochs: (epochs that ended, seconds)."""
    notebook_pass_s: float | None = None
    """Of the bar of evaluation that a notebook keeps, the newest of as many as its table has rows."""
    validated_rows: int | None = None
    """Rows of the table that Trainer keeps in a notebook; None: it has none of validation."""
    step_times_s: list[float] = field(default_factory=list)
    data_times_s: list[float] = field(default_factory=list)
    starts_s: list[float] = field(default_factory=list)
    """Steps numbered 0, which also start the loader's workers and the kernels: a step's time only where no other is."""
    validation_passes_s: list[float] = field(default_factory=list)
    drawn_passes: list[tuple[int, float]] = field(default_factory=list)
    """Passes that bars or steps told since the last training step: (its steps, seconds). Told again they are no others.

    They are the last of `validation_passes_s`.
    """
    outside_s: float = 0.0
    """Seconds of passes that began when the bar of their epoch had come to its end: its clock does not hold them."""
    _outside_at: float | None = None
    """Where the clock of that bar stood."""
    _outside_pass_s: float = 0.0
    """What passes have taken since."""
    _marked_passes: int = 0
    """How many passes were told before the newest mark."""
    tested: _TestedPass | None = None
    """The pass of validation whose steps are being told."""
    pass_stated: bool = False
    """Whether a line has stated the time of a pass since the last training step: it tells of what bars drew."""
    validated_at: int | None = None
    """The newest step, where its line tells a validation and no time: the next line's time of the step may hold it."""
    validating_s: list[float] = field(default_factory=list)
    """Times of such steps."""
    validation_steps: list[int] = field(default_factory=list)
    """Steps whose line also tells a validation result."""
    stated_runtime_s: float | None = None
    """The whole training's wall time where the log states it."""
    epochs_s: list[tuple[int | None, float]] = field(default_factory=list)
    """(number, seconds) of the epochs that a line sums up."""
    clock_alone: list[tuple[int | None, float]] = field(default_factory=list)
    """(number of the newest epoch, seconds) of lines that tell what time went by, and nothing else."""
    newest_epoch: int | None = None
    """Of the lines so far that name one."""
    first_stamp_s: float | None = None
    """Clock time of the first line that bears one, where steps are told by nothing else."""
    table_head: tuple[str, ...] = ()
    """The columns of the table of epochs that the lines from here on may be rows of."""
    _summed_up: tuple[int | None, int | None] | None = None
    """Fold and number of the newest of them."""
    epoch_count: int | None = None
    """Epochs of the whole run, as its configuration says."""
    epoch_open: bool | None = None
    """Whether an epoch was announced that has not ended; None: none was announced yet."""
    announced: int | None = None
    """The number of the newest epoch that was announced by itself; None: none was since the newest fold began."""
    epoch_alone: int | None = None
    """The number of the newest epoch that a line announces and tells nothing else."""
    alone_trained: bool = False
    """Whether that epoch's bar of training came to its end."""
    rows_from_zero: bool = False
    """Whether the table of epochs whose rows are bars numbers them from zero: it then ends at the last one's number."""
    fold: int | None = None
    """Of a cross-validation: the one that the log is at."""
    fold_count: int | None = None
    """How many folds the log says there are."""
    folds_shown: set[int] = field(default_factory=set)
    """Those of which it tells a step or an epoch."""
    newest_batch: tuple[int, float] | None = None
    """(batch of its epoch, clock time) of the newest line of a log that counts its batches anew in each epoch."""
    batches_per_step: int | None = None
    """Batches whose gradients such a log's steps gather."""
    steps_per_s: float | None = None
    """Steps a second over the whole runtime, as Trainer sums up."""
    timers_of: str | None = None
    """What Megatron's timers that follow are in: `ms`."""
    shows_losses: bool = False
    """Whether a line like Trainer's told a loss: what tells a run from bars of an evaluation after it."""
    runs: int = 1
    """Runs that the log holds, this one the last."""

    @property
    def runtime_s(self) -> float | None:
        """Wall time that the log states: of the whole training, else of the epochs that it sums up."""
        if self.stated_runtime_s is None and self.epochs_s:
            return sum(seconds for _, seconds in self.epochs_s)
        return self.stated_runtime_s

    @property
    def points(self) -> list[tuple[int, float]]:
        """(step, seconds since the start of its run of steps)."""
        return [(mark.step, mark.seconds) for mark in self.marks]

    def mark(self, step: int, seconds: float, of: int | None = None, epoch: int | None = None) -> None:
        """The clock of a training step; that of an ended bar which goes on after a pass held it, and no step."""
        newest = self.marks[-1] if self.marks else None
        again = newest is not None and (newest.step, newest.of, newest.epoch) == (step, of, epoch)
        if not again or self._outside_at is None:
            self._outside_at, self._outside_pass_s = None, 0.0
        elif seconds > self._outside_at:
            beyond_s = max(0.0, seconds - self._outside_at - self._outside_pass_s)
            self.outside_s += beyond_s
            self._outside_pass_s += beyond_s
            seconds = self._outside_at
        self.marks.append(Mark(step, seconds, of, epoch, passes_s=self._passes_since(step, seconds)))

    def _passes_since(self, step: int, seconds: float) -> float:
        """Seconds of passes that came between the newest mark and the next; a bar drawn again unmoved ends none."""
        newest, before = self.marks[-1] if self.marks else None, self._marked_passes
        if newest is not None and newest[:2] == (step, seconds):
            return 0.0
        self._marked_passes = len(self.validation_passes_s)
        return sum(self.validation_passes_s[before:])

    def mark_beginning(self, epoch: int | None = None) -> None:
        """The marks from here on are another count's, or that epoch's."""
        self.marks.append(Mark(0, 0.0, None, epoch, begins=epoch is None))
        self._marked_passes = len(self.validation_passes_s)

    def count(self, count: Count) -> None:
        """A training step was told."""
        self.counts.append(count if self.fold is None else count._replace(fold=self.fold))
        self._show_fold()
        self.total_steps = count.of or self.total_steps

    def begin_fold(self, number: int, folds: int | None) -> None:
        """What the log tells from here on is of this fold of a cross-validation."""
        self.fold_count = folds or self.fold_count
        if number != self.fold:
            self.fold, self.announced, self.bar_epoch = number, None, None

    def _show_fold(self) -> None:
        if self.fold is not None:
            self.folds_shown.add(self.fold)

    @property
    def folds(self) -> int:
        """Of the whole cross-validation, as far as the log tells; 1: it is of none."""
        return max(1, self.fold_count or 0, len(self.folds_shown)) if self.folds_shown else 1

    def add_epoch(self, number: int | None, seconds: float) -> None:
        """What a line says that its epoch took; of the ranks that say so of one epoch the slowest counts."""
        again = (self.fold, number) == self._summed_up
        self._summed_up = self.fold, number
        self._show_fold()
        if number is not None and self.epochs_s and again:
            self.epochs_s[-1] = (number, max(seconds, self.epochs_s[-1][1]))
        else:
            self.epochs_s.append((number, seconds))

    def add_drawn_pass(self, steps: int, seconds: float) -> None:
        """A bar of evaluation that came to its end."""
        if self.pass_stated or (steps, seconds) in self.drawn_passes:
            return
        self.drawn_passes.append((steps, seconds))
        self.validation_passes_s.append(seconds)
        newest = self.marks[-1] if self.marks else None
        if newest is not None and newest.of is not None and newest.step >= newest.of:
            self.outside_s += seconds
            self._outside_at = newest.seconds
            self._outside_pass_s += seconds

    def add_tested_step(self, number: int, of: int | None, step_s: float | None, mean_s: float | None) -> None:
        """A step of validation, of the pass before it or of another one: ranks lag, but none goes back to the start."""
        if self.pass_stated or step_s is None:
            return
        told = self.tested
        if told is None or of != told.of or number <= told.first < told.number:
            self.tested = _TestedPass(number, number, of, [step_s], mean_s)
            self.drawn_passes.append((of or number, self.tested.duration_s))
            self.validation_passes_s.append(self.tested.duration_s)
            return
        told.number, told.mean_s = max(number, told.number), mean_s
        told.times_s.append(step_s)
        self.drawn_passes[-1] = (of or told.number, told.duration_s)
        self.validation_passes_s[-1] = told.duration_s

    def add_stated_pass(self, seconds: float) -> None:
        """What a line says of an evaluation, and says better than a bar, whose clock is in whole seconds."""
        if self.drawn_passes:
            del self.validation_passes_s[-len(self.drawn_passes) :]
            self.drawn_passes.clear()
        self.pass_stated = True
        self.validation_passes_s.append(seconds)

    def sum_up(self) -> None:
        """What was told of epochs and passes once all was read, each in its own time."""
        numbers = [number for number, _ in self.clock_alone]
        timed = self.marks or self.step_times_s or self.epochs_s or self.stated_runtime_s is not None
        # Of each epoch once, and nothing else in the log has a time: it may be any stretch's otherwise.
        if not timed and len(numbers) == len({*numbers} - {None}):
            if len(numbers) > 1:
                self.epochs_s = list(self.clock_alone)
            elif numbers:
                self.stated_runtime_s = self.clock_alone[0][1]
        self.epochs_s = _own_times(self.epochs_s)
        self._sum_up_bars()

    def _sum_up_bars(self) -> None:
        """What bars tell of epochs where nothing else does, and of passes whose rows were counted."""
        if not (self.marks or self.step_times_s or self.epochs_s):
            states = [(0, 0.0), *self.epoch_states]
            for (before, begun_s), (ended, ended_s) in itertools.pairwise(states):
                if ended > before:
                    each_s = (ended_s - begun_s) / (ended - before)
                    self.epochs_s.extend((number + 1, each_s) for number in range(before, ended))
        if self.notebook_pass_s is not None and not self.validation_passes_s:
            self.validation_passes_s = [self.notebook_pass_s] * (self.validated_rows or 1)

    def progress(self) -> tuple[int, int | None, int]:
        """What changes with a training step that was told: the newest step, its epoch, and how many times were."""
        newest = self.marks[-1] if self.marks else Mark(0, 0.0)
        return newest.step, newest.epoch, len(self.step_times_s)

    def trained_on(self) -> None:
        """What is told of a pass from here on is of another one."""
        self.drawn_passes.clear()
        self.tested = None
        self.pass_stated = False


def _own_times(epochs: list[tuple[int | None, float]]) -> list[tuple[int | None, float]]:
    """Each epoch's own time where the lines tell the clock since the beginning: it stood at none before the first.

    Then it grows about as much in each epoch, and what it shows at the first is as many epochs' as came before and it.
    """
    grown = [later - earlier for (_, earlier), (_, later) in itertools.pairwise(epochs)]
    usual = statistics.median(grown) if grown else 0.0
    if usual <= 0 or min(grown) < _LEAST_GROWN * usual:
        return epochs
    first, seconds = epochs[0]
    few = len(grown) == 1  # of two figures the second may be another epoch's own that took longer
    passed = round(seconds / usual)
    from_zero = first == 0 or not few
    off = abs(seconds / usual - passed)
    if passed not in {first or 1, (first or 0) + from_zero} or off > (_OFF_OF_TWO if few else _OFF) * passed:
        return epochs
    numbers = [number for number, _ in epochs]
    return list(zip(numbers, [seconds / passed, *grown], strict=True))
