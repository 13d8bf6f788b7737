"""Background work: a QThread runs a generator and keeps its events for the window to fetch at its own pace."""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, QThread, Signal
from shiboken6 import isValid

from advisor.core.drive import drive
from advisor.core.errors import UserFacingError

OutcomeKind = Literal["finished", "cancelled", "problem", "bug"]
_EVENT_LIMIT = 200_000


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How background work ended; `detail` holds a traceback where it is our bug."""

    kind: OutcomeKind
    result: object = None
    error: UserFacingError | None = None
    """What is wrong and what to do, where it failed."""
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether it ended by a fault, of the world's or of ours."""
        return self.kind in {"problem", "bug"}


Job = Callable[[threading.Event], Generator[object, None, object]]
"""Starts work as a generator of events that returns the result and ends soon after the event is set."""


class Stop(threading.Event):
    """Asks work to end; `at_once` where nobody waits for its answer any more."""

    def __init__(self) -> None:
        """Not asked yet."""
        super().__init__()
        self.at_once = False


class JobThread(QThread):
    """Adapts a generator: no work of its own, no signal per event.

    Events wait in a queue until `drain`, so that ten thousand samples cost the window's event loop nothing
    between two frames.
    """

    ended = Signal(object)

    def __init__(self, job: Job, then: Callable[[Outcome], None], askers: tuple[QObject, ...]) -> None:
        """`job` is called in the thread; `then` in that of the maker, unless one of its `askers` is gone by then."""
        super().__init__()
        self._job, self._then, self._askers = job, then, askers
        self._events: deque[object] = deque(maxlen=_EVENT_LIMIT)
        self.cancelled = Stop()
        self.outcome: Outcome | None = None
        """None until it has ended."""
        self.ended.connect(self._finish)  # The thread object lives in its maker's thread, and so does this call.

    def _finish(self, outcome: object) -> None:
        if isinstance(outcome, Outcome) and not self.cancelled.at_once and all(map(isValid, self._askers)):
            self._then(outcome)

    def run(self) -> None:
        """Run the generator to its end; the outcome goes out by `ended`."""
        self.outcome = self._outcome()
        self.ended.emit(self.outcome)

    def _outcome(self) -> Outcome:
        try:
            result = drive(self._job(self.cancelled), self._events.append)
            return Outcome(kind="cancelled" if self.cancelled.is_set() else "finished", result=result)
        except UserFacingError as error:
            return Outcome(kind="problem", error=error)
        except Exception as error:  # noqa: BLE001 - the window stays alive and shows it
            if self.cancelled.is_set():
                return Outcome(kind="cancelled")
            detail = getattr(error, "detail", None)
            if isinstance(detail, str):
                return Outcome(kind="bug", error=UserFacingError(str(error)), detail=detail)
            fault = UserFacingError(": ".join((type(error).__name__, str(error))))
            return Outcome(kind="bug", error=fault, detail=traceback.format_exc())

    def drain(self) -> list[object]:
        """Events since the last call; called from the window's thread, never blocks."""
        drained = []
        while self._events:
            drained.append(self._events.popleft())
        return drained

    def cancel(self) -> None:
        """Ask the work to end; returns at once."""
        self.cancelled.set()


def call_as_job(function: Callable[[], object], *, always: bool = False) -> Job:
    """A plain call as a job without events; `always`: also where it was cancelled before it began."""

    def job(cancelled: threading.Event) -> Generator[object, None, object]:
        if cancelled.is_set() and not always:
            return None
        result = function()
        yield from ()
        return result

    return job


class Crew(QObject):
    """All threads of the window, so that closing can end them within a time limit."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Start empty."""
        super().__init__(parent)
        self._threads: set[JobThread] = set()
        self._closed = False

    def start(self, job: Job, ended: Callable[[Outcome], None], *, owner: QObject | None = None) -> JobThread:
        """Run a job; `ended` is called in the window's thread, unless its `owner` is gone by then.

        Once closed nothing is run: what was queued before the window went may still ask, and nobody would wait.
        """
        thread = JobThread(job, ended, (self,) if owner is None else (self, owner))
        if self._closed:
            return thread
        self._threads.add(thread)
        thread.finished.connect(lambda: self._forget(thread))
        thread.start()
        return thread

    def _forget(self, thread: JobThread) -> None:
        self._threads.discard(thread)
        thread.wait()
        thread.deleteLater()

    def end(self, thread: JobThread, timeout_s: float) -> object:
        """Cancel one job and wait for its result, which nobody else is told; None where none came in the time."""
        thread.cancel()
        ended = thread.wait(int(timeout_s * 1000))
        thread.cancelled.at_once = True
        return thread.outcome.result if ended and thread.outcome is not None else None

    def give_up(self) -> None:
        """Cancel everything, and take nothing more; nobody is told how it ends."""
        self._closed = True
        for thread in self._threads:
            thread.cancelled.at_once = True
            thread.cancel()

    def close(self, timeout_s: float = 1.6) -> bool:
        """Give up everything and wait; False where a thread is still hanging at the end of the time."""
        self.give_up()
        for thread in list(self._threads):
            thread.wait(int(timeout_s * 1000))
        return all(thread.isFinished() for thread in self._threads)
