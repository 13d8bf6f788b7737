"""When a series is warm and when it has said enough: rules over the samples alone, without a clock of their own."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from advisor.measure.statistics import drift_ratio, half_width_fraction, quartiles

StopReason = Literal["settled", "noise_settled", "cap"]

_WINDOW = 10
_LEAST_HALF_WINDOW = 3
_QUARTILE_TOLERANCE = 0.05
_MEAN_FALL, _MEAN_RISE = -0.50, 0.10
_LEAST_SAMPLES = 15
_LOOK_EVERY = 5
_NOISE_LOOK_EVERY = 16
_NOISE_LEAST = 64
_NOISE_WINDOW = 512
_NOISE_SPREAD = 0.05


@dataclass(frozen=True)
class StoppingLimits:
    """What a series may cost and how exact it should be."""

    half_width_fraction: float = 0.02
    """1 % on a GPU, 2 % on a CPU."""
    drift_fraction: float = 0.03
    """3 % in the quick method, 2 % in the full one."""
    cap_s: float = 3.0
    """3 s quick, 15 s full; longer where a few steps of the model already last longer."""
    cap_count: int = 400
    warm_up_least_count: int = 3
    warm_up_least_s: float = 0.5
    warm_up_cap_s: float = 3.0


def windows_agree(earlier: Sequence[float], later: Sequence[float]) -> bool:
    """Whether two windows of step times look alike (pyperf's rule).

    Quartiles within 5 %; the earlier mean between 50 % below and 10 % above the later one: a machine that is
    still warming up is slower at first, never faster for long.
    """
    for quartile, other in zip(quartiles(earlier), quartiles(later), strict=True):
        if abs(quartile - other) > _QUARTILE_TOLERANCE * other:
            return False
    later_mean = float(np.mean(later))
    change = (float(np.mean(earlier)) - later_mean) / later_mean if later_mean > 0.0 else math.inf
    return _MEAN_FALL <= change <= _MEAN_RISE


class WarmUp:
    """Decides when warm-up samples have settled; feed it every sample until `done`."""

    def __init__(self, limits: StoppingLimits) -> None:
        """Start cold."""
        self._limits = limits
        self._samples: list[float] = []
        self._elapsed_s = 0.0
        self._step_count = 0
        self.settled = False

    def add(self, step_s: float, step_count: int = 1) -> bool:
        """Take one block of `step_count` steps of `step_s` seconds each; True when warm-up is over.

        It is over when two windows of 10 blocks agree after 3 steps and 0.5 s, or at the cap (3 s); at the cap,
        where fewer than 20 blocks were made, halves of at least 3 are compared instead. `settled` says which.
        """
        self._samples.append(step_s)
        self._elapsed_s += step_s * step_count
        self._step_count += step_count
        limits = self._limits
        if self._step_count < limits.warm_up_least_count and self._elapsed_s < limits.warm_up_cap_s:
            return False
        if self._elapsed_s >= limits.warm_up_cap_s:
            self.settled = self._agree(min(_WINDOW, len(self._samples) // 2))
            return True
        if self._elapsed_s >= limits.warm_up_least_s:
            self.settled = self._agree(_WINDOW)
        return self.settled

    def _agree(self, window: int) -> bool:
        if window < _LEAST_HALF_WINDOW or len(self._samples) < 2 * window:
            return False
        return windows_agree(self._samples[-2 * window : -window], self._samples[-window:])


class Stopping:
    """Decides when a warm series may end; feed it every kept sample."""

    def __init__(self, limits: StoppingLimits) -> None:
        """Start with no samples."""
        self._limits = limits
        self._samples: list[float] = []
        self._elapsed_s = 0.0
        self._sum = 0.0
        self._sum_of_squares = 0.0
        self._noise: deque[float] = deque(maxlen=_NOISE_WINDOW)

    def add(self, step_s: float, step_count: int = 1) -> StopReason | None:
        """Take one block; the reason to stop, or None to go on.

        `settled`: n >= 15, the 95 % interval of the median within the limit and no drift beyond the limit, looked
        at every 5 samples (with drift in sight more samples are worth more than an early end). `noise_settled`:
        nvbench's rule, the spread over the mean no longer changes. `cap`: time or count is used up.
        """
        self._samples.append(step_s)
        self._elapsed_s += step_s * step_count
        self._note_noise(step_s)
        count = len(self._samples)
        if count >= _LEAST_SAMPLES and count % _LOOK_EVERY == 0 and self._is_exact():
            return "settled"
        if count % _NOISE_LOOK_EVERY == 0 and self._noise_is_known():
            return "noise_settled"
        if self._elapsed_s >= self._limits.cap_s or count >= self._limits.cap_count:
            return "cap"
        return None

    def _is_exact(self) -> bool:
        if half_width_fraction(self._samples) > self._limits.half_width_fraction:
            return False
        ratio = drift_ratio(self._samples)
        return ratio is not None and abs(ratio - 1.0) <= self._limits.drift_fraction

    def _note_noise(self, step_s: float) -> None:
        self._sum += step_s
        self._sum_of_squares += step_s * step_s
        count = len(self._samples)
        mean = self._sum / count
        if count > 1 and mean > 0.0:
            variance = max(0.0, self._sum_of_squares / count - mean * mean)
            self._noise.append(math.sqrt(variance) / mean)

    def _noise_is_known(self) -> bool:
        if len(self._noise) <= _NOISE_LEAST:
            return False
        noise = np.asarray(self._noise)
        mean = float(np.mean(noise))
        return mean <= 0.0 or float(np.std(noise)) < _NOISE_SPREAD * mean
