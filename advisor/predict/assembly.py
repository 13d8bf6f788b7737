"""Puts the predictions of candidates together: single-card steps, then strategies and counts, then memory."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from advisor.hardware.gpu_spec import GpuSpec
from advisor.hardware.machine import Machine
from advisor.measure.measurement import Measurement
from advisor.predict.compiled_table import CompiledTable, compile_table
from advisor.predict.device_memory import MemoryAnswer
from advisor.predict.device_steps import DeviceSteps, stacked
from advisor.predict.efficiencies import efficiencies
from advisor.predict.host_time import HostSpeed, host_seconds
from advisor.predict.links import Link, detected_link, parse_interconnect, usual_link
from advisor.predict.measured_link import measured_link
from advisor.predict.optimizer_cost import optimizer_cost
from advisor.predict.prediction import Calibration, Candidate, Device, Part, PartKind, Prediction, basis_of
from advisor.predict.scaling import PARTS, ScaledGrid, Setting, scale_steps
from advisor.predict.single_device import Knowledge, single_device_steps
from advisor.predict.step_time import TRACE_PRECISIONS
from advisor.predict.traffic import traffic_of
from advisor.sentences import Reason
from advisor.units import Basis, Estimate, Precision
from advisor.workload.op_table import OpTable, TracePrecision
from advisor.workload.workload import Training, Workload

_UNUSED_LINK = Link(type="given", wire_bytes_per_s=1e9, pcie_bytes_per_s=1e9, peer_to_peer=False)
"""Of a device that stands alone: the scaling asks for a link, and at count 1 never uses it."""
_UNUSED_BANDWIDTH_BYTES_PER_S = 1e9
_PART_KINDS: dict[str, PartKind] = {
    "forward_s": "forward",
    "backward_s": "backward",
    "optimizer_s": "optimizer",
    "host_s": "host",
    "copy_s": "copy",
    "loader_s": "loader",
    "synchronisation_s": "synchronisation",
    "communication_s": "communication",
    "imbalance_s": "imbalance",
}


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Everything that predictions rest on."""

    workload: Workload
    tables: Mapping[TracePrecision, OpTable]
    specs: Mapping[str, GpuSpec]
    machine: Machine
    measurements: Mapping[str, Measurement] = field(default_factory=dict)
    """By device key."""
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    interconnect: str | None = None
    node_count: int = 1
    host: HostSpeed = field(default_factory=HostSpeed)


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """The predictions, and why some candidates have none."""

    predictions: tuple[Prediction, ...]
    refusals: tuple[Reason, ...]


