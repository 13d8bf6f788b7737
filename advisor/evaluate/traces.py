"""The operator tables that the rows of a file need: each traced once, several workloads by one worker."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from advisor.catalogue.precisions import TRACE_PRECISIONS, ComputedPrecision, TracePrecision, asked_as
from advisor.core.by_key import grouped
from advisor.core.sentences import Listed, Reason
from advisor.cost.scaling.sharded_precision import with_adapters_cast
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.run_row import RunRow
from advisor.measure.worker_session import TRACE_LIMIT_S, WorkerHung, WorkerSession
from advisor.optable.op_table import OpTable
from advisor.optable.totals import table_from_numbers
from advisor.protocol.messages import Failed, Traced, TraceRequest
from advisor.workload.workload import Model, NumbersModel, PythonModel, Workload, traced_as, with_training

_WORKER_COUNT = 2


class TraceKey(NamedTuple):
    """What a trace depends on; two rows with the same key share it."""

    described: bytes
    """Model, length and those settings of the training that change what is computed."""
    precision: TracePrecision
    half_fallback: bool = False
    """As in `TraceRequest`."""
    packed_inputs_kept: bool = False
    """Likewise."""


Progress = Callable[[str, int, int], None]
"""Called with a workload's name, how many are done, and how many there are."""


def trace_key(
    workload: Workload, precision: ComputedPrecision, *, half_fallback: bool = False, packed_inputs_kept: bool = False
) -> TraceKey:
    """Which trace serves this workload at this precision."""
    return TraceKey(traced_as(workload), TRACE_PRECISIONS[precision], half_fallback, packed_inputs_kept)


def key_of(question: RowQuestion) -> TraceKey:
    """Which trace serves a row, as its PyTorch ran the model."""
    return _key(question, question.workload.training.precision)


def memory_key_of(question: RowQuestion) -> TraceKey:
    """Which trace tells a row's memory: the same, but that of adapters that are cast where the row asks for memory."""
    return _key(question, memory_precision_of(question)) if asks_for_memory(question.row) else key_of(question)


def asks_for_memory(row: RunRow) -> bool:
    """Whether a peak or a largest batch is to be answered."""
    return row.peak_bytes is not None or row.largest_batch_that_ran is not None


def memory_precision_of(question: RowQuestion) -> ComputedPrecision:
    """What the layers' tensors are of.

    Published peaks of adapters under full sharding are those of 16-bit ones, as whatever is gathered is cast; their
    times are those of FP32 ones, and why is not known (decision 18).
    """
    training = question.workload.training
    shared = question.row.layout.shard_count > 1 and training.trainable == "lora"
    return with_adapters_cast(training.precision) if shared else training.precision


def _key(question: RowQuestion, precision: ComputedPrecision) -> TraceKey:
    return trace_key(
        question.workload,
        precision,
        half_fallback=question.half_fallback,
        packed_inputs_kept=question.packed_inputs_kept,
    )


def trace_all(
    wanted: Mapping[TraceKey, Workload],
    *,
    allow_code: bool = False,
    on_progress: Progress | None = None,
) -> dict[TraceKey, OpTable | Reason]:
    """Trace every workload that is wanted; where that fails, the reason stands in the table's place.

    Two workers share the list, so that torch is imported twice however many models there are; they start at its two
    ends, so that other libraries are mostly imported by one of them.
    """
    traces: dict[TraceKey, OpTable | Reason] = {}
    for key, workload in wanted.items():
        if isinstance(workload.model, NumbersModel):
            traces[key] = table_from_numbers(workload.model, key.precision)
    groups = grouped((key for key in wanted if key not in traces), lambda key: key._replace(precision="fp32"))
    waiting = deque(sorted(groups.values(), key=lambda keys: _libraries(wanted[keys[0]].model)))
    done: list[str] = []
    telling = threading.Lock()

    def work(take: Callable[[], Sequence[TraceKey]]) -> None:
        with contextlib.closing(_Tracer(allow_code=allow_code)) as tracer:
            while True:
                try:
                    keys = take()
                except IndexError:  # none is left
                    return
                workload = wanted[keys[0]]
                traces.update(tracer.trace(workload, keys))
                with telling:
                    done.append(workload.name)
                    if on_progress is not None:
                        on_progress(workload.name, len(done), len(groups))

    ends = (waiting.popleft, waiting.pop)[: min(_WORKER_COUNT, len(groups))]
    threads = [threading.Thread(target=work, args=(take,), daemon=True) for take in ends]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return traces


def _libraries(model: Model) -> tuple[str, str]:
    """Sorts models together that import the same libraries."""
    return type(model).__name__, model.file if isinstance(model, PythonModel) else ""


class _Tracer:
    """One worker session after another: a worker that died is replaced for the next workload."""

    def __init__(self, *, allow_code: bool) -> None:
        self._allow_code = allow_code
        self._session: WorkerSession | None = None

    def trace(self, workload: Workload, keys: Sequence[TraceKey]) -> dict[TraceKey, OpTable | Reason]:
        """The tables of one workload at the precisions of `keys`."""
        # A request holds a workload as anybody describes one, and no description names weights that sharding casts.
        request = TraceRequest(
            workload=with_training(workload, precision=asked_as(workload.training.precision)),
            precisions=tuple(dict.fromkeys(key.precision for key in keys)),
            allow_code=self._allow_code,
            checked=False,
            half_fallback=keys[0].half_fallback,
            packed_inputs_kept=keys[0].packed_inputs_kept,
        )
        tables: dict[TracePrecision, OpTable] = {}
        reason = Reason.of("evaluate-trace-died", workload=workload.name)
        try:
            for event in self._alive().ask(request, deadline_s=time.monotonic() + TRACE_LIMIT_S):
                if isinstance(event, Traced):
                    tables[event.table.precision] = event.table
                elif isinstance(event, Failed):
                    said = Listed(reasons=(event.reason_or("worker-said"),))
                    reason = Reason.of("evaluate-trace-failed", workload=workload.name, text=said)
        except WorkerHung:
            reason = Reason.of("evaluate-trace-too-long", workload=workload.name, limit_s=TRACE_LIMIT_S)
        return {key: tables.get(key.precision, reason) for key in keys}

    def _alive(self) -> WorkerSession:
        if self._session is None or not self._session.alive:
            self.close()
            self._session = WorkerSession(visible="")
        return self._session

    def close(self) -> None:
        """End the worker."""
        if self._session is not None:
            self._session.end()
            self._session = None
