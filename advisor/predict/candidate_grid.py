"""All candidates of one precision: single-card steps once, scaled grids once an accumulation, links, what explains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.links import pcie_bytes_per_s
from advisor.catalogue.precisions import TRACE_PRECISIONS, ComputedPrecision
from advisor.catalogue.strategies import Strategy
from advisor.core.sentences import Reason
from advisor.core.units import Basis
from advisor.cost.memory.offloaded import kept_bytes
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.communication import bus_bytes_per_s
from advisor.cost.scaling.links import Link, detected_link, parse_interconnect
from advisor.cost.scaling.offload import offloading_of
from advisor.cost.scaling.scaling import ScaledGrid, scale_steps
from advisor.cost.scaling.sharded_precision import runs_whole_layers
from advisor.cost.scaling.traffic import traffic_of
from advisor.cost.traced_step import TracedStep
from advisor.optable.compiled_table import compile_table
from advisor.optable.dispatches import all_dispatches
from advisor.optable.op_columns import concatenated
from advisor.predict.device_steps import DeviceSteps
from advisor.predict.measured_link import measured_link
from advisor.predict.prediction import Candidate, Device
from advisor.predict.ranges.scaling_range import ScaledRange, scaled_range
from advisor.predict.single_device import single_device_steps
from advisor.predict.sources import Sources

_LONE_LINK = Link(type="given", wire_bytes_per_s=1e9, pcie_bytes_per_s=1e9, peer_to_peer=False)
"""Of a processor, which stands alone: the scaling asks for a link, and at count 1 never uses it."""
_UNKNOWN_CARDS_LINK = Link(
    type="pcie_host",
    wire_bytes_per_s=pcie_bytes_per_s(),
    pcie_bytes_per_s=pcie_bytes_per_s(),
    peer_to_peer=False,
    certain=False,
)
"""Of local cards that the table lacks: through the host over PCIe 3.0 x16, which every card since 2012 can do."""
_UNUSED_BANDWIDTH_BYTES_PER_S = 1e9
_LONGEST_STEP_S = 1e30
"""Beyond it a job's time may be no number any more; nothing that computes takes a millionth of it."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Where one candidate stands in a scaled grid, and how sure its single step is."""

    grid: ScaledGrid
    ends: ScaledRange
    """Of the whole grid."""
    place: tuple[int, int, int, int]
    basis: Basis
    measured: bool
    """Whether this very set-up was timed here."""
    notes: tuple[Reason, ...]