def predict_candidates(
    candidates: Sequence[Candidate], sources: Sources, memory_of: Callable[[Candidate], MemoryAnswer]
) -> Predicted:
    """Predict every candidate; one that cannot be predicted is left out and its reason given once.

    `memory_of` answers peak memory and capacity; it is asked once for each candidate that has a time.
    """
    by_precision: dict[Precision, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_precision[candidate.precision].append(candidate)
    predictions: list[Prediction] = []
    refusals: list[Reason] = []
    for precision, group in by_precision.items():
        table = sources.tables.get(TRACE_PRECISIONS[precision])
        if table is None:
            refusals.append(Reason(code="predict-no-trace", numbers={"precision": precision}))
            continue
        room = _Room(table, precision, group, sources)
        refusals += [reason for reason in room.refusals if reason not in refusals]
        for candidate in group:
            prediction = room.predict(candidate, memory_of)
            if prediction is not None:
                predictions.append(prediction)
    return Predicted(predictions=tuple(predictions), refusals=tuple(refusals))


class _Room:
    """All candidates of one precision: their single-card steps once, their scaled grids once an accumulation."""

    def __init__(self, table: OpTable, precision: Precision, candidates: Sequence[Candidate], sources: Sources) -> None:
        self.table = table
        self.compiled: CompiledTable = compile_table(table)
        self.precision = precision
        self.sources = sources
        # The scaling adds micro-batches up, so that one prediction serves every accumulation.
        self.training: Training = msgspec.structs.replace(
            sources.workload.training, precision=precision, gradient_accumulation_steps=1
        )
        self.batches = sorted({candidate.batch_size_per_device for candidate in candidates})
        self.devices: dict[str, Device] = {}
        self.counts: dict[str, set[int]] = defaultdict(set)
        for candidate in candidates:
            self.devices[candidate.device.key] = candidate.device
            self.counts[candidate.device.key].add(candidate.count)
        self.strategies = tuple(dict.fromkeys(candidate.strategy for candidate in candidates))
        self.refusals: list[Reason] = []
        self.rows: dict[str, int] = {}
        self.steps = self._single_steps()
        self.traffic = traffic_of(table, precision)
        self._grids: dict[tuple[int, int | None], ScaledGrid] = {}

    def _single_steps(self) -> DeviceSteps | None:
        found: list[DeviceSteps] = []
        known = Knowledge(
            specs=self.sources.specs,
            measurements=self.sources.measurements,
            calibrations=self.sources.calibrations,
            host=self.sources.host,
        )
        answers = single_device_steps(
            self.table, self.compiled, self.training, self.precision, list(self.devices.values()), self.batches, known
        )
        for key, answer in answers.items():
            if isinstance(answer, Reason):
                self.refusals.append(answer)
                continue
            self.rows[key] = len(found)
            found.append(answer)
        return stacked(found) if found else None

    def predict(self, candidate: Candidate, memory_of: Callable[[Candidate], MemoryAnswer]) -> Prediction | None:
        row = self.rows.get(candidate.device.key)
        if row is None or self.steps is None:
            return None
        column = self.batches.index(candidate.batch_size_per_device)
        nodes = self.sources.node_count
        grid = self._grid(candidate.gradient_accumulation_steps, candidate.count if nodes > 1 else None)
        cell = (*grid.index(candidate.strategy, candidate.count), row, column)
        if not np.isfinite(grid.step_s[cell]):
            return None
        alone = candidate.count == 1
        basis: Basis = self.steps.basis[row]
        measured = bool(self.steps.measured[row, column]) and alone and candidate.gradient_accumulation_steps == 1
        if measured:
            basis = "measured"
        elif not alone:
            basis = basis_of(basis, "calibrated")
        return _prediction(candidate, self.sources, grid, cell, basis, measured, self.steps.notes[row], memory_of)

    def _grid(self, accumulation: int, count: int | None) -> ScaledGrid:
        """The scaled grid of an accumulation; across nodes the link depends on the count, so each has its own."""
        key = (accumulation, count)
        if key not in self._grids:
            self._grids[key] = self._scaled(accumulation, count)
        return self._grids[key]

    def _scaled(self, accumulation: int, count: int | None) -> ScaledGrid:
        steps = self.steps
        if steps is None:
            message = "no device of this precision has a step"
            raise ValueError(message)
        cost = optimizer_cost(
            self.training,
            self.precision,
            self.compiled.trainable_parameter_count,
            self.compiled.parameter_tensor_count,
        )
        host_s = host_seconds(self.compiled, self.training, cost, self.sources.host, efficiencies().assumed)
        setting = Setting(accumulation_steps=accumulation, host_step_s=host_s)
        devices = [self.devices[key] for key in self.rows]
        counts = {number for key in self.rows for number in self.counts[key]} if count is None else {count}
        return scale_steps(
            steps,
            self.traffic,
            [self._link(device, count) for device in devices],
            [self._bandwidth(device) for device in devices],
            self.batches,
            strategies=self.strategies,
            counts=tuple(sorted(counts)),
            setting=setting,
        )

    def _spec(self, device: Device) -> GpuSpec | None:
        return self.sources.specs.get(device.spec_key) if device.spec_key is not None else None

    def _bandwidth(self, device: Device) -> float:
        spec = self._spec(device)
        known = spec.memory_bandwidth_bytes_per_s if spec is not None else None
        return known or _UNUSED_BANDWIDTH_BYTES_PER_S

    def _link(self, device: Device, count: int | None) -> Link:
        spec = self._spec(device)
        if spec is None:
            return _UNUSED_LINK
        nodes = self.sources.node_count
        per_node = max(1, math.ceil(count / nodes)) if count is not None and nodes > 1 else None
        if self.sources.interconnect is not None or per_node is not None:
            return parse_interconnect(self.sources.interconnect or "", spec, cards_per_node=per_node)
        if device.local:
            wires = detected_link(spec, self.sources.machine.links)
            return self._measured_link(wires) or wires
        return usual_link(spec)

    def _measured_link(self, wires: Link) -> Link | None:
        """The link that this machine's GPUs were timed over, where ranks of our own or of torchrun did that."""
        for measurement in self.sources.measurements.values():
            if measurement.device_key != "cpu" and measurement.communication:
                return measured_link(measurement.communication, wires)
        return None


def optimizer_step_count(workload: Workload, global_batch_size: int) -> int:
    """Optimizer steps of the whole job; the last batch of an epoch may be short and counts as one."""
    whole_epochs = workload.training.epochs * math.ceil(workload.data.samples / global_batch_size)
    return max(1, math.ceil(whole_epochs))


def _prediction(  # noqa: PLR0913 - one cell of the grid with all that describes it
    candidate: Candidate,
    sources: Sources,
    grid: ScaledGrid,
    cell: tuple[int, int, int, int],
    basis: Basis,
    measured: bool,
    notes: tuple[Reason, ...],
    memory_of: Callable[[Candidate], MemoryAnswer],
) -> Prediction:
    step = Estimate(
        value=float(grid.step_s[cell]), low=float(grid.low_s[cell]), high=float(grid.high_s[cell]), basis=basis
    )
    passes = candidate.batch_size_per_device * candidate.gradient_accumulation_steps
    global_batch = passes * (1 if candidate.strategy == "single" else candidate.count)
    efficiency = None
    if candidate.count > 1:
        efficiency = Estimate(
            value=float(grid.efficiency[cell]),
            low=float(min(grid.efficiency_low[cell], grid.efficiency[cell])),
            high=float(max(grid.efficiency_high[cell], grid.efficiency[cell])),
            basis=basis,
        )
    memory = memory_of(candidate)
    rate = Estimate(
        value=global_batch / step.value, low=global_batch / step.high, high=global_batch / step.low, basis=basis
    )
    parts = tuple(
        Part(kind=_PART_KINDS[name], duration_s=seconds)
        for name in PARTS
        if (seconds := float(grid.parts_s[name][cell])) > 0
    )
    return Prediction(
        device=candidate.device,
        count=candidate.count,
        strategy=candidate.strategy,
        precision=candidate.precision,
        batch_size_per_device=candidate.batch_size_per_device,
        global_batch_size=global_batch,
        gradient_accumulation_steps=candidate.gradient_accumulation_steps,
        step_s=step,
        parts=parts,
        samples_per_s=rate,
        peak_memory_bytes=memory.peak,
        memory_parts=memory.parts,
        memory_capacity_bytes=memory.capacity_bytes,
        fits=memory.fits,
        job_s=step.scaled(optimizer_step_count(sources.workload, global_batch)),
        efficiency=efficiency,
        measured=measured,
        notes=(*notes, *memory.notes),
    )
