"""How long one optimizer step takes on cards that need not be here: operators, optimizer, host, copies, waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision
from advisor.core.sentences import Reason
from advisor.cost.efficiencies import Efficiencies, efficiencies
from advisor.cost.host_time import (
    HostSpeed,
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
from advisor.optable.compiled_table import CompiledTable, compile_table
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training


@dataclass(frozen=True, kw_only=True)
class StepGrid(StepParts):
    """One optimizer step on each card of the spec table at each batch size."""

    refusals: tuple[Reason | None, ...]
    """For each card: why nothing is predicted."""
    notes: tuple[tuple[Reason, ...], ...]
    """For each card: what a reader must know."""


@dataclass(frozen=True, kw_only=True)
class _Question(TracedStep):
    """What is asked of every card alike."""

    batches: Floats
    """Shape (batches, 1)."""
    factors: Mapping[str, float]
    figures: Efficiencies


def predict_steps(  # noqa: PLR0913 - what a step depends on
    table: OpTable | CompiledTable,
    training: Training,
    precision: Precision,
    specs: Sequence[GpuSpec],
    batch_sizes: Sequence[int],
    *,
    factors: Mapping[str, float] | None = None,
    host: HostSpeed | None = None,
    figures: Efficiencies | None = None,
    software_year: int | None = None,
) -> StepGrid:
    """Predict one optimizer step on each card at each batch size a device.

    `table` is the trace for `precision` (TRACE_PRECISIONS; ValueError otherwise), compiled once by callers that
    ask often. `factors` (a local calibration) multiply the times of operator kinds, of the optimizer under
    "optimizer", and of the whole device time under "step". `host` is the CPU that issues the work; None: a usual
    one. `software_year` is that of PyTorch and its libraries where an old run is looked at; None: today's. Cards
    that cannot be predicted get NaN and a refusal.
    """
    compiled = compile_table(table)
    if compiled.table.precision != TRACE_PRECISIONS[precision]:
        message = f"a trace for {compiled.table.precision} cannot predict {precision}"
        raise ValueError(message)
    question = _Question(
        compiled=compiled,
        training=training,
        precision=precision,
        host=host or HostSpeed(),
        software_year=software_year,
        batches=np.asarray(batch_sizes, dtype=np.float64).reshape(-1, 1),
        factors=factors or {},
        figures=figures or efficiencies(),
    )
    refusals = tuple(missing_figures(spec, precision) for spec in specs)
    known = [index for index, refusal in enumerate(refusals) if refusal is None]
    arrays = {name: np.full((len(specs), len(batch_sizes)), np.nan) for name in OWN_PARTS}
    if known and batch_sizes:
        for name, values in _known_steps(question, [specs[index] for index in known]).items():
            arrays[name][known] = values
    notes = tuple(
        () if refusal else precision_notes(spec, precision) for spec, refusal in zip(specs, refusals, strict=True)
    )
    return StepGrid(**arrays, refusals=refusals, notes=notes)


def _known_steps(question: _Question, specs: Sequence[GpuSpec]) -> dict[str, Floats]:
    """All fields of the grid for cards whose figures are known."""
    training, figures = question.training, question.figures
    parts = _device_parts(question, question.rates(specs, figures))
    device = parts["forward_s"] + parts["backward_s"] + parts["optimizer_s"]
    parts["host_s"] = joined_seconds(device, question.issue_s(figures.assumed)) - device
    parts["copy_s"] = copy_seconds(question.compiled.table, training, specs, question.batches, question.host)
    parts["synchronisation_s"] = np.full_like(device, question.wait_s(figures.assumed))
    parts["loader_s"] = np.zeros_like(device)
    return parts


def _device_parts(question: _Question, rates: DeviceRates) -> dict[str, Floats]:
    """Forward, backward and optimizer of one optimizer step, before the host is looked at."""
    training, figures, factors = question.training, question.figures, question.factors
    busy = device_seconds(
        question.compiled,
        rates,
        question.batches,
        figures,
        channels_last=runs_channels_last(question.compiled, training),
        fused=runs_fused(training),
        factors=factors,
    )
    bandwidth = (rates.bandwidth_bytes_per_s * figures.fitted.elementwise).reshape(-1, 1)
    cost, chain = question.optimizer, question.chain
    optimizer = cost.moved_bytes / bandwidth + cost.kernel_count * figures.fitted.kernel_start_s
    optimizer = np.broadcast_to(optimizer * factors.get("optimizer", 1.0), busy.forward.shape)
    rounds = float(training.gradient_accumulation_steps)
    further = question.compiled.accumulation
    added_bytes = further.gradient_passes * question.compiled.table.gradient_bytes - further.spared_bytes
    added = (rounds - 1.0) * added_bytes / bandwidth
    early = np.where(rates.early_kernels == 1, figures.fitted.early_ampere_slowdown, 1.0).reshape(-1, 1)
    whole = early * factors.get("step", 1.0)
    return {
        "forward_s": (busy.forward + chain.forward_bytes / bandwidth) * rounds * whole,
        "backward_s": ((busy.backward + chain.backward_bytes / bandwidth) * rounds + added) * whole,
        "optimizer_s": optimizer * whole,
    }
