"""Puts the predictions of candidates together: single-card steps, then strategies and counts, then memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.catalogue.precisions import PRECISION_LABELS, TRACE_PRECISIONS, ComputedPrecision
from advisor.core.by_key import grouped
from advisor.core.records import shared_fields
from advisor.core.sentences import Reason
from advisor.core.units import Basis, Estimate, around
from advisor.cost.parts import PART_KINDS, Part
from advisor.cost.scaling.scaling import PARTS
from advisor.cost.step_parts import OWN_PARTS
from advisor.predict.additions import Added
from advisor.predict.candidate_grid import CandidateGrid, Cell
from advisor.predict.computed_precision import computed_precision
from advisor.predict.device_memory import MemoryAnswer
from advisor.predict.groups import Groups
from advisor.predict.loader import with_loader
from advisor.predict.local.anchors import anchors_of
from advisor.predict.local.timed_alone import timed_peak, timed_steps
from advisor.predict.prediction import Candidate, Prediction, SetUp, basis_of
from advisor.predict.sources import Sources
from advisor.workload.workload import Workload, passes_over_data


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """The predictions, why some candidates have none, and what explains those of several cards."""

    predictions: tuple[Prediction, ...]
    refusals: tuple[Reason, ...]
    groups: Groups


def predict_candidates(
    candidates: Sequence[Candidate], sources: Sources, memory_of: Callable[[Candidate], MemoryAnswer]
) -> Predicted:
    """Predict every candidate; one that cannot be predicted is left out and its reason given once.

    `memory_of` answers peak memory and capacity; it is asked once for each candidate that has a time.
    """
    predictions: list[Prediction] = []
    refusals: list[Reason] = []
    grids: dict[tuple[Added, ComputedPrecision], CandidateGrid] = {}
    traced, training = sources.tables, sources.workload.training
    alike = grouped(candidates, lambda one: (one.added, computed_precision(one, training, traced)))
    for (added, precision), group in alike.items():
        if TRACE_PRECISIONS[precision] not in sources.tables:
            predictions += _timed_alone(group, precision, sources, memory_of)
            timed = any(anchors_of(measurement, precision) for measurement in sources.measurements.values())
            code = "predict-timed-alone" if timed else "predict-no-trace"
            refusals.append(Reason.of(code, precision=PRECISION_LABELS[precision]))
            continue
        grid = grids[added, precision] = CandidateGrid(precision, group, sources)
        for candidate in group:
            cell = grid.cell(candidate)
            if cell is not None:
                predictions.append(_prediction(candidate, sources.workload, cell, memory_of(candidate)))
        refusals += [reason for reason in grid.refusals if reason not in refusals]
    return Predicted(predictions=tuple(predictions), refusals=tuple(refusals), groups=Groups(grids))


def _timed_alone(
    group: Sequence[Candidate],
    precision: ComputedPrecision,
    sources: Sources,
    memory_of: Callable[[Candidate], MemoryAnswer],
) -> list[Prediction]:
    """What was timed on devices that are here, where no table says more of the model."""
    alone = [candidate for candidate in group if candidate.count == 1 and candidate.gradient_accumulation_steps == 1]
    predictions: list[Prediction] = []
    for device in {candidate.device.key: candidate.device for candidate in alone}.values():
        here = [candidate for candidate in alone if candidate.device.key == device.key]
        measurement = sources.measurements.get(device.key)
        batches = sorted({candidate.batch_size_per_device for candidate in here})
        timed = timed_steps(measurement, batches, precision) if measurement is not None else None
        if measurement is None or timed is None:
            continue
        steps = with_loader(timed, device, batches, sources)
        for candidate in here:
            column = batches.index(candidate.batch_size_per_device)
            if not steps.measured[0, column]:
                continue
            memory = memory_of(candidate)
            peak = timed_peak(measurement, candidate.batch_size_per_device, precision, memory.beside_bytes)
            predictions.append(
                _described(
                    candidate,
                    sources.workload,
                    around(steps.total_s[0, column], steps.low_s[0, column], steps.high_s[0, column], "measured"),
                    {name: float(getattr(steps, name)[0, column]) for name in OWN_PARTS},
                    replace(memory, peak=peak, fits=True),  # it ran
                    measured=True,
                )
            )
    return predictions


def optimizer_step_count(workload: Workload, global_batch_size: int) -> int:
    """Optimizer steps of the whole job; the last batch of an epoch may be short and counts as one."""
    whole_epochs = passes_over_data(workload.training) * math.ceil(workload.data.samples / global_batch_size)
    return max(1, math.ceil(whole_epochs))


def _job(workload: Workload, global_batch_size: int, step: Estimate) -> Estimate:
    """Time of the whole job: as many whole steps as there are; the least, had a short step no more time than samples.

    The step at an epoch's end takes the time of a whole one where the host or the weights set it, and the share of its
    samples where the arithmetic does: of little data that is a large part of the job.
    """
    samples, steps = workload.data.samples, optimizer_step_count(workload, global_batch_size)
    epochs, rest = divmod(steps, math.ceil(samples / global_batch_size))
    whole_steps = epochs * samples / global_batch_size + rest  # a part of an epoch ends before its short step
    return around(step.value * steps, step.low * whole_steps, step.high * steps, step.basis)


def _prediction(candidate: Candidate, workload: Workload, cell: Cell, memory: MemoryAnswer) -> Prediction:
    """One cell of the grid with all that describes it."""
    grid, ends, place = cell.grid, cell.ends, cell.place
    basis: Basis = cell.basis
    if cell.measured:
        basis = "measured"
    elif candidate.count > 1:
        basis = basis_of(basis, "calibrated")
    step = around(grid.step_s[place], ends.low_s[place], ends.high_s[place], basis)
    efficiency = None
    if candidate.count > 1:
        efficiency = around(grid.efficiency[place], ends.efficiency_low[place], ends.efficiency_high[place], basis)
    parts_s = {name: float(grid.parts_s[name][place]) for name in PARTS}
    notes = (*cell.notes, *memory.notes)
    return _described(
        candidate, workload, step, parts_s, memory, measured=cell.measured, efficiency=efficiency, notes=notes
    )


def _described(  # noqa: PLR0913 - a set-up and all that is known of it
    candidate: Candidate,
    workload: Workload,
    step: Estimate,
    parts_s: Mapping[str, float],
    memory: MemoryAnswer,
    *,
    measured: bool,
    efficiency: Estimate | None = None,
    notes: tuple[Reason, ...] = (),
) -> Prediction:
    """A set-up's step with what follows from it: rate and job."""
    passes = candidate.batch_size_per_device * candidate.gradient_accumulation_steps
    global_batch = passes * (1 if candidate.strategy == "single" else candidate.count)
    seconds = ((kind, parts_s.get(f"{kind}_s", 0.0)) for kind in PART_KINDS)
    parts = tuple(Part(kind=kind, duration_s=time_s) for kind, time_s in seconds if time_s > 0)
    return Prediction(
        **shared_fields(candidate, SetUp),
        global_batch_size=global_batch,
        step_s=step,
        parts=parts,
        samples_per_s=step.per(global_batch),
        peak_memory_bytes=memory.peak,
        memory_parts=memory.parts,
        memory_capacity_bytes=memory.capacity_bytes,
        fits=memory.fits,
        job_s=_job(workload, global_batch, step),
        efficiency=efficiency,
        measured=measured,
        notes=notes,
    )
