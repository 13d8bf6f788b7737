"""The live line of the Model page: parameters, work per sample, memory at this batch, and the layers."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from advisor.core.errors import UserFacingError
from advisor.core.units import Estimate
from advisor.gui.jobs.apart import apart
from advisor.gui.jobs.asks import TraceAsk
from advisor.gui.session import Session
from advisor.gui.threads import JobThread, Outcome, call_as_job
from advisor.optable.op_table import Layer, OpTable
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import PythonModel, Workload, traced_as

_WAIT_MS = 500


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What is known of the model before anything is measured."""

    parameter_count: int | None
    trainable_parameter_count: int | None
    flop_per_sample: float | None
    memory_bytes: Estimate | None
    layers: tuple[Layer, ...]
    memory_device: str = ""
    """What needs the memory; empty: a card of unknown generation."""


def preview_of(table: OpTable, workload: Workload, memory_bytes: Estimate | None) -> Preview:
    """The figures of a trace, at the workload's own batch size; `memory_bytes`: as `need_of` has it, if it is known."""
    from advisor.optable.op_table import step_flop

    batch_size = workload.training.batch_size
    return Preview(
        parameter_count=table.parameter_count,
        trainable_parameter_count=table.trainable_parameter_count,
        flop_per_sample=step_flop(table, batch_size) / batch_size,
        memory_bytes=memory_bytes,
        layers=table.layers,
    )


def need_of(table: OpTable, workload: Workload) -> Estimate | None:
    """Bytes of a step at the workload's own batch size on a card of unknown generation; None: not to be predicted.

    The allocator is played through for it, which takes a third of a second for a large model.
    """
    from advisor.cost.memory.need import answered, memory_question
    from advisor.predict.ranges.memory_range import need_range

    training = workload.training
    question = memory_question(table, training, training.precision, compute_capability=None)
    return need_range(answered(question, training.batch_size)) if question is not None else None


def preview_from_advice(advice: AdviceRecord) -> Preview:
    """The same from a finished advice."""
    training, added = advice.workload.training, () if advice.main is None else advice.main.added
    own = [
        prediction
        for prediction in advice.predictions
        if prediction.count == 1
        and prediction.device.key != "cpu"
        and prediction.precision == training.precision
        and prediction.added == added
        and prediction.batch_size_per_device == training.batch_size
        and prediction.peak_memory_bytes is not None
    ]
    return Preview(
        parameter_count=advice.model.parameter_count,
        trainable_parameter_count=advice.model.trainable_parameter_count,
        flop_per_sample=advice.model.flop_per_sample,
        memory_bytes=own[0].peak_memory_bytes if own else None,
        layers=advice.model.layers,
        memory_device=own[0].device.name if own else "",
    )


