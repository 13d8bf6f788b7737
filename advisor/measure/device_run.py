"""Measures one device: asks its workers for trace, calibration and steps in turn, and keeps what comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import InitVar, dataclass, field
from typing import Protocol

from msgspec.structs import replace

from advisor.catalogue.precisions import TracePrecision
from advisor.core.child_process import ExitKind
from advisor.core.sentences import Reason, Said
from advisor.hardware.machine import Machine, Reading
from advisor.measure.collection import Collection
from advisor.measure.device_requests import DeviceRequests
from advisor.measure.device_workers import DeviceWorkers
from advisor.measure.events import DeviceEnded, DeviceStarted, PhaseStarted, RunnerEvent, RunProgress
from advisor.measure.plan import DevicePlan, Plan
from advisor.measure.steering import Steering
from advisor.measure.worker_session import TRACE_LIMIT_S, Cancelled, WorkerHung, WorkerSession, failure_of
from advisor.optable.op_table import OpTable
from advisor.protocol.messages import (
    Failed,
    ImportRequest,
    LoaderRequest,
    MeasureRequest,
    Progress,
    Request,
    Traced,
    TraceRequest,
    WorkerEvent,
)

_GRACE_S = 12.0
"""Beyond a request's own budget before its worker counts as hung: imports, building, a last long step."""


_FAILED = {TraceRequest: "measure-trace-failed", LoaderRequest: "measure-loader-failed"}
"""Requests without whose answer the steps are measured all the same, and what is then said."""

