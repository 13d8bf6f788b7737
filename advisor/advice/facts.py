"""Everything that needs the machine or a child process: detect, trace, and measure where that is asked."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import PRECISION_LABELS, TRACE_PRECISIONS, Precision, TracePrecision
from advisor.core.records import Record
from advisor.core.sentences import Listed, Names, Reason
from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Machine
from advisor.measure.events import RunnerEvent, RunProgress
from advisor.measure.measurement import Measurement, has_timed_steps
from advisor.measure.traces import Traces, TraceUnanswered
from advisor.optable.op_table import OpTable
from advisor.predict.additions import Added
from advisor.recommend.precisions import sensible_precisions


class LighterTables(Record, frozen=True, kw_only=True):
    """The workload's operators with what frees memory."""

    added: Added
    tables: dict[TracePrecision, OpTable]
    cards: frozenset[tuple[str, int]]
    """What is looked at with it: keys of GPUs, and how many of them."""


class Facts(Record, frozen=True, kw_only=True):
    """What was found out before anything is predicted; from here on everything is a pure function."""

    machine: Machine
    tables: dict[TracePrecision, OpTable]
    measurements: tuple[Measurement, ...] = ()
    not_traced_reason: Reason | None = None
    caveats: tuple[Reason, ...] = ()
    lighter: tuple[LighterTables, ...] = ()
    """Looked at where cards lack memory."""

    def tables_with(self, added: Added) -> dict[TracePrecision, OpTable]:
        """The operators of the workload with something added, or as it was read."""
        return next((lighter.tables for lighter in self.lighter if lighter.added == added), self.tables)


def find_facts(request: AdviceRequest, traces: Traces) -> Generator[RunnerEvent, None, Facts]:
    """Detect, trace and measure: everything that needs the machine or a child process."""
    yield progress("advice-phase-detect", 0.0)
    wanted = trace_precisions(request)
    # A bundled workload's tables come with the program: no time of the budget goes into tracing them again.
    tables = traces.known(request.workload, wanted)
    if not request.measure and not set(wanted) <= set(tables):
        traces.start()  # while the machine is looked at; what measures wants the processor for itself
    machine = detect_machine()
    cancelled = traces.cancelled
    measurements: tuple[Measurement, ...] = ()
    caveats: list[Reason] = []
    if request.measure:
        from advisor.advice.measured_facts import measured

        measurements = yield from measured(request, machine, wanted, tables, cancelled)
    if cancelled.is_set():
        caveats.append(Reason.of("advice-interrupted" if has_timed_steps(measurements) else "advice-interrupted-early"))
    failure = yield from complete_tables(request, tables, wanted, traces)
    traced = any(precision in tables for precision in wanted)
    not_traced = None if traced else failure or Reason.of("advice-not-traced")
    if not_traced is not None:
        caveats.append(not_traced)
    elif failure is not None:
        without = (
            PRECISION_LABELS[precision]
            for precision in _precisions(request)
            if TRACE_PRECISIONS[precision] not in tables
        )
        names, reason = Names(names=tuple(without)), Listed(reasons=(failure,))
        caveats.append(Reason.of("advice-not-traced-at", precisions=names, reason=reason))
    return Facts(
        machine=machine,
        tables={precision: tables[precision] for precision in (*wanted, *tables) if precision in tables},
        measurements=measurements,
        not_traced_reason=not_traced,
        caveats=tuple(caveats),
    )


def trace_precisions(request: AdviceRequest) -> tuple[TracePrecision, ...]:
    """The traces that serve every precision that is looked at."""
    return tuple(dict.fromkeys(TRACE_PRECISIONS[precision] for precision in _precisions(request)))


def _precisions(request: AdviceRequest) -> tuple[Precision, ...]:
    return request.precisions or sensible_precisions(request.workload)


def complete_tables(
    request: AdviceRequest,
    tables: dict[TracePrecision, OpTable],
    wanted: Sequence[TracePrecision],
    traces: Traces,
    *,
    phase: RunProgress | None = None,
) -> Generator[RunnerEvent, None, Reason | None]:
    """Trace what neither the program brought nor the measuring worker traced; returns why that failed, if it did.

    `phase` says what is traced where that is not the model as it was asked for.
    """
    missing = [precision for precision in wanted if precision not in tables]
    if not missing:
        return None
    yield phase or progress("advice-phase-trace", 0.95)
    if traces.cancelled.is_set():
        return None
    try:
        tables |= yield from traces.make(request.workload, missing)
    except TraceUnanswered as unanswered:
        tables |= unanswered.tables
        return unanswered.reason
    return None


def progress(phase: str, fraction: float) -> RunProgress:
    """An event that says which call of the main job has begun."""
    return RunProgress(phase=phase, fraction=fraction, left_s=0.0)
