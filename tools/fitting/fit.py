"""Fits the figures of the step-time model on measured steps: few named parameters, priors in the log, robust loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.cost.efficiencies import Efficiencies, Fitted
from advisor.cost.host_time import joined_seconds
from advisor.cost.operators.device_rates import DeviceRates
from advisor.cost.operators.device_time import (
    family_seconds,
    runs_channels_last,
    runs_fused,
)
from advisor.cost.operators.op_time import Peaks, sustained_peaks
from advisor.cost.traced_step import TracedStep
from advisor.optable.op_columns import AffineWork, Floats, Work, concatenated
from tools.fitting.priors import PRIORS

NOISE = 0.12
"""Spread of the log error that counts as one: between the noise of labs and that of the model."""
SOFT_FROM = 1.5
"""Errors beyond so many spreads pull less than their square."""
DERIVATIVE_STEPS = (8e-2, 1e-2)
"""Of the logarithm. Waves of tiles make the loss jagged: a wide step first finds the valley, a narrow one its floor."""
_LARGEST_EVALUATIONS = 40
_EVALUATIONS_FROM_START = 7
"""Figures of nearly the same steps are a few steps of Newton's method away."""
_SMALLEST_GAIN = 1e-5
"""Of the loss, below which a fit ends."""
_PEAK_FIGURES = ("fp32_matmul", "tf32_matmul", "fp16_matmul", "power_limit", "tensor_width_exponent")
"""What `sustained_peaks` reads."""
_MOST_KEPT = 64


@dataclass(frozen=True, kw_only=True)
class MeasuredStep(TracedStep):
    """One measured step and everything that a prediction of it depends on."""

    spec: GpuSpec
    batch_size: int
    measured_s: float
    optimizer_share: float = 1.0
    """Of the parameters whose optimizer step runs on this device: one over the devices that states are sharded to."""
    accumulated_share: float = 1.0
    """Of the gradients that this device adds up over several micro-batches: one over the devices that keep shards."""
    added_s: float = 0.0
    """What several devices add to the step (exposed communication), as the scaling model tells; not fitted here."""
    slowdown: float = 1.0
    """Stragglers of several devices, a factor on the whole step."""
    workload: str = ""
    family: str = ""
    source: str = ""
    """Who published it: one laboratory's runs err alike."""
    length: int | None = None
    """Tokens or pixels a side."""
    group: Hashable
    """Steps of one group (a card and a family) share their weight."""


@dataclass(frozen=True, kw_only=True)
class _Family:
    """All operators of one family over all steps, in one row of columns."""

    work: Work
    step: NDArray[np.intp]
    """Index of the step that each operator belongs to."""
    rates: DeviceRates
    nhwc: Floats
    reads: set[str] = field(default_factory=set)
    """Fitted figures that its formulas read."""
    kept: dict[tuple[float, ...], Floats] = field(default_factory=dict)
    """Seconds by the values of those figures: most of a gradient's steps change none of them."""


class _Watched:
    """Figures that note which of them are read."""

    def __init__(self, fitted: Fitted) -> None:
        self._fitted = fitted
        self.names: set[str] = set()

    def __getattr__(self, name: str) -> float:
        self.names.add(name)
        value: float = getattr(self._fitted, name)
        return value