_STEPS = "measure-phase-steps"
"""The phase whose detail is the batch size that is begun."""
_TOLD_CHARACTERS = 200
_MEASURED_FRACTION = 0.95
"""Of the whole job's progress; the rest is predicting."""


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
    deadline_s: InitVar[float]
    """Monotonic time by which this device should be done."""
    tables: dict[TracePrecision, OpTable]
    """Known traces; those made here are added."""
    trace: tuple[TracePrecision, ...] = ()
    cancelled: threading.Event = field(default_factory=threading.Event)
    exit_kind: ExitKind = "finished"
    share: tuple[float, float] = (0.0, 1.0)
    """(share of the whole run that is done before this device, share that this device is)."""

    def __post_init__(self, deadline_s: float) -> None:
        """Nothing is started yet."""
        on_cpu, gpu = self.device.torch_device == "cpu", self.machine.gpu_of(self.device.key)
        self._steering = Steering(on_cpu=on_cpu, full_method=self.plan.full_method, gpu=gpu)
        self.collection = Collection(self.device, self.machine, self.plan.workload.name, self._steering)
        self._workers = DeviceWorkers(self.device, self.cancelled)
        self._requests = DeviceRequests(
            self.plan, self.device, self.collection, self._workers, self.tables, self.trace, deadline_s
        )
        self._opened_device = False
        self._begun_size: int | None = None
        self._fraction = 0.0

    def run(self) -> Generator[RunnerEvent, None, None]:
        """Events from `DeviceStarted` to `DeviceEnded`; no process is left, however it ends."""
        started = time.monotonic()
        yield DeviceStarted(device_key=self.device.key, device_name=self.device.name, started_monotonic_s=started)
        if self.device.skipped is None:
            try:
                for request in self._requests:
                    if not (yield from self._ask(request)):
                        break
            finally:
                self.collection.log_tail = self.collection.log_tail or self._workers.log
                self._workers.close(gently=self.exit_kind in {"finished", "failed"})
        yield DeviceEnded(
            device_key=self.device.key,
            exit_kind=self.exit_kind,
            ended_monotonic_s=time.monotonic(),
            measurement=self.collection.measurement(),
        )

    def _ask(self, request: Request) -> Generator[RunnerEvent, None, bool]:
        """Events of one request; False when the whole run was cancelled."""
        if isinstance(request, ImportRequest):
            return (yield from self._await_imports())
        self.collection.layer_limit = request.layer_limit if isinstance(request, MeasureRequest) else None
        limit_s = TRACE_LIMIT_S if isinstance(request, TraceRequest) else request.budget_s
        deadline_s = time.monotonic() + limit_s + _GRACE_S
        session = self._workers.for_request(request)
        error: Exception | None = None
        failed_before = len(self.collection.failures)
        self._begun_size, began = None, time.monotonic()
        try:
            for event in session.ask(request, deadline_s=deadline_s):
                yield from self._relay(event)
        except Cancelled:
            return self._note_cancel()
        except WorkerHung as trouble:
            error = trouble
        yield from self._drain()
        if isinstance(request, MeasureRequest) and request.keep_freed_memory:
            return True  # only tried: without an answer nothing is lost
        failures = self.collection.failures[failed_before:]
        if failures and isinstance(request, MeasureRequest) and session.alive and error is None:
            smaller = self._without_smallest(request, failures[-1], request.budget_s - (time.monotonic() - began))
            if smaller is not None:
                return (yield from self._ask(smaller))
        for failed in failures:
            unknown = _FAILED.get(type(request), "measure-worker-failed")
            self.collection.caveats.append(failed.reason_or(unknown, device=self.device.name))
            self.exit_kind = "finished" if type(request) in _FAILED else "failed"
        if error is not None or not session.alive:
            self._note_death(session, error)
        return True

    def _without_smallest(self, request: MeasureRequest, failed: Failed, left_s: float) -> MeasureRequest | None:
        """The request once more, without the sizes up to one that the model does not run at; None: that mends nothing.

        Sizes below the workload's own are the program's choice, and a model may hold for none of them: one that divides
        by the spread of its batch makes not-a-numbers of a single sample, and its weights too.
        """
        size = self._begun_size or min(request.batch_sizes)
        larger = tuple(other for other in request.batch_sizes if other > size)
        if size >= request.workload.training.batch_size or not larger or left_s <= 0.0:
            return None
        text = Said(text=(failed.text.splitlines() or [failed.exception])[0][:_TOLD_CHARACTERS])
        self.collection.caveats.append(Reason.of("measure-size-left-out", samples=size, text=text))
        return replace(request, batch_sizes=larger, budget_s=left_s)

    def _await_imports(self) -> Generator[RunnerEvent, None, bool]:
        try:
            for _ in self._workers.imports():
                yield from self._drain()
        except Cancelled:
            return self._note_cancel()
        return True

    def _note_cancel(self) -> bool:
        self.exit_kind = "cancelled"
        self.collection.caveats.append(Reason.of("measure-cancelled"))
        return False

    def _note_death(self, session: WorkerSession, error: Exception | None) -> None:
        how, numbers = failure_of(error, session)
        self.collection.deaths.append(Reason.of(f"measure-worker-{how}", device=self.device.name, **numbers))
        self.collection.log_tail = self._workers.log
        self.exit_kind = "died"

    def _relay(self, event: WorkerEvent | None) -> Generator[RunnerEvent, None, None]:
        yield from self._drain()
        if event is None:
            return
        self.collection.take(event)
        session = self._workers.current
        for control in self._steering.take(event):
            if session is not None:
                session.send(control)
        if isinstance(event, Traced):
            self.tables[event.table.precision] = event.table
        if isinstance(event, Progress):
            self._opened_device |= event.phase != "trace"
            if event.phase == _STEPS and event.detail.isdecimal():
                self._begun_size = int(event.detail)
            yield from self._progress(event)
        yield event

    def _progress(self, event: Progress) -> Generator[RunnerEvent, None, None]:
        now = time.monotonic()
        yield PhaseStarted(device_key=self.device.key, phase=event.phase, detail=event.detail, started_monotonic_s=now)
        left_s = self._requests.left_s()
        here = 1.0 - left_s / max(self.device.budget_s, left_s, 1e-9)
        self._fraction = max(self._fraction, min(1.0, max(0.0, here)))
        before, share = self.share
        yield RunProgress(
            phase=event.phase,
            fraction=_MEASURED_FRACTION * (before + share * self._fraction),
            left_s=left_s,
            device_key=self.device.key,
            detail=event.detail,
        )

    def _drain(self) -> Iterator[Reading]:
        """Pass on the device readings that came since the last look."""
        readings = self.monitor.readings()
        self.collection.readings.extend(readings)
        if not self._opened_device:
            self.collection.before.extend(readings)
        self._steering.read(readings)
        yield from readings
