"""Predictions for claims, cases and published runs: saved tables where there are some, else a trace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from advisor.catalogue.precisions import TRACE_PRECISIONS, TracePrecision
from advisor.workload.workload import NumbersModel
from advisor.workload.workload_file import load_workload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.claims.table_predictor import TablePredictor
    from advisor.measure.events import RunnerEvent
    from advisor.optable.op_table import OpTable
    from advisor.predict.device_memory import MemoryAnswer
    from advisor.predict.prediction import Candidate, Prediction
    from advisor.workload.workload import Workload


@dataclass(frozen=True)
class TracedPredictor:
    """A predictor over the cards of `specs`; each workload is traced at most once. Satisfies `Predictor`.

    The machine is looked at, and what predicts is imported, when the first trace or prediction is asked for: a
    claim that a bound decides needs neither.
    """

    specs: Mapping[str, GpuSpec]
    allow_code: bool = False
    on_event: Callable[[RunnerEvent], None] | None = None

    def workload(self, name: str) -> Workload:
        """The bundled workload `name`; raises InputError where there is none."""
        return load_workload(name)

    def tables(self, workload: Workload) -> Mapping[TracePrecision, OpTable]:
        """The traces of a workload at its length, mode and layout; empty where it cannot be traced."""
        return self._table_predictor.tables(workload)

    def predict(self, workload: Workload, candidates: Sequence[Candidate]) -> tuple[Prediction, ...]:
        """Predictions of the candidates that can be predicted, in their order."""
        return self._table_predictor.predict(workload, candidates)

    @cached_property
    def _table_predictor(self) -> TablePredictor:
        from advisor.claims.table_predictor import TablePredictor
        from advisor.hardware.detect import detect_machine
        from advisor.predict.device_memory import MemorySolver

        machine = detect_machine()

        def tables(workload: Workload) -> Mapping[TracePrecision, OpTable]:
            return tables_of(workload, allow_code=self.allow_code, on_event=self.on_event)

        def memory(workload: Workload, tables: Mapping[TracePrecision, OpTable]) -> Callable[[Candidate], MemoryAnswer]:
            return MemorySolver(workload.training, tables, self.specs, machine).answer

        return TablePredictor(
            specs=self.specs, machine=machine, workload_source=load_workload, table_source=tables, memory_source=memory
        )


def tables_of(
    workload: Workload, *, allow_code: bool = False, on_event: Callable[[RunnerEvent], None] | None = None
) -> dict[TracePrecision, OpTable]:
    """All traces of a workload; empty where it cannot be traced."""
    from advisor.optable.saved_tables import saved_tables
    from advisor.recommend.precisions import sensible_precisions

    wanted = tuple(dict.fromkeys(TRACE_PRECISIONS[precision] for precision in sensible_precisions(workload)))
    if isinstance(workload.model, NumbersModel):
        from advisor.optable.totals import table_from_numbers

        return {precision: table_from_numbers(workload.model, precision) for precision in wanted}
    saved = saved_tables(workload)
    return saved if set(wanted) <= set(saved) else _traced(workload, wanted, allow_code, on_event) or saved


def _traced(
    workload: Workload,
    wanted: tuple[TracePrecision, ...],
    allow_code: bool,
    on_event: Callable[[RunnerEvent], None] | None,
) -> dict[TracePrecision, OpTable]:
    from advisor.core.drive import drive
    from advisor.measure.runner import TraceUnanswered, trace_workload

    try:
        return drive(trace_workload(workload, wanted, allow_code=allow_code), on_event)
    except TraceUnanswered:
        return {}