class CandidateGrid:
    """The candidates of one precision and everything that their steps are scaled with."""

    def __init__(self, precision: ComputedPrecision, candidates: Sequence[Candidate], sources: Sources) -> None:
        """Predict one card's steps for every device and batch size among `candidates`."""
        # The scaling adds micro-batches up, so that one prediction serves every accumulation.
        training = msgspec.structs.replace(
            sources.workload.training, precision=precision, gradient_accumulation_steps=1
        )
        self.sources = sources
        self.step = TracedStep(
            compiled=compile_table(sources.tables[TRACE_PRECISIONS[precision]]),
            training=training,
            precision=precision,
            host=sources.host,
            software_year=sources.software_year,
            flash_generation=sources.flash_generation,
            whole_layers=runs_whole_layers(precision) if sources.whole_layers is None else sources.whole_layers,
        )
        self.table = self.step.compiled.table
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
        self.traffic = traffic_of(
            self.table,
            precision,
            backward=training.mode != "inference",
            forward_again=training.activation_checkpointing == "full",
            whole_layers=self.step.whole_layers,
        )
        self._scaled: dict[tuple[int, int], tuple[ScaledGrid, ScaledRange]] = {}

    def _single_steps(self) -> DeviceSteps | None:
        steps: list[DeviceSteps] = []
        answers = single_device_steps(self.step, list(self.devices.values()), self.batches, self.sources)
        for key, answer in answers.items():
            if isinstance(answer, Reason):
                self.refusals.append(answer)
                continue
            self.rows[key] = len(steps)
            steps.append(answer)
        return concatenated(steps) if steps else None

    def cell(self, candidate: Candidate) -> Cell | None:
        """The candidate's place in its grid; None where its device or its batch has no step."""
        row = self.rows.get(candidate.device.key)
        if row is None or self.steps is None:
            return None
        column = self.batches.index(candidate.batch_size_per_device)
        grid, ends = self._scaled_grid(candidate.gradient_accumulation_steps, candidate.count)
        place = (*grid.index(candidate.strategy, candidate.count), row, column)
        if not grid.step_s[place] < _LONGEST_STEP_S:
            endless = Reason.of("predict-step-endless", device=candidate.device.name)
            self.refusals += [endless] if endless not in self.refusals else []
            return None
        alone = candidate.count == 1
        return Cell(
            grid=grid,
            ends=ends,
            place=place,
            basis=self.steps.basis[row],
            measured=bool(self.steps.measured[row, column]) and alone and candidate.gradient_accumulation_steps == 1,
            notes=self.steps.notes[row],
        )

    def _scaled_grid(self, accumulation: int, count: int) -> tuple[ScaledGrid, ScaledRange]:
        """The scaled grid and range of an accumulation and of all counts that stand as many to a machine as this."""
        in_each = self.sources.machines.cards_in_each
        key = (accumulation, in_each(count))
        if key not in self._scaled:
            asked = {number for row in self.rows for number in self.counts[row]}
            counts = {number for number in asked if in_each(number) == in_each(count)}
            links = [self.link(self.devices[key], count) for key in self.rows]
            grid = self.scaled(accumulation, links, self.strategies, sorted(counts))
            self._scaled[key] = grid, scaled_range(grid, self._known_steps())
        return self._scaled[key]

    def scaled(
        self, accumulation: int, links: Sequence[Link], strategies: Sequence[Strategy], counts: Sequence[int]
    ) -> ScaledGrid:
        """Every device over the links given, one a device in the order of `rows`."""
        devices = [self.devices[key] for key in self.rows]
        return scale_steps(
            self._known_steps(),
            self.traffic,
            links,
            [self.memory_bytes_per_s(device) for device in devices],
            self.batches,
            strategies=strategies,
            counts=tuple(counts),
            setting=self.setting(accumulation),
        )

    def _known_steps(self) -> DeviceSteps:
        assert self.steps is not None  # asked for only where a device has a row
        return self.steps

    def setting(self, accumulation: int) -> Setting:
        """What beside model and cards decides how the jobs of this precision scale."""
        specs = [self.spec(self.devices[key]) for key in self.rows]
        batches = np.asarray(self.batches, dtype=np.float64)
        return Setting(
            accumulation_steps=accumulation,
            host_steps_s=tuple(self.step.issue_s(specs, batches, self.sources.figures.assumed)),
            host_dispatch_count=all_dispatches(self.table, batches) + self.step.optimizer.dispatch_count,
            host_core_counts=tuple(self.host_core_count(self.devices[key]) for key in self.rows),
            tensor_beside=self.step.on_whole_engine,
            offloading=offloading_of(self.step.training, self.table, kept_bytes(self.table)),
        )

    def host_core_count(self, device: Device) -> int | None:
        """Cores that the ranks of a host share: those of this machine for its own cards, unknown elsewhere."""
        machine = self.sources.machine
        return machine.cpu.usable_core_count if machine is not None and device.local else None

    def spec(self, device: Device) -> GpuSpec | None:
        """The row of the table that describes a device, in its slot."""
        return self.sources.spec_of(device)

    def memory_bytes_per_s(self, device: Device) -> float:
        """Of the card's memory; a number that nothing depends on for a processor."""
        spec = self.spec(device)
        bandwidth = spec.memory_bandwidth_bytes_per_s if spec is not None else None
        return bandwidth or _UNUSED_BANDWIDTH_BYTES_PER_S

    def link(self, device: Device, count: int | None) -> Link:
        """What joins the cards of a device: as told, as timed or found here, else as such cards usually have it."""
        if self.sources.link is not None:
            return self.sources.link
        spec, machine = self.spec(device), self.sources.machine
        if spec is None:
            return _LONE_LINK if device.key == "cpu" else self._measured_link(_UNKNOWN_CARDS_LINK)
        per_node = None if count is None or device.local else self.sources.machines.cards_in_each(count)
        if machine is not None and device.local and self.sources.interconnect is None:
            return self._measured_link(detected_link(spec, machine.links))
        return parse_interconnect(self.sources.interconnect or "", spec, cards_per_node=per_node)

    def weakest_link(self, devices: Sequence[Device], count: int) -> Link:
        """The slowest of the links that cards of several kinds bring into one group."""
        links = [self.link(device, None) for device in devices]
        return min(links, key=lambda link: bus_bytes_per_s(link, max(2, count)))

    def _measured_link(self, wires: Link) -> Link:
        """The link that this machine's GPUs were timed over, where ranks of our own or of torchrun did that."""
        for measurement in self.sources.measurements.values():
            if measurement.device_key != "cpu" and measurement.communication:
                return measured_link(measurement.communication, wires) or wires
        return wires
