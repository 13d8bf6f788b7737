"""How long the window's event loop is away at most, less what its threads only waited for a processor (Linux)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from PySide6.QtCore import Qt, QTimer

from tests.waiting import Waits

if TYPE_CHECKING:
    from types import TracebackType

LOOKS_MS = 10


class EventLoopWatch:
    """A timer of 10 ms, and the longest that it had to wait: what a click would have waited."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self.look_count = 0
        self._last_s, self._waits = time.monotonic(), Waits()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(LOOKS_MS)
        self._timer.timeout.connect(self._look)

    def __enter__(self) -> Self:
        self._last_s = time.monotonic()
        self._waits.since_last_s()
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.stop()

    def _look(self) -> None:
        now_s = time.monotonic()
        self.longest_s = max(self.longest_s, now_s - self._last_s - self._waits.since_last_s())
        self.look_count += 1
        self._last_s = now_s
