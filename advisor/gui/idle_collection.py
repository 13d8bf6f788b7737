"""Keeps Python's full garbage collections, a tenth of a second each, out of the moments when something moves."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

_CHECK_MS = 5_000
_ROUNDS_BETWEEN = 12
"""At least a minute lies between two full collections."""
_NEVER = 1_000_000
_going_on: list[IdleCollection] = []
"""One for each window that is open: the threshold is the process's, so the last one gives it back."""
_usual = [*gc.get_threshold()]
"""Python's own threshold, as the first of them found it."""


class IdleCollection(QObject):
    """Young garbage is collected as always; the old one at most once a minute, while nothing moves.

    A full collection looks at every object there is: with an advice of a thousand predictions it stops the event
    loop, and the thread that relays a measurement, for 150 ms.
    """

    def __init__(self, busy: Callable[[], bool], parent: QObject) -> None:
        """`busy` says whether a pause would be noticed now."""
        super().__init__(parent)
        self._busy = busy
        self._rounds = 0
        if not _going_on:
            _usual[:] = gc.get_threshold()
        _going_on.append(self)
        gc.set_threshold(_usual[0], _usual[1], _NEVER)
        self._timer = QTimer(self)
        self._timer.setInterval(_CHECK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        if self._busy():
            self._rounds = 0
            return
        self._rounds += 1
        if self._rounds >= _ROUNDS_BETWEEN and gc.get_count()[-1] >= _usual[-1]:
            self._rounds = 0
            gc.collect()

    def end(self) -> None:
        """Collect by itself again, as Python does, once the last window is closed."""
        self._timer.stop()
        if self in _going_on:
            _going_on.remove(self)
            if not _going_on:
                gc.set_threshold(*_usual)
