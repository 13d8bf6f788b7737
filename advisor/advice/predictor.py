"""Predictions for claims, cases and published runs: saved tables where there are some, else a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import TRACE_PRECISIONS, TracePrecision
from advisor.claims.table_predictor import TablePredictor
from advisor.core.drive import drive
from advisor.hardware.detect import detect_machine
from advisor.measure.events import RunnerEvent
from advisor.measure.runner import TraceUnanswered, trace_workload
from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import saved_tables
from advisor.optable.totals import table_from_numbers
from advisor.predict.device_memory import MemoryAnswer, MemorySolver
from advisor.predict.prediction import Candidate
from advisor.recommend.precisions import sensible_precisions
from advisor.workload.workload import NumbersModel, Workload
from advisor.workload.workload_file import load_workload


def make_predictor(
    specs: Mapping[str, GpuSpec],
    *,
    allow_code: bool = False,
    on_event: Callable[[RunnerEvent], None] | None = None,
) -> TablePredictor:
    """A predictor over the cards of `specs`; each workload is traced at most once."""
    machine = detect_machine()

    def tables(workload: Workload) -> Mapping[TracePrecision, OpTable]:
        return tables_of(workload, allow_code=allow_code, on_event=on_event)

    def memory(workload: Workload, known: Mapping[TracePrecision, OpTable]) -> Callable[[Candidate], MemoryAnswer]:
        return MemorySolver(workload.training, known, specs, machine).answer

    return TablePredictor(
        specs=specs, machine=machine, workload_source=load_workload, table_source=tables, memory_source=memory
    )


def tables_of(
    workload: Workload, *, allow_code: bool = False, on_event: Callable[[RunnerEvent], None] | None = None
) -> dict[TracePrecision, OpTable]:
    """All traces of a workload; empty where it cannot be traced."""
    wanted = tuple(dict.fromkeys(TRACE_PRECISIONS[precision] for precision in sensible_precisions(workload)))
    if isinstance(workload.model, NumbersModel):
        return {precision: table_from_numbers(workload.model, precision) for precision in wanted}
    saved = saved_tables(workload)
    if set(wanted) <= set(saved):
        return saved
    try:
        return drive(trace_workload(workload, wanted, allow_code=allow_code), on_event)
    except TraceUnanswered:
        return saved
