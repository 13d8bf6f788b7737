"""One worker process of a device: its environment, its events with a deadline, its memory watched, its end."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Generator, Mapping

import msgspec

from advisor.core.child_process import ChildProcess
from advisor.core.core_waits import waited_for_core_s
from advisor.core.sentences import Arguments
from advisor.protocol.messages import (
    Answered,
    Control,
    End,
    Request,
    WorkerEvent,
    worker_event_of,
)
from advisor.workload import scrubbed_environment as scrubbing

_ENCODER = msgspec.json.Encoder()
_SLICE_S = 0.05
_END_S = 5.0
_DRAIN_S = 0.5
TRACE_LIMIT_S = 120.0
_CORE_WAITS_S = 600.0
"""What a request may wait for a core beyond its deadline: on a machine that others keep busy all takes many times as
long, and what waits for a core does not hang."""
_SPOKE_S = 12.0
"""A worker that said something so long ago at most does not hang: it watches its own budget, and a slow machine's
imports and first steps are slow."""


class WorkerHung(Exception):  # noqa: N818 - says what happened
    """A request was not answered by its deadline; the worker is gone."""


class Cancelled(Exception):  # noqa: N818 - the same
    """The user cancelled; the worker is gone."""


class WorkerSession:
    """A worker that answers several requests, so that torch is imported once."""

    def __init__(
        self,
        *,
        visible: str | None,
        traces: bool = False,
        memory_limit_bytes: int | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        """Start it; `visible` becomes CUDA_VISIBLE_DEVICES (a UUID; empty hides all; None changes nothing).

        `traces`: it imports what traces need at once, without waiting for the first request.
        `memory_limit_bytes`: beyond it the worker is ended, and `too_large` says so; None: what is available.
        """
        environment = scrubbed_environment(os.environ, visible=visible)
        arguments = ("--session", "--traces") if traces else ("--session",)
        self._child = ChildProcess(
            "advisor.worker", *arguments, environment=environment, memory_limit_bytes=memory_limit_bytes
        )
        self._cancelled = cancelled or threading.Event()
        self._gone = False

    @property
    def alive(self) -> bool:
        """Whether it can take a further request."""
        return not self._gone and self._child.process.poll() is None

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._child.process.pid

    @property
    def log(self) -> str:
        """What it wrote to stderr."""
        return self._child.log

    @property
    def too_large(self) -> bool:
        """Whether it was ended for holding more memory than it may."""
        return self._child.too_large

    @property
    def exit_code(self) -> int | None:
        """Negative: the signal that ended it; a process that has just closed its output is given a moment to end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.process.wait(timeout=_DRAIN_S)
        return self._child.process.returncode

    def send(self, message: Request | Control) -> None:
        """Hand over a request, of which `answers` tells what comes, or steer the stage under way."""
        self._child.send(_ENCODER.encode(message))

    def ask(self, request: Request, *, deadline_s: float) -> Generator[WorkerEvent | None, None, None]:
        """`send` and `answers` in one."""
        self.send(request)
        yield from self.answers(deadline_s=deadline_s)

    def answers(self, *, deadline_s: float) -> Generator[WorkerEvent | None, None, None]:
        """Events of the request sent until it is answered or the worker ends; None now and then, if nothing comes.

        `deadline_s` is a monotonic time, which each event puts off where it is near; what the worker waits for a core
        until then is added: what comes of a request is not to depend on what else the machine does.
        Raises WorkerHung or Cancelled; what had been sent until then was yielded.
        """
        waited_s = waited_for_core_s(self.pid)
        while True:
            trouble = self._trouble(deadline_s, waited_s)
            if trouble is not None:
                yield from self._end_now(trouble)
                raise trouble
            try:
                line = self._child.next_line(_SLICE_S)
            except TimeoutError:
                yield None
                continue
            if line is None:
                self._gone = True
                return
            event = worker_event_of(line)
            if event is None:
                continue
            if isinstance(event, Answered):
                return
            deadline_s = max(deadline_s, time.monotonic() + _SPOKE_S)
            yield event

    def end(self) -> None:
        """Let it end by itself where it still runs, or kill it; nothing is left afterwards."""
        if self.alive:
            self.send(End())
            for _ in self._remaining(time.monotonic() + _END_S):
                pass  # nobody waits for what it still says
        self.close()

    def close(self) -> None:
        """Kill whatever is left of it."""
        self._gone = True
        self._child.close()

    def _trouble(self, deadline_s: float, waited_s: float) -> Exception | None:
        if self._cancelled.is_set():
            return Cancelled()
        late_s = time.monotonic() - deadline_s
        if late_s > 0 and late_s > min(_CORE_WAITS_S, waited_for_core_s(self.pid) - waited_s):
            return WorkerHung()
        return None

    def _end_now(self, trouble: Exception) -> Generator[WorkerEvent, None, None]:
        """Stop it at once, then hand on what was still in the pipe."""
        self._child.process.terminate() if isinstance(trouble, Cancelled) else self._child.process.kill()
        yield from self._remaining(time.monotonic() + _DRAIN_S)
        self._gone = True
        self._child.cancel(grace_s=_DRAIN_S)

    def _remaining(self, deadline_s: float) -> Generator[WorkerEvent, None, None]:
        while (left_s := deadline_s - time.monotonic()) > 0.0:
            try:
                line = self._child.next_line(left_s)
            except TimeoutError:
                return
            if line is None:
                return
            event = worker_event_of(line)
            if event is not None:
                yield event


def scrubbed_environment(environment: Mapping[str, str], *, visible: str | None) -> dict[str, str]:
    """The worker's environment: no secrets, the chosen GPU only, no network."""
    kept = scrubbing.scrubbed_environment(environment)
    if visible is not None:
        kept["CUDA_VISIBLE_DEVICES"] = visible
    kept |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    return kept | {"PYTHONUNBUFFERED": "1", "TRANSFORMERS_VERBOSITY": "error"}


def failure_of(error: Exception | None, session: WorkerSession) -> tuple[str, Arguments]:
    """(how, numbers) a worker ended without answering: the sentences `measure-worker-…` and `trace-worker-…`."""
    if isinstance(error, WorkerHung):
        return "hung", {}
    if session.too_large:
        return "too-large", {}
    code = session.exit_code
    killed = -9
    if code == killed:
        return "killed", {}
    return "died", {"code": "?" if code is None else code}
