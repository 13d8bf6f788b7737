"""How long one optimizer step takes on cards that need not be here: operators, optimizer, host, copies, waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.core.sentences import Reason
from advisor.cost.efficiencies import Efficiencies, efficiencies
from advisor.cost.host_time import (
    copy_seconds,
    joined_seconds,
)
from advisor.cost.operators.device_rates import DeviceRates, missing_figures, precision_notes
from advisor.cost.operators.device_time import (
    device_seconds,
    runs_channels_last,
    runs_fused,
)
from advisor.cost.step_parts import OWN_PARTS, StepParts
from advisor.cost.traced_step import TracedStep
from advisor.optable.op_columns import Floats


@dataclass(frozen=True, kw_only=True)
class StepGrid(StepParts):
    """One optimizer step on each card of the spec table at each batch size."""

    refusals: tuple[Reason | None, ...]
    """For each card: why nothing is predicted."""
    notes: tuple[tuple[Reason, ...], ...]
    """For each card: what a reader must know."""


def predict_steps(
    step: TracedStep,
    specs: Sequence[GpuSpec],
    batch_sizes: Sequence[int],
    *,
    factors: Mapping[str, float] | None = None,
    figures: Efficiencies | None = None,
) -> StepGrid:
    """Predict one optimizer step on each card at each batch size a device.

    The step's columns are of the trace for its precision (TRACE_PRECISIONS; ValueError otherwise). `factors` (a local
    calibration) multiply the times of operator kinds, of the optimizer under "optimizer", and of the whole device time
    under "step". Cards that cannot be predicted get NaN and a refusal.
    """
    precision, traced = step.precision, step.compiled.table.precision
    if traced != TRACE_PRECISIONS[precision]:
        message = f"a trace for {traced} cannot predict {precision}"
        raise ValueError(message)
    figures, batches = figures or efficiencies(), np.asarray(batch_sizes, dtype=np.float64).reshape(-1, 1)
    refusals = tuple(missing_figures(spec, precision) for spec in specs)
    predicted = [index for index, refusal in enumerate(refusals) if refusal is None]
    arrays = {name: np.full((len(specs), len(batch_sizes)), np.nan) for name in OWN_PARTS}
    if predicted and batch_sizes:
        parts = _known_steps(step, [specs[index] for index in predicted], batches, factors or {}, figures)
        for name, values in parts.items():
            arrays[name][predicted] = values
    notes = tuple(
        () if refusal else precision_notes(spec, precision) for spec, refusal in zip(specs, refusals, strict=True)
    )
    return StepGrid(**arrays, refusals=refusals, notes=notes)


def _known_steps(
    step: TracedStep, specs: Sequence[GpuSpec], batches: Floats, factors: Mapping[str, float], figures: Efficiencies
) -> dict[str, Floats]:
    """All fields of the grid for cards whose figures are known; `batches` has shape (batches, 1)."""
    parts = _device_parts(step, step.rates(specs, figures), batches, factors, figures)
    device = parts["forward_s"] + parts["backward_s"] + parts["optimizer_s"]
    parts["host_s"] = joined_seconds(device, step.issue_s(specs, batches[:, 0], figures.assumed)) - device
    parts["copy_s"] = copy_seconds(step.compiled.table, step.training, specs, batches, step.host)
    parts["synchronisation_s"] = np.broadcast_to(step.wait_s(batches[:, 0], figures.assumed), device.shape)
    parts["loader_s"] = np.zeros_like(device)
    return parts


def _device_parts(
    step: TracedStep, rates: DeviceRates, batches: Floats, factors: Mapping[str, float], figures: Efficiencies
) -> dict[str, Floats]:
    """Forward, backward and optimizer of one optimizer step, before the host is looked at."""
    training = step.training
    busy = device_seconds(
        step.compiled,
        rates,
        batches,
        figures,
        channels_last=runs_channels_last(step.compiled, training),
        fused=runs_fused(training, whole_layers=step.whole_layers),
        factors=factors,
    )
    bandwidth = (rates.bandwidth_bytes_per_s * figures.fitted.elementwise).reshape(-1, 1)
    cost, chain = step.optimizer, step.chain
    optimizer = cost.moved_bytes / bandwidth + cost.kernel_count * figures.fitted.kernel_start_s
    optimizer = np.broadcast_to(optimizer * factors.get("optimizer", 1.0), busy.forward.shape)
    rounds = float(training.gradient_accumulation_steps)
    further = step.compiled.accumulation
    added_bytes = further.gradient_passes * step.compiled.table.gradient_bytes - further.spared_bytes
    added = (rounds - 1.0) * added_bytes / bandwidth
    early = np.where(rates.early_kernels == 1, figures.fitted.early_ampere_slowdown, 1.0).reshape(-1, 1)
    whole = early * factors.get("step", 1.0)
    return {
        "forward_s": (busy.forward + chain.forward_bytes / bandwidth) * rounds * whole,
        "backward_s": ((busy.backward + chain.backward_bytes / bandwidth) * rounds + added) * whole,
        "optimizer_s": optimizer * whole,
    }
