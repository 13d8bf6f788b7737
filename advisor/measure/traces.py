"""Operator tables from a worker: each is made once, and all of one question in one worker, which imports torch once."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable
from contextlib import closing
from typing import NamedTuple, Protocol

import msgspec

from advisor.catalogue.precisions import TracePrecision
from advisor.core.memory_watch import allowance_bytes
from advisor.core.sentences import Reason, SaidError
from advisor.measure.events import RunnerEvent
from advisor.measure.worker_session import TRACE_LIMIT_S, Cancelled, WorkerHung, WorkerSession, failure_of
from advisor.optable.op_table import OpTable, grows_evenly
from advisor.optable.saved_tables import known_tables
from advisor.protocol.messages import Failed, Traced, TraceRequest
from advisor.workload.workload import Workload, traced_as

_TRACE_LIMIT_BYTES = 16 * 2**30
"""Fake tensors hold no data: the largest published models are traced in a tenth of it."""
Tables = dict[TracePrecision, OpTable]


class TraceUnanswered(SaidError):  # noqa: N818 - says what happened
    """The model could not be traced; `reason` says why, and prediction falls back to what else is known."""

    def __init__(self, reason: Reason, tables: Tables | None = None) -> None:
        """Keep the reason, and what was traced all the same."""
        super().__init__((reason,))
        self.reason = reason
        self.tables = tables or {}


class _Refused(NamedTuple):
    """Why a worker gave no table, or not all that it was asked for."""

    reason: Reason
    event: Failed | None = None
    """What the worker said itself."""
    final: bool = False
    """Whether another worker would take as long, or as much memory."""


class Kept(Protocol):
    """Tables of earlier runs."""

    def find(self, workload: Workload, precision: TracePrecision) -> OpTable | None:
        """The table of such a trace, where there is one."""

    def keep(self, workload: Workload, table: OpTable) -> None:
        """Keep what was traced for runs to come."""


class Traces:
    """The tables of one question's workloads, and the worker that makes them; to be closed.

    To start a worker, with torch and the models' library in it, takes longer than most traces.
    """

    def __init__(
        self, *, allow_code: bool = False, cancelled: threading.Event | None = None, kept: Kept | None = None
    ) -> None:
        """Nothing is started yet. `cancelled` ends a trace under way, with the tables made so far."""
        self.cancelled = cancelled or threading.Event()
        self._kept = kept
        self._allow_code = allow_code
        self._session: WorkerSession | None = None
        self._limit_bytes = 0
        self._used = False
        """Whether the worker that runs has traced before."""
        self._made: dict[bytes, Tables] = {}
        self._affine: set[bytes] = set()
        """Models whose figures grow evenly with the batch, as a third batch has shown."""
        self._apart: set[bytes] = set()
        """Models that were seen to go through samples one by one."""

    def known(self, workload: Workload, wanted: Iterable[TracePrecision]) -> Tables:
        """What needs no trace any more: saved with the program, of totals, or made before, here or in earlier runs."""
        wanted = tuple(wanted)
        tables = {**known_tables(workload, wanted), **self._made.get(traced_as(workload), {})}
        if self._kept is not None:
            found = {name: self._kept.find(workload, name) for name in wanted if name not in tables}
            tables |= {name: table for name, table in found.items() if table is not None}
        self._note_affine(workload, tables)
        return tables

    def start(self) -> None:
        """Start the worker ahead of the first trace: it imports torch while the caller is at something else."""
        if self._session is None:
            free = allowance_bytes()
            self._limit_bytes = _TRACE_LIMIT_BYTES if free is None else min(free, _TRACE_LIMIT_BYTES)
            self._session = WorkerSession(
                visible="", traces=True, memory_limit_bytes=self._limit_bytes, cancelled=self.cancelled
            )
            self._used = False

    def make(self, workload: Workload, precisions: Iterable[TracePrecision]) -> Generator[RunnerEvent, None, Tables]:
        """Trace the workload; returns the tables made so far when cancelled.

        Raises TraceUnanswered where the worker failed, died or took longer than two minutes, waits for a core apart.
        What fails in a worker that has traced before, or dies with it, is tried again in a fresh one: no answer depends
        on the past.
        """
        asked, tables = tuple(precisions), Tables()
        self._leave_ended()
        refused = yield from self._traced(workload, asked, tables)
        if refused is not None and self._used and not refused.final:
            tables.clear()
            self.close()
            refused = yield from self._traced(workload, asked, tables)
        self._used = True
        key = traced_as(workload)
        self._made[key] = {**self._made.get(key, {}), **tables}
        self._note_affine(workload, tables)
        if self._kept is not None:
            for table in tables.values():
                self._kept.keep(workload, table)
        if refused is not None:
            self.close()
            if refused.event is not None:
                yield refused.event
            raise TraceUnanswered(refused.reason, tables)
        return tables

    def find(self, workload: Workload, wanted: Iterable[TracePrecision]) -> Generator[RunnerEvent, None, Tables]:
        """What is known, and what of the wanted is not is traced.

        Raises TraceUnanswered as `make`, with what is known among its tables.
        """
        wanted = tuple(wanted)
        tables = self.known(workload, wanted)
        missing = [precision for precision in wanted if precision not in tables]
        try:
            return {**tables, **((yield from self.make(workload, missing)) if missing else {})}
        except TraceUnanswered as unanswered:
            raise TraceUnanswered(unanswered.reason, {**tables, **unanswered.tables}) from unanswered

    def close(self) -> None:
        """End the worker."""
        session, self._session = self._session, None
        if session is not None and self.cancelled.is_set():
            session.close()
        elif session is not None:
            session.end()

    def _note_affine(self, workload: Workload, tables: Tables) -> None:
        if tables and all(map(grows_evenly, tables.values())):
            self._affine.add(_model_of(workload))

    def _leave_ended(self) -> None:
        if self._session is not None and not self._session.alive:
            self.close()

    def _traced(
        self, workload: Workload, precisions: tuple[TracePrecision, ...], tables: Tables
    ) -> Generator[RunnerEvent, None, _Refused | None]:
        """One request to the worker, its tables added to `tables`; why that is not all of them."""
        self.start()
        session, failed = self._session, None
        assert session is not None
        request = TraceRequest(
            workload=workload,
            precisions=precisions,
            allow_code=self._allow_code,
            known_affine=_model_of(workload) in self._affine,
            known_apart=_model_of(workload) in self._apart,
        )
        try:
            for event in session.ask(request, deadline_s=time.monotonic() + TRACE_LIMIT_S):
                if isinstance(event, Failed):
                    failed = event
                    continue
                if isinstance(event, Traced):
                    tables[event.table.precision] = event.table
                    if event.samples_apart:
                        self._apart.add(_model_of(workload))
                if event is not None:
                    yield event
        except Cancelled:
            return None
        except WorkerHung as hung:
            return _Refused(self._ended(hung, session), final=True)
        if failed is not None:
            return _Refused(failed.reason_or("measure-trace-failed", device="cpu"), event=failed)
        return None if session.alive else _Refused(self._ended(None, session), final=session.too_large)

    def _ended(self, error: Exception | None, session: WorkerSession) -> Reason:
        """How the worker ended: not how one that measures does, whose samples are kept."""
        how, numbers = failure_of(error, session)
        return Reason.of(f"trace-worker-{how}", **numbers, limit_bytes=self._limit_bytes, limit_s=TRACE_LIMIT_S)


def _model_of(workload: Workload) -> bytes:
    """What of a workload stays the same however it is trained: its model and what it is fed."""
    data = workload.data
    sizes = (data.sequence_length, data.image_size)
    return msgspec.json.encode((workload.model, workload.source_folder, sizes, workload.training.mode))


def trace_workload(
    workload: Workload,
    precisions: Iterable[TracePrecision],
    *,
    allow_code: bool = False,
    cancelled: threading.Event | None = None,
    kept: Kept | None = None,
) -> Generator[RunnerEvent, None, Tables]:
    """What is known, else traced in a worker of its own, which ends with it; as `Traces.find`."""
    with closing(Traces(allow_code=allow_code, cancelled=cancelled, kept=kept)) as traces:
        return (yield from traces.find(workload, precisions))