class StepSet:
    """Measured steps, laid out so that all of them are predicted at once for any set of figures."""

    def __init__(self, steps: Sequence[MeasuredStep], figures: Efficiencies) -> None:
        """Gather columns and rates; `figures` gives what is not fitted."""
        self.steps = tuple(steps)
        self.measured_s = np.array([step.measured_s for step in steps])
        self._figures = figures
        self._rates = concatenated([step.rates([step.spec], figures) for step in steps])
        costs = [step.optimizer for step in steps]
        share = np.array([step.optimizer_share for step in steps])
        self._optimizer_bytes = np.array([cost.moved_bytes for cost in costs]) * share
        self._optimizer_kernels = np.array([cost.kernel_count for cost in costs])
        self._rounds = np.array([float(step.training.gradient_accumulation_steps) for step in steps])
        self._accumulated_bytes = (self._rounds - 1.0) * np.array(
            [
                step.compiled.accumulation.gradient_passes * step.compiled.table.gradient_bytes * step.accumulated_share
                - step.compiled.accumulation.spared_bytes
                for step in steps
            ]
        )
        chain_bytes = np.array([step.chain.forward_bytes + step.chain.backward_bytes for step in steps])
        self._chain_bytes = chain_bytes * self._rounds
        self._added_s = np.array([step.added_s for step in steps])
        self._slowdown = np.array([step.slowdown for step in steps])
        each = [(step, np.array([step.batch_size])) for step in steps]
        self._issue_s = np.array([step.issue_s([step.spec], size, figures.assumed).item() for step, size in each])
        self._wait_s = np.array([step.wait_s(size, figures.assumed).item() for step, size in each])
        passes = [step.compiled.in_pass(fused=runs_fused(step.training)) for step in steps]
        gathered = [self._gathered(family) for family in zip(*passes, strict=True)]
        self._families = [family for family in gathered if family is not None]

    def _gathered(self, of_steps: Sequence[AffineWork[Work]]) -> _Family | None:
        parts: list[Work] = []
        owners: list[NDArray[np.intp]] = []
        for index, (step, family) in enumerate(zip(self.steps, of_steps, strict=True)):
            if family.count:
                parts.append(family.at(np.array(float(step.batch_size))))
                owners.append(np.full(family.count, index, dtype=np.intp))
        if not parts:
            return None
        owner = np.concatenate(owners)
        layout = np.array([float(runs_channels_last(step.compiled, step.training)) for step in self.steps])
        return _Family(
            work=concatenated(parts),
            step=owner,
            rates=self._rates.changed(lambda values: values[owner]),
            nhwc=layout[owner],
        )

    def predicted_s(self, fitted: Fitted) -> Floats:
        """Seconds of every step, shape (steps,), by the same formulas as `predict_steps`."""
        device = self._device_s(fitted)
        predicted: Floats = (joined_seconds(device, self._issue_s) + self._wait_s + self._added_s) * self._slowdown
        return predicted

    def host_fraction(self, fitted: Fitted) -> Floats:
        """Share of every step in which the device waits for the host, shape (steps,)."""
        device = self._device_s(fitted)
        waited: Floats = (joined_seconds(device, self._issue_s) - device) * self._slowdown / self.predicted_s(fitted)
        return waited

    def _device_s(self, fitted: Fitted) -> Floats:
        figures = msgspec.structs.replace(self._figures, fitted=fitted)
        peaks = sustained_peaks(self._rates, fitted)
        passes = np.zeros(len(self.steps))
        for family in self._families:
            passes = passes + self._pass_s(family, figures, peaks)
        moved = self._optimizer_bytes + self._accumulated_bytes + self._chain_bytes
        device = passes * self._rounds + moved / (self._rates.bandwidth_bytes_per_s * fitted.elementwise)
        device = device + self._optimizer_kernels * fitted.kernel_start_s
        busy: Floats = device * np.where(self._rates.early_kernels == 1, fitted.early_ampere_slowdown, 1.0)
        return busy

    def _pass_s(self, family: _Family, figures: Efficiencies, peaks: Peaks) -> Floats:
        """Seconds of one family in one pass of every step; known again while no figure that it reads has changed."""
        known = tuple(getattr(figures.fitted, name) for name in sorted(family.reads))
        if family.reads and known in family.kept:
            return family.kept[known]
        own = Peaks(fp32=peaks.fp32[family.step], single=peaks.single[family.step], half=peaks.half[family.step])
        watched = _Watched(figures.fitted)
        read = msgspec.structs.replace(figures, fitted=cast("Fitted", watched))
        seconds = family_seconds(family.work, family.rates, own, read, family.nhwc)
        found: Floats = np.bincount(family.step, seconds, minlength=len(self.steps)).astype(np.float64)
        family.reads.update(watched.names, _PEAK_FIGURES)
        if len(family.kept) >= _MOST_KEPT:
            family.kept.pop(next(iter(family.kept)))
        family.kept[tuple(getattr(figures.fitted, name) for name in sorted(family.reads))] = found
        return found

    def weights(self) -> Floats:
        """Of every step, shape (steps,)."""
        return weights_of(self.steps)


def weights_of(steps: Sequence[MeasuredStep]) -> Floats:
    """1 / sqrt(steps of the same group), shape (steps,)."""
    sizes = Counter(step.group for step in steps)
    return np.array([sizes[step.group] ** -0.5 for step in steps])


def fit(steps: StepSet, start: Fitted | None = None) -> Fitted:
    """Figures that explain the steps best; deterministic. Needs scipy (the extra `fit`).

    `start` are figures of nearly the same steps, which then need no wide search; None: the priors' centres.
    """
    from scipy.optimize import least_squares

    names = list(PRIORS)
    centre = np.log([PRIORS[name].centre for name in names])
    spread = np.array([PRIORS[name].spread for name in names])
    weights = steps.weights()

    def residuals(shifted: Floats) -> Floats:
        logs = centre + shifted - 1.0
        error = np.log(steps.predicted_s(fitted_from(names, logs)) / steps.measured_s)
        both: Floats = np.concatenate([weights * error / NOISE, (logs - centre) / spread])
        return both

    begin = centre if start is None else np.log([getattr(start, name) for name in names])
    shifted = begin - centre + 1.0
    most = _LARGEST_EVALUATIONS if start is None else _EVALUATIONS_FROM_START
    for step in DERIVATIVE_STEPS if start is None else DERIVATIVE_STEPS[-1:]:
        found = least_squares(
            residuals,
            shifted,
            loss="soft_l1",
            f_scale=SOFT_FROM,
            max_nfev=most,
            ftol=_SMALLEST_GAIN,
            diff_step=step,
        )
        shifted = found.x
    return fitted_from(names, centre + shifted - 1.0)


def fitted_from(names: Sequence[str], logs: Floats) -> Fitted:
    """Figures from their logarithms."""
    return Fitted(**{name: float(value) for name, value in zip(names, np.exp(logs), strict=True)})
