"""A `Predictor` made of traces: from wherever they come, one workload's predictions after another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import MemoryAnswer, unknown_memory
from advisor.predict.sources import Sources
from advisor.workload.workload import traced_as

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.catalogue.precisions import TracePrecision
    from advisor.hardware.machine import Machine
    from advisor.measure.measurement import Measurement
    from advisor.optable.op_table import OpTable
    from advisor.predict.prediction import Candidate, Prediction
    from advisor.workload.workload import Workload

    Tables = Mapping[TracePrecision, OpTable]
    MemoryOf = Callable[[Candidate], MemoryAnswer]


@dataclass
class TablePredictor:
    """Predictions from operator tables; satisfies `Predictor`.

    `table_source` gives the traces of a workload at its own length, mode, attention and layout (saved tables, the
    worker, or both), and is asked once for each. `memory_source` makes the memory solver of a workload.
    """

    specs: Mapping[str, GpuSpec]
    machine: Machine
    workload_source: Callable[[str], Workload]
    table_source: Callable[[Workload], Tables]
    memory_source: Callable[[Workload, Tables], MemoryOf] | None = None
    measurements: Mapping[str, Measurement] = field(default_factory=dict)
    _tables: dict[bytes, Tables] = field(default_factory=dict)

    def workload(self, name: str) -> Workload:
        """The bundled workload `name`; raises InputError where there is none."""
        return self.workload_source(name)

    def tables(self, workload: Workload) -> Tables:
        """The traces of a workload, remembered by everything that a trace depends on."""
        key = traced_as(workload)
        if key not in self._tables:
            self._tables[key] = self.table_source(workload)
        return self._tables[key]

    def predict(self, workload: Workload, candidates: Sequence[Candidate]) -> tuple[Prediction, ...]:
        """Predictions of the candidates that can be predicted, in their order."""
        tables = self.tables(workload)
        if not tables:
            return ()
        sources = Sources(
            workload=workload,
            tables=tables,
            specs=self.specs,
            machine=self.machine,
            measurements=self.measurements,
        )
        memory_of = unknown_memory if self.memory_source is None else self.memory_source(workload, tables)
        found = predict_candidates(candidates, sources, memory_of).predictions
        order = {one.set_up: place for place, one in enumerate(candidates)}
        return tuple(sorted(found, key=lambda one: order[one.set_up]))
