"""Feeds the live plots: the sampler's readings at rest, the job's own readings while it measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from advisor.core.sentences import Reason
from advisor.hardware.machine import Reading

if TYPE_CHECKING:
    from advisor.gui.models.readings import ReadingsBuffer
    from advisor.hardware.monitor import Monitor

REST_INTERVAL_S = 1.0


def real_monitor(interval_s: float) -> Monitor:
    """The sampler process of this machine."""
    from advisor.hardware.monitor import Monitor

    return Monitor(interval_s)


class MonitorFeed(QObject):
    """Owns the monitor and the buffer; drains on a timer in the window's thread."""

    arrived = Signal()
    problem_changed = Signal()

    def __init__(self, source: Callable[[float], Monitor] = real_monitor, parent: QObject | None = None) -> None:
        """`source` makes a monitor for an interval in seconds."""
        super().__init__(parent)
        self._source = source
        self._monitor: Monitor | None = None
        self.buffer: ReadingsBuffer | None = None
        self.problem: Reason | None = None
        self._job_feeds = False
        self._hidden = False
        self._timer = QTimer(self, interval=int(REST_INTERVAL_S * 1000))
        self._timer.timeout.connect(self.drain)

    def prepare(self) -> ReadingsBuffer:
        """Make the buffer; imports numpy, so not before the first paint."""
        if self.buffer is None:
            from advisor.gui.models.readings import ReadingsBuffer

            self.buffer = ReadingsBuffer()
        return self.buffer

    def start(self) -> None:
        """Begin to watch the machine."""
        self.prepare()
        if self._monitor is None:
            self._monitor = self._source(REST_INTERVAL_S).__enter__()
        self._pace()

    def stop(self) -> None:
        """End the sampler."""
        self._timer.stop()
        monitor, self._monitor = self._monitor, None
        if monitor is not None:
            monitor.__exit__(None, None, None)

    def _pace(self) -> None:
        """Pause while nobody looks or while a job sends its own readings: two samplers would disturb it."""
        if self._monitor is None:
            return
        paused = self._hidden or self._job_feeds
        self._monitor.set_interval(None if paused else REST_INTERVAL_S)
        if paused:
            self._timer.stop()
        else:
            self._timer.start()

    def set_hidden(self, *, hidden: bool) -> None:
        """The window was minimised or came back."""
        self._hidden = hidden
        self._pace()

    def job_feeds(self, *, feeding: bool) -> None:
        """A job begins or ends to send readings of its own."""
        if feeding != self._job_feeds:
            self._job_feeds = feeding
            self._pace()

    def take(self, readings: Iterable[Reading]) -> None:
        """Readings that came by the job."""
        self.prepare().add(readings)
        self.arrived.emit()

    def drain(self) -> None:
        """Move what the monitor has into the buffer."""
        if self._monitor is None:
            return
        readings = self._monitor.readings()
        problem = self._monitor.problem
        if problem != self.problem:
            self.problem = problem
            self.problem_changed.emit()
        if readings:
            self.take(readings)
