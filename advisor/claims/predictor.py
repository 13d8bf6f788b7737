"""What a claim or a case is answered with: the traces of workloads, and predictions of set-ups."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from advisor.catalogue.gpu_spec import is_consumer
from advisor.catalogue.precisions import TRACE_PRECISIONS, TracePrecision
from advisor.predict.prediction import Candidate, Device
from advisor.workload.workload import traced_as

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.catalogue.precisions import Precision
    from advisor.catalogue.strategies import Strategy
    from advisor.cost.host_time import HostSpeed
    from advisor.hardware.machine import Machine
    from advisor.measure.events import RunnerEvent
    from advisor.measure.traces import Kept
    from advisor.optable.op_table import OpTable
    from advisor.predict.prediction import Prediction
    from advisor.workload.workload import Workload

    Tables = Mapping[TracePrecision, OpTable]


def tables_of(
    workload: Workload,
    *,
    allow_code: bool = False,
    on_event: Callable[[RunnerEvent], None] | None = None,
    kept: Kept | None = None,
) -> Tables:
    """All traces of a workload: known ones where there are some, else traced; what there is where that cannot be."""
    from advisor.core.drive import drive
    from advisor.measure.traces import TraceUnanswered, trace_workload
    from advisor.recommend.precisions import sensible_precisions

    wanted = tuple(dict.fromkeys(TRACE_PRECISIONS[precision] for precision in sensible_precisions(workload)))
    try:
        return drive(trace_workload(workload, wanted, allow_code=allow_code, kept=kept), on_event)
    except TraceUnanswered as unanswered:
        return unanswered.tables


@dataclass
class Predictor:
    """Predictions on the cards of `specs`; each workload is traced at most once.

    The machine is looked at, and what predicts is imported, when the first trace or prediction is asked for: a
    claim that a bound decides needs neither.
    """

    specs: Mapping[str, GpuSpec]
    """The spec table, with the user's own cards."""
    table_source: Callable[[Workload], Tables] = tables_of
    machine: Machine | None = None
    """None: this one."""
    solves_memory: bool = True
    """False: every set-up's memory is unknown, which saves the time of replaying the allocator."""
    host: HostSpeed | None = None
    """Of all cards; None: that which such cards usually have."""
    interconnect: str | None = None
    """What joins several cards; None: what usually joins such ones."""
    _tables: dict[tuple[bytes, TracePrecision], Tables] = field(default_factory=dict)

    def tables(self, workload: Workload) -> Tables:
        """The traces of a workload, its own precision among them, remembered by everything that a trace depends on."""
        key, own = traced_as(workload), TRACE_PRECISIONS[workload.training.precision]
        if (key, own) not in self._tables:
            traced = self.table_source(workload)
            self._tables |= dict.fromkeys([(key, precision) for precision in (own, *traced)], traced)
        return self._tables[key, own]

    def beside_the_host_of(self, spec: GpuSpec) -> Predictor:
        """The same with all cards in one machine: that which one such card is taken to stand in."""
        from advisor.cost.efficiencies import efficiencies
        from advisor.cost.host_time import usual_host

        other = copy.copy(self)
        other.host = usual_host(efficiencies().assumed, desktop=is_consumer(spec))
        return other

    def linked_by(self, interconnect: str | None) -> Predictor:
        """The same with several cards joined as told; None: as they usually are."""
        other = copy.copy(self)
        other.interconnect = interconnect
        return other

    def predict(self, workload: Workload, candidates: Sequence[Candidate]) -> tuple[Prediction, ...]:
        """Predictions of the candidates that can be predicted, in their order; the others are left out."""
        from advisor.cost.host_time import HostSpeed
        from advisor.hardware.detect import detect_machine
        from advisor.predict.assembly import predict_candidates
        from advisor.predict.device_memory import MemorySolver, unknown_memory
        from advisor.predict.sources import Sources

        tables = self.tables(workload)
        if not tables:
            return ()
        self.machine = machine = self.machine or detect_machine()
        solver = MemorySolver(workload.training, tables, self.specs, machine)
        host = self.host or HostSpeed()
        sources = Sources(
            workload=workload,
            tables=tables,
            specs=self.specs,
            machine=machine,
            host=host,
            interconnect=self.interconnect,
        )
        predicted = predict_candidates(candidates, sources, solver.answer if self.solves_memory else unknown_memory)
        order = {candidate.set_up: place for place, candidate in enumerate(candidates)}
        return tuple(sorted(predicted.predictions, key=lambda prediction: order[prediction.set_up]))


def candidate(  # noqa: PLR0913 - the fields of a set-up
    spec: GpuSpec,
    precision: Precision,
    batch_size: int,
    *,
    count: int = 1,
    strategy: Strategy = "single",
    accumulation_steps: int = 1,
) -> Candidate:
    """A set-up on a card of the spec table."""
    return Candidate(
        device=Device(key=spec.key, name=spec.name, spec_key=spec.key, local=False),
        count=count,
        strategy=strategy,
        precision=precision,
        batch_size_per_device=batch_size,
        gradient_accumulation_steps=accumulation_steps,
    )
