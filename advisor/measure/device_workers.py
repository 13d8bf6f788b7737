"""The worker processes of one device: one traces and calibrates; on the processor another one only trains.

A step on the processor depends on what its process did before: the C library gives freed memory back to the system
or keeps it by the largest block it has seen (mallopt(3), M_MMAP_THRESHOLD), and calibration frees large ones. On a
small LSTM, steps after it took half as long as in a training script. So steps are timed in a process that, like a
script, has done nothing but import, build and train; it imports while the other one traces.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from advisor.measure.plan import DevicePlan
from advisor.measure.worker_session import WorkerHung, WorkerSession
from advisor.protocol.messages import ImportRequest, MeasureRequest, Request

_IMPORT_LIMIT_S = 60.0


class DeviceWorkers:
    """Opens the workers when they are needed, and again after one has ended."""

    def __init__(self, device: DevicePlan, cancelled: threading.Event) -> None:
        """Nothing is started yet."""
        self._device = device
        self._cancelled = cancelled
        self._current: WorkerSession | None = None
        self._trainer: WorkerSession | None = None
        self._ended_logs: list[str] = []
        self._fresh_for_steps = device.torch_device == "cpu"

    @property
    def current(self) -> WorkerSession | None:
        """The worker that the last request went to."""
        return self._current

    @property
    def log(self) -> str:
        """What the workers wrote to stderr, in the order in which they were used."""
        logs = [*self._ended_logs, "" if self._current is None else self._current.log]
        return "\n".join(log for log in logs if log)

    def start_trainer(self, request: ImportRequest) -> None:
        """Start the process for the steps; it imports what they need while the other one works."""
        self._trainer = self._new()
        self._trainer.send(request)

    def imports(self) -> Iterator[None]:
        """Wait for the trainer's imports, a moment at a time. Raises Cancelled.

        What it cannot import is reported by the request that needs it; a trainer that is lost is replaced then.
        """
        if self._trainer is None:
            return
        try:
            for _ in self._trainer.answers(deadline_s=time.monotonic() + _IMPORT_LIMIT_S):
                yield None
        except WorkerHung:
            self._close(self._trainer)
            self._trainer = None

    def for_request(self, request: Request) -> WorkerSession:
        """The worker that a request goes to: the first steps of the whole model to the trainer, others to what runs.

        Parts of a model are timed one after the other and compared, so both in a process that has a past.
        """
        whole_steps = isinstance(request, MeasureRequest) and request.layer_limit is None
        if whole_steps and self._fresh_for_steps:
            self._fresh_for_steps = False
            self._close(self._current)
            self._current, self._trainer = self._trainer, None
        if self._current is None or not self._current.alive:
            self._close(self._current)
            self._current = self._new()
        return self._current

    def close(self, *, gently: bool) -> None:
        """End every process that is left; `gently` lets the one in use end by itself."""
        if gently and self._current is not None:
            self._current.end()
        self._close(self._current)
        self._close(self._trainer)
        self._current = self._trainer = None

    def _close(self, session: WorkerSession | None) -> None:
        if session is not None:
            self._ended_logs.append(session.log)
            session.close()

    def _new(self) -> WorkerSession:
        return WorkerSession(visible=self._device.visible, cancelled=self._cancelled)
