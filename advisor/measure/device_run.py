"""Measures one device: starts its worker, asks for trace, calibration and steps in turn, and keeps what comes."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from advisor.child_process import ExitKind
from advisor.hardware.machine import Machine, Reading
from advisor.measure.batch_choice import BatchChoice, choose
from advisor.measure.collection import Collection
from advisor.measure.device_rates import expect, rates_of
from advisor.measure.device_workers import DeviceWorkers
from advisor.measure.events import DeviceEnded, DeviceStarted, PhaseStarted, RunnerEvent, RunProgress
from advisor.measure.plan import DevicePlan, Plan
from advisor.measure.steering import Steering
from advisor.measure.step_memory import expected_peak_bytes
from advisor.measure.worker_session import Cancelled, WorkerHung, WorkerSession, WorkerTooLarge, failure_of
from advisor.sentences import Reason
from advisor.units import Precision
from advisor.worker.messages import (
    ImportRequest,
    MeasureRequest,
    MicrobenchmarkRequest,
    Progress,
    Request,
    Traced,
    TraceRequest,
    WorkerEvent,
)
from advisor.workload.op_table import OpTable, TracePrecision
from advisor.workload.workload import NumbersModel, with_training

_GRACE_S = 12.0
"""Beyond a request's own budget before its worker counts as hung: imports, building, a last long step."""
_TRACE_LIMIT_S = 120.0
_RESERVE_S = 0.7
_LEAST_STEPS_S = 2.0
_FIRST_PRECISION_SHARE = 0.85
_KEPT_SHARE = 0.6
_CROWDED_PRESSURE = 0.25
_RECENT_READINGS = 10

TRACE_OF: dict[Precision, TracePrecision] = {
    "fp32": "fp32",
    "tf32": "fp32",
    "fp16_amp": "amp",
    "bf16_amp": "amp",
    "fp16": "half",
    "bf16": "half",
}


class Readings(Protocol):
    """What a monitor offers: everything that came since the last call."""

    def readings(self) -> list[Reading]:
        """Drain, never block."""


