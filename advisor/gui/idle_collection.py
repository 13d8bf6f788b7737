"""Collects Python's garbage in the window's own thread, and all of it only in moments when nothing moves."""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

_CHECK_MS = 200
_UNSEEN_MS = 2000
"""Between two looks while nobody sees the window: waking is most of what it costs then."""
_QUIET_MS = 60_000
"""At least so long lies between two full collections, and nothing moved in it."""
_going_on: list[IdleCollection] = []
"""One for each window that is open: garbage is the process's, so the last one gives it back."""


class IdleCollection(QObject):
    """Young garbage is collected as often as by Python itself; the old one at most once a minute, while nothing moves.

    By itself Python collects in whichever thread happens to make an object. In the thread of a job it would delete
    what Qt made in the window's: timers of deleted objects went on there, which ended the program with a crash.
    A full collection looks at every object there is: with an advice of a thousand predictions it stops the event
    loop, and the thread that relays a measurement, for 150 ms.
    """

    def __init__(self, busy: Callable[[], bool], parent: QObject) -> None:
        """`busy` says whether a pause would be noticed now."""
        super().__init__(parent)
        self._busy = busy
        self._quiet_ms = 0
        _going_on.append(self)
        gc.disable()
        self._timer = QTimer(self, interval=_CHECK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        youngest, young, old = (count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True))
        if youngest or young:
            gc.collect(1 if young else 0)
        self._quiet_ms = 0 if self._busy() else self._quiet_ms + self._timer.interval()
        if self._quiet_ms >= _QUIET_MS and old:
            self._quiet_ms = 0
            gc.collect()

    def set_hidden(self, *, hidden: bool) -> None:
        """Look seldom while nobody sees the window: little is made then, and no pause is noticed."""
        self._timer.setInterval(_UNSEEN_MS if hidden else _CHECK_MS)

    def end(self) -> None:
        """Collect by itself again, as Python does, once the last window is closed."""
        self._timer.stop()
        if self in _going_on:
            _going_on.remove(self)
            if not _going_on:
                gc.enable()
