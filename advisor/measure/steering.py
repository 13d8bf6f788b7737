"""Steers the worker's stage under way: says when it is warm, when it has said enough, and when to let a GPU cool."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from advisor.hardware.machine import Gpu, Reading
from advisor.measure.stopping import Stopping, StoppingLimits, WarmUp
from advisor.measure.verdicts import THROTTLE_BITS, states_of
from advisor.protocol.budgets import least_warm_up_s, warm_up_cap_s
from advisor.protocol.messages import (
    KEEPING_SERIES,
    Control,
    Pause,
    Sample,
    StageEnded,
    StageStarted,
    Stop,
    Warm,
    WorkerEvent,
)

_QUICK_CAP_S, _FULL_CAP_S = 3.0, 15.0
_STEPS_IN_CAP = 7
_CALIBRATION_WARM_UP_S = 0.05
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.05, 0.5
_RECENT_S = 0.5
_LEAST_READINGS = 2


class Steering:
    """Feed it every event and reading of one device; it answers with controls for the worker."""

    def __init__(self, *, on_cpu: bool, full_method: bool, gpu: Gpu | None = None) -> None:
        """`gpu` is the device's entry of the machine, where its throttling can be watched."""
        self._on_cpu = on_cpu
        self._full_method = full_method
        self._gpu = gpu
        self._stage: _Stage | None = None
        self._recent: deque[Reading] = deque(maxlen=100)
        self._wait_s = _FIRST_WAIT_S

    def read(self, readings: Iterable[Reading]) -> None:
        """Take the device readings that came since the last call."""
        self._recent.extend(readings)

    def limits(self, *, budget_s: float = 1e9, series: str = "step") -> StoppingLimits:
        """When to stop timing, for this device and method, within a stage's own budget."""
        cap_s = _FULL_CAP_S if self._full_method else _QUICK_CAP_S
        warm_up_least_s = 0.5 if series in {"step", KEEPING_SERIES} else _CALIBRATION_WARM_UP_S
        return StoppingLimits(
            half_width_fraction=0.02 if self._on_cpu else 0.01,
            drift_fraction=0.02 if self._full_method else 0.03,
            cap_s=cap_s,
            warm_up_least_s=least_warm_up_s(warm_up_least_s, budget_s),
            warm_up_cap_s=warm_up_cap_s(budget_s),
        )

    def take(self, event: WorkerEvent) -> list[Control]:
        """The controls that follow from this event."""
        if isinstance(event, StageStarted):
            limits = self.limits(budget_s=event.budget_s, series=event.series)
            self._stage = _Stage(event.stage, limits, event.budget_s)
            self._wait_s = _FIRST_WAIT_S
        elif isinstance(event, StageEnded):
            self._stage = None
        elif isinstance(event, Sample) and self._stage is not None and event.stage == self._stage.number:
            return self._steer(self._stage, event)
        return []

    def _steer(self, stage: _Stage, sample: Sample) -> list[Control]:
        if self._is_throttled(sample):
            self._wait_s = min(_LONGEST_WAIT_S, self._wait_s * 2)
            return [Pause(wait_s=self._wait_s)]
        self._wait_s = _FIRST_WAIT_S
        if sample.warm_up:
            if stage.warm_up.add(sample.timed_s, sample.step_count):
                return [Warm(stage=stage.number)]
            return []
        reason = stage.stopping(sample.wall_s).add(sample.timed_s, sample.step_count)
        return [] if reason is None else [Stop(stage=stage.number, reason=reason)]

    def _is_throttled(self, sample: Sample) -> bool:
        if self._gpu is None:
            return False
        since = sample.started_monotonic_s - _RECENT_S
        seen = states_of([reading for reading in self._recent if reading.monotonic_s >= since], self._gpu)
        return sum(bool((state.throttle_bits or 0) & THROTTLE_BITS) for _, state in seen) >= _LEAST_READINGS


class _Stage:
    """The rules of one stage; long steps get a longer cap, so that a few of them are made."""

    def __init__(self, number: int, limits: StoppingLimits, budget_s: float) -> None:
        self.number = number
        self.warm_up = WarmUp(limits)
        self._limits = limits
        self._budget_s = budget_s
        self._stopping: Stopping | None = None

    def stopping(self, step_s: float) -> Stopping:
        if self._stopping is None:
            cap_s = min(self._budget_s, max(self._limits.cap_s, _STEPS_IN_CAP * step_s))
            self._stopping = Stopping(replace(self._limits, cap_s=cap_s))
        return self._stopping