@dataclass
class DeviceRun:
    """One device of a plan. `run` yields events; `collection.measurement()` is right at any moment."""

    plan: Plan
    device: DevicePlan
    machine: Machine
    monitor: Readings
    deadline_s: float
    """Monotonic time by which this device should be done."""
    tables: dict[TracePrecision, OpTable]
    """Known traces; those made here are added."""
    trace: tuple[TracePrecision, ...] = ()
    cancelled: threading.Event = field(default_factory=threading.Event)
    exit_kind: ExitKind = "finished"
    share: tuple[float, float] = (0.0, 1.0)
    """(share of the whole run that is done before this device, share that this device is)."""

    def __post_init__(self) -> None:
        """Nothing is started yet."""
        on_cpu = self.device.torch_device == "cpu"
        self._steering = Steering(on_cpu=on_cpu, full_method=self.plan.full_method)
        workload = self.plan.workload
        self.collection = Collection(self.device, self.machine, workload.name, self._steering)
        self._steering = Steering(on_cpu=on_cpu, full_method=self.plan.full_method, gpu=self.collection.gpu)
        self._workers = DeviceWorkers(self.plan, self.device, self.cancelled)
        self._opened_device = False
        self._fraction = 0.0

    def run(self) -> Generator[RunnerEvent, None, None]:
        """Events from `DeviceStarted` to `DeviceEnded`; no process is left, however it ends."""
        started = time.monotonic()
        yield DeviceStarted(device_key=self.device.key, device_name=self.device.name, started_monotonic_s=started)
        if self.device.skipped is None:
            try:
                for request in self._requests():
                    if not (yield from self._ask(request)):
                        break
            finally:
                self._end_workers()
        yield DeviceEnded(
            device_key=self.device.key,
            exit_kind=self.exit_kind,
            ended_monotonic_s=time.monotonic(),
            measurement=self.collection.measurement(),
        )

    def _requests(self) -> Iterator[Request]:
        """The requests in turn; the later ones are made from what the earlier ones found."""
        workload = self.plan.workload
        if not isinstance(workload.model, NumbersModel):
            yield from self._preparations()
            # On a loaded machine import and trace are slow; the steps are what the run is for.
            self.deadline_s = max(self.deadline_s, time.monotonic() + _KEPT_SHARE * self.device.budget_s)
        if self.device.calibration_s > 0.0:
            threads = tuple(sorted(self.device.thread_counts, reverse=True)) or (1,)
            budget_s = min(self.device.calibration_s, max(1.0, self._left_s() * 0.4))
            yield MicrobenchmarkRequest(
                device=self.device.torch_device, budget_s=budget_s, thread_counts=threads, seed=self.plan.seed
            )
        if isinstance(workload.model, NumbersModel):
            self.collection.caveats.append(Reason(code="measure-numbers-cannot-run"))
            return
        for number, precision in enumerate(self.device.precisions):
            last = number == len(self.device.precisions) - 1
            if number and self._left_s() < _LEAST_STEPS_S:
                return
            budget_s = max(_LEAST_STEPS_S, self._left_s() * (1.0 if last else _FIRST_PRECISION_SHARE))
            yield from self._step_requests(precision, budget_s, first=number == 0)

    def _preparations(self) -> Iterator[Request]:
        """The trace, where it is missing, while the process that will train imports; then both are at rest."""
        workload = self.plan.workload
        importing = ImportRequest(workload=workload)
        on_cpu = self.device.torch_device == "cpu"
        if on_cpu:
            self._workers.start_trainer(importing)
        missing = tuple(precision for precision in self.trace if precision not in self.tables)
        if missing:
            yield TraceRequest(
                workload=workload,
                precisions=missing,
                allow_code=self.plan.allow_code,
                hub=self.plan.allow_hub,
                wall_limit_s=_TRACE_LIMIT_S,
            )
        if on_cpu:
            yield importing

    def _step_requests(self, precision: Precision, budget_s: float, *, first: bool) -> Iterator[MeasureRequest]:
        choice, expected = self._choice(precision, budget_s)
        if choice is None:
            self.collection.caveats.append(self._no_room(precision))
            return
        sizes = choice.batch_sizes
        if not first:
            wanted = min(self.plan.workload.training.batch_size, sizes[-1])
            sizes = tuple(sorted({sizes[0], min(sizes, key=lambda size: abs(size - wanted)), sizes[-1]}))
        known_threads = next((step.thread_count for step in self.collection.measurement().steps), None)
        for number, limit in enumerate(choice.layer_limits):
            left_s = budget_s / (len(choice.layer_limits) - number)
            began = time.monotonic()
            yield MeasureRequest(
                workload=with_training(self.plan.workload, precision=precision),
                device=self.device.torch_device,
                batch_sizes=sizes,
                budget_s=left_s,
                full_method=self.plan.full_method,
                thread_count=known_threads,
                thread_counts=self._thread_counts(),
                memory_limit_bytes=self.device.memory_limit_bytes,
                layer_limit=limit,
                allow_code=self.plan.allow_code,
                hub=self.plan.allow_hub,
                seed=self.plan.seed,
                expected_step_s=expected,
            )
            budget_s -= time.monotonic() - began

    def _choice(self, precision: Precision, budget_s: float) -> tuple[BatchChoice | None, dict[int, float]]:
        """Batch sizes by the trace and the calibration; without them the plan's first guess."""
        table = self.tables.get(TRACE_OF[precision]) or next(iter(self.tables.values()), None)
        rates = rates_of(self.collection.rates())
        if table is None or not rates.complete:
            return BatchChoice(self.device.batch_sizes), {}
        training = self.plan.workload.training
        on_cpu = self.device.torch_device == "cpu"

        def step_s(size: int) -> float:
            return float(expect(table, training, rates, np.array([size]), precision, on_cpu=on_cpu).total_s[0])

        limit = self.device.memory_limit_bytes
        choice = choose(
            wanted=training.batch_size,
            most=self.plan.workload.data.samples,
            budget_s=budget_s,
            expected_s=step_s,
            fits=lambda size: limit is None or expected_peak_bytes(table, training, size, precision) <= limit,
            block_count=block_count_of(table),
        )
        return choice, {} if choice is None else {size: step_s(size) for size in choice.batch_sizes}

    def _thread_counts(self) -> tuple[int, ...]:
        """What to try: on a crowded machine one thread, as several wait spinning for the one that has no core."""
        pressures = [one.cpu_pressure_fraction for one in self.collection.readings[-_RECENT_READINGS:]]
        known = [pressure for pressure in pressures if pressure is not None]
        if known and statistics.median(known) > _CROWDED_PRESSURE:
            return (1,)
        return self.device.thread_counts

    def _no_room(self, precision: Precision) -> Reason:
        table = self.tables.get(TRACE_OF[precision]) or next(iter(self.tables.values()))
        need = expected_peak_bytes(table, self.plan.workload.training, 1, precision)
        numbers: dict[str, float | int | str] = {
            "device": self.device.name,
            "need_bytes": need,
            "limit_bytes": self.device.memory_limit_bytes or 0,
        }
        return Reason(code="measure-does-not-fit", numbers=numbers)

    def _ask(self, request: Request) -> Generator[RunnerEvent, None, bool]:
        """Events of one request; False when the whole run was cancelled."""
        self.collection.layer_limit = request.layer_limit if isinstance(request, MeasureRequest) else None
        limit_s = request.wall_limit_s if isinstance(request, TraceRequest) else getattr(request, "budget_s", 0.0)
        deadline_s = time.monotonic() + limit_s + _GRACE_S
        session = self._workers.for_request(request)
        error: Exception | None = None
        tracing = isinstance(request, TraceRequest)
        failed_before = len(self.collection.failures)
        try:
            importing = isinstance(request, ImportRequest)
            answers = self._workers.imports() if importing else session.ask(request, deadline_s=deadline_s)
            for event in answers:
                yield from self._relay(event)
        except Cancelled:
            self.exit_kind = "cancelled"
            self.collection.caveats.append(Reason(code="measure-cancelled"))
            return False
        except (WorkerHung, WorkerTooLarge) as trouble:
            error = trouble
        yield from self._drain()
        for failed in self.collection.failures[failed_before:]:
            code = failed.code or ("measure-trace-failed" if tracing else "measure-worker-failed")
            numbers = {"device": self.device.name, "text": failed.text[:300], **failed.numbers}
            self.collection.caveats.append(Reason(code=code, numbers=numbers))
            self.exit_kind = "finished" if tracing else "failed"
        if error is not None or not session.alive:
            self._note_death(session, error)
        return True

    def _note_death(self, session: WorkerSession, error: Exception | None) -> None:
        code, numbers = failure_of(error, session)
        self.collection.caveats.append(Reason(code=code, numbers={"device": self.device.name, **numbers}))
        self.collection.log_tail = self._workers.log
        self.exit_kind = "died"

    def _end_workers(self) -> None:
        self.collection.log_tail = self.collection.log_tail or self._workers.log
        self._workers.close(gently=self.exit_kind in {"finished", "failed"})

    def _relay(self, event: WorkerEvent | None) -> Generator[RunnerEvent, None, None]:
        yield from self._drain()
        if event is None:
            return
        self.collection.take(event)
        session = self._workers.current
        for control in self._steering.take(event):
            if session is not None:
                session.control(control)
        if isinstance(event, Traced):
            self.tables[event.table.precision] = event.table
        if isinstance(event, Progress):
            self._opened_device |= event.phase != "trace"
            yield from self._progress(event)
        yield event

    def _progress(self, event: Progress) -> Generator[RunnerEvent, None, None]:
        now = time.monotonic()
        yield PhaseStarted(device_key=self.device.key, phase=event.phase, detail=event.detail, started_monotonic_s=now)
        left_s = self._left_s()
        here = 1.0 - left_s / max(self.device.budget_s, left_s, 1e-9)
        self._fraction = max(self._fraction, min(1.0, max(0.0, here)))
        before, share = self.share
        yield RunProgress(
            phase=event.phase,
            fraction=before + share * self._fraction,
            left_s=left_s,
            device_key=self.device.key,
            detail=event.detail,
        )

    def _drain(self) -> Iterator[Reading]:
        """Pass on the device readings that came since the last look."""
        found = self.monitor.readings()
        self.collection.readings.extend(found)
        if not self._opened_device:
            self.collection.before.extend(found)
        self._steering.read(found)
        yield from found

    def _left_s(self) -> float:
        return max(0.0, self.deadline_s - _RESERVE_S - time.monotonic())


def block_count_of(table: OpTable) -> int | None:
    """How many alike blocks the layer table shows: the longest numbered list of modules (`encoder.layer.11…`)."""
    counts: Mapping[str, set[int]] = {}
    found: dict[str, set[int]] = dict(counts)
    for layer in table.layers:
        parts = layer.path.split(".")
        for index, part in enumerate(parts):
            if part.isdigit():
                found.setdefault(".".join(parts[:index]), set()).add(int(part))
    longest = max((len(numbers) for numbers in found.values()), default=0)
    return longest or None