class ModelTracer(QObject):
    """Traces the described workload in a worker, a moment after the last change; keeps tables by model."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        """Follows the session's workload."""
        super().__init__(session)
        self._session = session
        self._tables: dict[bytes, OpTable] = {}
        self._needs: dict[bytes, Estimate | None] = {}
        """The memory of a step, by what it depends on."""
        self._thread: JobThread | None = None
        self._needing: JobThread | None = None
        self._key = b""
        self.problem: Outcome | None = None
        self.needs_consent = False
        self._wait = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._wait.timeout.connect(self._trace)
        session.described.changed.connect(self.follow)
        session.runner.ended.connect(self.follow)

    @classmethod
    def of(cls, session: Session) -> ModelTracer:
        """The session's one tracer, made when it is first asked for; it lives as long as the session."""
        return session.findChild(cls) or cls(session)

    @property
    def busy(self) -> bool:
        """Whether figures are still to come: a trace is under way or about to be, or its memory is."""
        return self._thread is not None or self._needing is not None or self._wait.isActive()

    def preview(self) -> Preview | None:
        """The figures of the present workload; None while they are not known."""
        workload, advice = self._workload(), self._session.advice
        if workload is None:
            return None
        table = self._tables.get(_key_of(workload))
        if table is not None:
            return preview_of(table, workload, self._needs.get(_need_key_of(workload)))
        known = advice is not None and _same_step(advice.workload, workload)
        return preview_from_advice(advice) if advice is not None and known else None

    def _workload(self) -> Workload | None:
        """What is described, bound to the bytes that its Python file holds now: with others it is another model."""
        from advisor.workload.python_source import pinned

        workload = self._session.described.workload
        if workload is not None:
            with contextlib.suppress(UserFacingError):  # It is gone by now: measuring tells so.
                return pinned(workload)
        return workload

    def follow(self) -> None:
        """The workload or its file changed: trace it unless its table is known."""
        workload = self._workload()
        self.problem, self.needs_consent = None, False
        if workload is None or self.preview() is not None:
            self._wait.stop()
            self._ask_need()
            self.changed.emit()
            return
        if self._lacks_consent(workload):
            self.needs_consent = True
        elif not self._session.runner.busy:
            self._wait.start()
        self.changed.emit()

    def follow_file(self) -> None:
        """Whoever comes back to the window may have mended the Python file: what it holds now is traced, if it does."""
        workload = self._workload()
        if workload is not None and isinstance(workload.model, PythonModel) and _key_of(workload) != self._key:
            self.follow()

    def _lacks_consent(self, workload: Workload) -> bool:
        """A file that is gone by now counts as not consented to; measuring tells what is wrong with it."""
        try:
            return self._session.described.lacks_consent(workload)
        except UserFacingError:
            return True

    def _trace(self) -> None:
        workload = self._workload()
        if workload is None or self._session.runner.busy or self._lacks_consent(workload):
            return
        if self._thread is not None:
            self._thread.cancel()
        self._key = _key_of(workload)
        key, allowed = self._key, self._session.described.may_run(workload)
        folder = str(self._session.settings.history_folder)
        trace = apart(lambda: TraceAsk(workload=workload, allow_code=allowed, data_folder=folder))
        self._thread = self._session.crew.start(trace, lambda outcome: self._traced(key, outcome))
        self.changed.emit()

    def _traced(self, key: bytes, outcome: Outcome) -> None:
        from advisor.optable.op_table import OpTable

        if isinstance(outcome.result, OpTable):
            self._tables[key] = outcome.result
        if key == self._key:
            self._thread = None
            self.problem = outcome if outcome.failed else None
        self._ask_need()
        self.changed.emit()

    def _ask_need(self) -> None:
        """Ask in a thread for the memory of what is described now, unless it is known; one is asked for at a time."""
        workload = self._workload()
        table = None if workload is None else self._tables.get(_key_of(workload))
        if workload is None or table is None or self._needing is not None:
            return
        key, asked = _need_key_of(workload), workload
        if key not in self._needs:
            job = call_as_job(lambda: need_of(table, asked))
            self._needing = self._session.crew.start(job, lambda outcome: self._need_known(key, outcome))

    def _need_known(self, key: bytes, outcome: Outcome) -> None:
        self._needing = None
        self._needs[key] = outcome.result if isinstance(outcome.result, Estimate) else None
        if outcome.failed:
            self.problem = outcome
        self._ask_need()
        self.changed.emit()


def _same_step(first: Workload, second: Workload) -> bool:
    """Whether both train the same model in the same step: how much data there is, and for how long, changes none."""
    data = msgspec.structs.replace(
        first.data,
        samples=second.data.samples,
        validation_samples=second.data.validation_samples,
        loader_workers=second.data.loader_workers,
    )
    training = msgspec.structs.replace(first.training, epochs=second.training.epochs)
    alike = msgspec.structs.replace(first, name=second.name, assumed=second.assumed, data=data, training=training)
    return alike == second


def _key_of(workload: Workload) -> bytes:
    """What the trace depends on: batch size, epochs and the optimizer do not change the traced operators."""
    from advisor.catalogue.precisions import TRACE_PRECISIONS

    return traced_as(workload) + TRACE_PRECISIONS[workload.training.precision].encode()


def _need_key_of(workload: Workload) -> bytes:
    """What the memory of a step depends on beyond its trace: all of the training but how long it goes on."""
    training = msgspec.structs.replace(workload.training, epochs=1.0)
    return _key_of(workload) + msgspec.json.encode(training)
