"""Everything that needs the machine or a child process: detect, trace and measure."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from pathlib import Path

import msgspec

from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import TRACE_PRECISIONS, TracePrecision
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Machine
from advisor.measure.events import RunnerEvent, RunProgress
from advisor.measure.measurement import Measurement
from advisor.measure.plan import make_plan
from advisor.measure.ranks import RanksPlan, measure_local_ranks
from advisor.measure.runner import TraceUnanswered, run_measurements, trace_workload
from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import saved_tables
from advisor.optable.totals import table_from_numbers
from advisor.recommend.candidates import local_device, local_gpu_groups
from advisor.recommend.precisions import sensible_precisions
from advisor.store import kept_calibrations
from advisor.workload.workload import NumbersModel


class Facts(Record, frozen=True, kw_only=True):
    """What was found out before anything is predicted; from here on everything is a pure function."""

    machine: Machine
    tables: dict[TracePrecision, OpTable]
    measurements: tuple[Measurement, ...] = ()
    not_traced_reason: Reason | None = None
    caveats: tuple[Reason, ...] = ()


def find_facts(request: AdviceRequest, cancelled: threading.Event) -> Generator[RunnerEvent, None, Facts]:
    """Detect, trace and measure: everything that needs the machine or a child process."""
    yield progress("advice-phase-detect", 0.0)
    machine = detect_machine()
    tables: dict[TracePrecision, OpTable] = {}
    wanted = trace_precisions(request)
    model = request.workload.model
    if isinstance(model, NumbersModel):
        tables |= {precision: table_from_numbers(model, precision) for precision in wanted}
    else:
        # A bundled workload's tables come with the program: no time of the budget goes into tracing them again.
        tables |= saved_tables(request.workload)
    measurements: tuple[Measurement, ...] = ()
    caveats: list[Reason] = []
    if request.measure:
        plan = make_plan(
            request.workload,
            machine,
            budget_s=request.budget_s,
            devices=request.devices,
            allow_code=request.allow_code,
            allow_hub=request.allow_hub,
        )
        missing = tuple(precision for precision in wanted if precision not in tables)
        folder = None if request.calibration_folder is None else Path(request.calibration_folder)
        reused = kept_calibrations.reusable(folder, machine)
        measurements = yield from run_measurements(
            plan,
            machine,
            cancelled=cancelled,
            tables=tables,
            trace=missing,
            known_rates={key: kept.rates for key, kept in reused.items()},
        )
        kept_calibrations.keep(folder, machine, measurements, reused)
        measurements = tuple(kept_calibrations.with_note(item, reused) for item in measurements)
        measurements = yield from _with_ranks(request, machine, measurements, cancelled)
    if cancelled.is_set():
        caveats.append(Reason(code="advice-interrupted"))
    not_traced = yield from _complete_tables(request, tables, wanted, cancelled)
    if not_traced is not None:
        caveats.append(not_traced)
    return Facts(
        machine=machine,
        tables=tables,
        measurements=measurements,
        not_traced_reason=None if any(precision in tables for precision in wanted) else not_traced,
        caveats=tuple(caveats),
    )


def _with_ranks(
    request: AdviceRequest, machine: Machine, measurements: tuple[Measurement, ...], cancelled: threading.Event
) -> Generator[RunnerEvent, None, tuple[Measurement, ...]]:
    """Where alike GPUs stand together, time their link and a real data-parallel step on ranks of our own."""
    group = max(local_gpu_groups(machine), key=len, default=())
    if len(group) < 2 or request.devices == ("cpu",) or cancelled.is_set():  # noqa: PLR2004 - one card has no link
        return measurements
    plan = RanksPlan(
        workload=request.workload,
        batch_size=request.workload.training.batch_size,
        budget_s=max(5.0, request.budget_s / 3),
        device="cuda",
        strategies=("dp", "ddp"),
        allow_code=request.allow_code,
        usable_core_count=machine.cpu.usable_core_count,
    )
    outcome = yield from measure_local_ranks(plan, len(group), cancelled=cancelled)
    return tuple(
        msgspec.structs.replace(
            measurement,
            communication=outcome.communication,
            caveats=(*measurement.caveats, *outcome.caveats),
        )
        if measurement.device_key == local_device(group[0]).key
        else measurement
        for measurement in measurements
    )


def trace_precisions(request: AdviceRequest) -> tuple[TracePrecision, ...]:
    """The traces that serve every precision that is looked at."""
    precisions = request.precisions or sensible_precisions(request.workload)
    return tuple(dict.fromkeys(TRACE_PRECISIONS[precision] for precision in precisions))


def _complete_tables(
    request: AdviceRequest,
    tables: dict[TracePrecision, OpTable],
    wanted: Sequence[TracePrecision],
    cancelled: threading.Event,
) -> Generator[RunnerEvent, None, Reason | None]:
    """Trace what neither the program brought nor the measuring worker traced; returns why that failed."""
    missing = [precision for precision in wanted if precision not in tables]
    if not missing:
        return None
    yield progress("advice-phase-trace", 0.95)
    failure: Reason | None = None
    if not cancelled.is_set():
        try:
            tables |= yield from trace_workload(
                request.workload,
                missing,
                allow_code=request.allow_code,
                allow_hub=request.allow_hub,
                cancelled=cancelled,
            )
        except TraceUnanswered as unanswered:
            failure = unanswered.reason
            tables |= unanswered.tables
    return failure if any(precision in tables for precision in wanted) else failure or Reason(code="advice-not-traced")


def progress(phase: str, fraction: float) -> RunProgress:
    """An event that says which call of the main job has begun."""
    return RunProgress(phase=phase, fraction=fraction, left_s=0.0)
