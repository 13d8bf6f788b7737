"""The operator tables that the rows of a file need: each traced once, several workloads by one worker."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision, TracePrecision
from advisor.core.sentences import Reason, Said
from advisor.measure.worker_session import WorkerHung, WorkerSession
from advisor.optable.op_table import OpTable
from advisor.optable.totals import table_from_numbers
from advisor.protocol.messages import Failed, Traced, TraceRequest
from advisor.workload.workload import Model, NumbersModel, PythonModel, Workload, traced_as

_WORKER_COUNT = 2
_TRACE_LIMIT_S = 120.0


class TraceKey(NamedTuple):
    """What a trace depends on; two rows with the same key share it."""

    described: bytes
    """Model, length and those settings of the training that change what is computed."""
    precision: TracePrecision


Progress = Callable[[str, int, int], None]
"""Called with a workload's name, how many are done, and how many there are."""


def trace_key(workload: Workload, precision: Precision) -> TraceKey:
    """Which trace serves this workload at this precision."""
    return TraceKey(traced_as(workload), TRACE_PRECISIONS[precision])


def trace_all(
    wanted: Mapping[TraceKey, Workload],
    *,
    allow_code: bool = False,
    allow_hub: bool = False,
    on_progress: Progress | None = None,
) -> dict[TraceKey, OpTable | Reason]:
    """Trace every workload that is wanted; where that fails, the reason stands in the table's place.

    Two workers share the list, so that torch is imported twice however many models there are; they start at its two
    ends, so that other libraries are mostly imported by one of them.
    """
    found: dict[TraceKey, OpTable | Reason] = {}
    groups: dict[bytes, list[TraceKey]] = {}
    for key, workload in wanted.items():
        if isinstance(workload.model, NumbersModel):
            found[key] = table_from_numbers(workload.model, key.precision)
        else:
            groups.setdefault(key.described, []).append(key)
    jobs = _Jobs(wanted, sorted(groups.values(), key=lambda keys: _libraries(wanted[keys[0]].model)), on_progress)
    threads = [
        threading.Thread(
            target=jobs.work, args=(_Tracer(allow_code=allow_code, allow_hub=allow_hub), take), daemon=True
        )
        for take in (jobs.first, jobs.last)[: min(_WORKER_COUNT, len(groups))]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found | jobs.found


def _libraries(model: Model) -> tuple[str, str]:
    """Sorts models together that import the same libraries."""
    return type(model).__name__, model.file if isinstance(model, PythonModel) else ""


class _Jobs:
    """The list that the workers share."""

    def __init__(
        self, wanted: Mapping[TraceKey, Workload], groups: Sequence[Sequence[TraceKey]], on_progress: Progress | None
    ) -> None:
        self.found: dict[TraceKey, OpTable | Reason] = {}
        self._wanted = wanted
        self._waiting = deque(groups)
        self._count = len(groups)
        self._done = 0
        self._on_progress = on_progress
        self._lock = threading.Lock()

    def first(self) -> Sequence[TraceKey] | None:
        """Take the first group that waits."""
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def last(self) -> Sequence[TraceKey] | None:
        """Take the last group that waits."""
        with self._lock:
            return self._waiting.pop() if self._waiting else None

    def work(self, tracer: _Tracer, take: Callable[[], Sequence[TraceKey] | None]) -> None:
        """Take one group after another until none is left."""
        try:
            while (keys := take()) is not None:
                workload = self._wanted[keys[0]]
                self._keep(workload.name, tracer.trace(workload, keys))
        finally:
            tracer.close()

    def _keep(self, name: str, answers: Mapping[TraceKey, OpTable | Reason]) -> None:
        with self._lock:
            self.found.update(answers)
            self._done += 1
            if self._on_progress is not None:
                self._on_progress(name, self._done, self._count)


class _Tracer:
    """One worker session after another: a worker that died is replaced for the next workload."""

    def __init__(self, *, allow_code: bool, allow_hub: bool) -> None:
        self._allow_code = allow_code
        self._allow_hub = allow_hub
        self._session: WorkerSession | None = None

    def trace(self, workload: Workload, keys: Sequence[TraceKey]) -> dict[TraceKey, OpTable | Reason]:
        """The tables of one workload at the precisions of `keys`."""
        request = TraceRequest(
            workload=workload,
            precisions=tuple(dict.fromkeys(key.precision for key in keys)),
            allow_code=self._allow_code,
            hub=self._allow_hub,
            wall_limit_s=_TRACE_LIMIT_S,
            checked=False,
        )
        tables: dict[TracePrecision, OpTable] = {}
        reason = Reason.of("evaluate-trace-died", workload=workload.name)
        try:
            for event in self._alive().ask(request, deadline_s=time.monotonic() + _TRACE_LIMIT_S):
                if isinstance(event, Traced):
                    tables[event.table.precision] = event.table
                elif isinstance(event, Failed):
                    reason = Reason.of(
                        "evaluate-trace-failed", workload=workload.name, text=Said(text=event.text[:300])
                    )
        except WorkerHung:
            reason = Reason.of("evaluate-trace-too-long", workload=workload.name, limit_s=_TRACE_LIMIT_S)
        return {key: tables.get(key.precision, reason) for key in keys}

    def _alive(self) -> WorkerSession:
        if self._session is None or not self._session.alive:
            self.close()
            self._session = WorkerSession(visible="", allow_hub=self._allow_hub)
        return self._session

    def close(self) -> None:
        """End the worker."""
        if self._session is not None:
            if self._session.alive:
                self._session.end()
            self._session.close()
            self._session = None
