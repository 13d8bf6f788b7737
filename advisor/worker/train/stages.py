"""Runs one series of timed blocks: grows the block, sends each sample as it is made, obeys the parent's controls."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from advisor.catalogue.precisions import Precision
from advisor.protocol.budgets import warm_up_cap_s
from advisor.protocol.messages import Pause, Sample, StageEnded, StageStarted, StepPart, Stop, Warm
from advisor.worker.event_box import EventBox
from advisor.worker.train.device import Block, TorchDevice

_MOST_SAMPLES = 400
_LONGEST_PAUSE_S = 0.5
_ANSWER_SHARE, _ANSWER_CAP_S = 0.05, 0.02
_TIMER_MULTIPLE = 200.0


@dataclass(frozen=True)
class Stage:
    """What is timed, and how long it may take, warm-up included."""

    series: str
    precision: Precision
    budget_s: float
    batch_size: int | None = None
    figures: dict[str, float] = field(default_factory=dict)


class Stages:
    """Runs the stages of one device."""

    def __init__(self, box: EventBox, device: TorchDevice) -> None:
        """Time on `device`, report to `box`."""
        self._box = box
        self._device = device
        self._block_least_s = max(device.block_least_s, _TIMER_MULTIPLE * _timer_overhead_s())

    def run(
        self,
        stage: Stage,
        step: Callable[[], object],
        *,
        parts: Callable[[int], dict[StepPart, float]] | None = None,
        between: Callable[[], object] | None = None,
        spent_s: float = 0.0,
    ) -> float | None:
        """Time `step` until the parent stops it, the budget is spent or 400 samples were kept.

        Returns the median seconds of one step over the kept samples; None where none was kept.

        `parts(step_count)` gives the split of the block just made, in seconds of one step; `between` runs untimed
        before each block (flushing a cache); `spent_s` of warm-up went into steps before this stage.
        """
        number = next(self._box.stage_numbers)
        self._box.send(StageStarted(stage=number, **vars(stage)))
        run = _Run(number=number, deadline_s=time.monotonic() + stage.budget_s, budget_s=stage.budget_s)
        run.warm_up_s = spent_s
        run.warm = spent_s > 0.0 and spent_s >= warm_up_cap_s(spent_s + stage.budget_s)
        while run.reason is None:
            if between is not None:
                between()
            warm_up = not run.warm
            block = self._device.time_block(step, run.step_count)
            self._box.send(sample_of(stage, number, block, warm_up=warm_up, parts=parts))
            run.note(block, self._block_least_s)
            self._obey(run, block)
        self._box.send(
            StageEnded(
                series=stage.series,
                batch_size=stage.batch_size,
                precision=stage.precision,
                reason=run.reason,
                stage=number,
            )
        )
        return statistics.median(run.kept_s) if run.kept_s else None

    def _obey(self, run: _Run, block: Block) -> None:
        """Take the parent's controls; after a long block give its answer a moment to arrive."""
        for control in self._box.controls(min(_ANSWER_CAP_S, _ANSWER_SHARE * block.duration_s)):
            if isinstance(control, Warm) and control.stage == run.number:
                run.warm = True
            elif isinstance(control, Stop) and control.stage == run.number:
                run.reason = control.reason
            elif isinstance(control, Pause):
                wait_s = min(_LONGEST_PAUSE_S, max(0.0, control.wait_s))
                time.sleep(wait_s)
                run.deadline_s += wait_s


@dataclass
class _Run:
    """How far a stage is."""

    number: int
    deadline_s: float
    budget_s: float
    step_count: int = 1
    warm: bool = False
    kept_s: list[float] = field(default_factory=list)
    warm_up_s: float = 0.0
    reason: str | None = None

    def note(self, block: Block, block_least_s: float) -> None:
        """Grow the block while it is too short; end by our own limits where no parent steers."""
        if self.warm:
            self.kept_s.append(block.wall_s)
        else:
            self.warm_up_s += block.duration_s
            if block.duration_s < block_least_s:
                self.step_count *= 2
            elif self.warm_up_s >= warm_up_cap_s(self.budget_s):
                self.warm = True
        left_s = self.deadline_s - time.monotonic()
        if len(self.kept_s) >= _MOST_SAMPLES:
            self.reason = "cap"
        elif left_s < block.duration_s / 2 and (self.kept_s or left_s <= 0.0):
            self.reason = "cap" if self.kept_s else "too_long"


def sample_of(
    stage: Stage,
    number: int | None,
    block: Block,
    *,
    warm_up: bool,
    parts: Callable[[int], dict[StepPart, float]] | None = None,
) -> Sample:
    """The event for a block of a stage."""
    return Sample(
        series=stage.series,
        batch_size=stage.batch_size,
        precision=stage.precision,
        warm_up=warm_up,
        parts_s={} if parts is None else parts(block.step_count),
        figures=stage.figures,
        stage=number,
        **vars(block),
    )


def _timer_overhead_s() -> float:
    """Seconds between two looks at the clock: median of 101."""
    gaps = []
    for _ in range(101):
        first = time.perf_counter()
        gaps.append(time.perf_counter() - first)
    return sorted(gaps)[50]
