"""Runs a plan device by device: an ordinary generator of events, whose value is what was measured."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Mapping

from msgspec.structs import replace

from advisor.catalogue.precisions import TracePrecision
from advisor.core.memory_watch import allowance_bytes
from advisor.core.sentences import Reason, SaidError
from advisor.hardware.machine import Machine, Reading
from advisor.hardware.monitor import Monitor
from advisor.measure.device_run import DeviceRun
from advisor.measure.events import DeviceEnded, RunnerEvent
from advisor.measure.measurement import Measurement, RateMeasurement
from advisor.measure.plan import Plan
from advisor.measure.worker_session import TRACE_LIMIT_S, Cancelled, WorkerHung, WorkerSession, failure_of
from advisor.optable.op_table import OpTable
from advisor.protocol.messages import Failed, Traced, TraceRequest
from advisor.workload.workload import Workload

_READINGS_BEFORE = 21
"""Of the last device's run, that tell what the next one is used for by others."""
_START_ALLOWANCE_S = 5.0
"""Importing torch does not count against the first device's budget, up to this long."""


_TRACE_LIMIT_BYTES = 16 * 2**30
"""Fake tensors hold no data: the largest published models are traced in a tenth of it."""


class TraceUnanswered(SaidError):  # noqa: N818 - says what happened
    """The model could not be traced; `reason` says why, and prediction falls back to what else is known."""

    def __init__(self, reason: Reason, tables: dict[TracePrecision, OpTable] | None = None) -> None:
        """Keep the reason, and what was traced all the same."""
        super().__init__((reason,))
        self.reason = reason
        self.tables = tables or {}


def trace_workload(
    workload: Workload,
    precisions: Iterable[TracePrecision],
    *,
    allow_code: bool = False,
    cancelled: threading.Event | None = None,
) -> Generator[RunnerEvent, None, dict[TracePrecision, OpTable]]:
    """Trace in a worker of its own; returns the tables made so far when cancelled.

    Raises TraceUnanswered where the worker failed, died or took longer than two minutes, waits for a core apart.
    """
    free = allowance_bytes()
    limit = _TRACE_LIMIT_BYTES if free is None else min(free, _TRACE_LIMIT_BYTES)
    session = WorkerSession(visible="", memory_limit_bytes=limit, cancelled=cancelled)
    tables: dict[TracePrecision, OpTable] = {}
    request = TraceRequest(workload=workload, precisions=tuple(precisions), allow_code=allow_code)
    try:
        failed: Failed | None = None
        for event in session.ask(request, deadline_s=time.monotonic() + TRACE_LIMIT_S):
            if event is None:
                continue
            if isinstance(event, Traced):
                tables[event.table.precision] = event.table
            if isinstance(event, Failed):
                failed = event
            yield event
        if failed is not None:
            raise TraceUnanswered(failed.reason_or("measure-trace-failed", device="cpu"), tables)
        if not session.alive:
            raise TraceUnanswered(_ended(None, session, limit), tables)
    except Cancelled:
        return tables
    except WorkerHung as ended:
        raise TraceUnanswered(_ended(ended, session, limit), tables) from ended
    finally:
        if cancelled is not None and cancelled.is_set():
            session.close()
        else:
            session.end()
    return tables


def run_measurements(  # noqa: PLR0913 - what a run may be given
    plan: Plan,
    machine: Machine,
    *,
    cancelled: threading.Event | None = None,
    tables: dict[TracePrecision, OpTable] | None = None,
    trace: tuple[TracePrecision, ...] = (),
    known_rates: Mapping[str, tuple[RateMeasurement, ...]] | None = None,
) -> Generator[RunnerEvent, None, tuple[Measurement, ...]]:
    """Measure every device of the plan in turn; one that fails ends alone, with a caveat and its samples kept.

    `tables`: traces that are known already; they choose batch sizes, and those asked for by `trace` are made by
    the first device's worker before it measures and added to this dictionary. Cancelled: what was
    measured so far is returned, devices not reached are `not_measured`. The monitor runs from start to end.
    `known_rates`: earlier calibrations by device key that still hold (`collection.calibration_key`); these devices
    are not calibrated again and spend that time on the model's steps.
    """
    cancelled = cancelled or threading.Event()
    traced: dict[TracePrecision, OpTable] = {} if tables is None else tables
    measurements: list[Measurement] = []
    before: deque[Reading] = deque(maxlen=_READINGS_BEFORE)
    allowance_s = _START_ALLOWANCE_S
    done_s, whole_s = 0.0, max(1e-9, sum(device.budget_s for device in plan.devices))
    with Monitor() as monitor:
        for device in plan.devices:
            earlier = (known_rates or {}).get(device.key, ())
            planned = replace(device, calibration_s=0.0) if earlier else device
            if cancelled.is_set() and device.skipped is None:
                planned = replace(planned, skipped=Reason.of("measure-cancelled"))
            deadline_s = time.monotonic() + planned.budget_s + allowance_s
            run = DeviceRun(plan, planned, machine, monitor, deadline_s, traced, trace=trace, cancelled=cancelled)
            run.share = (done_s / whole_s, device.budget_s / whole_s)
            done_s += device.budget_s
            run.collection.before.extend(before)
            run.collection.known_rates = earlier
            for event in run.run():
                if isinstance(event, Reading):
                    before.append(event)
                if isinstance(event, DeviceEnded):
                    measurements.append(event.measurement)
                yield event
            allowance_s = 0.0 if planned.skipped is None else allowance_s
    return tuple(measurements)


def _ended(error: Exception | None, session: WorkerSession, limit_bytes: float) -> Reason:
    """How the trace's worker ended: not how one that measures does, whose samples are kept."""
    how, numbers = failure_of(error, session)
    return Reason.of(f"trace-worker-{how}", **numbers, limit_bytes=limit_bytes, limit_s=TRACE_LIMIT_S)
