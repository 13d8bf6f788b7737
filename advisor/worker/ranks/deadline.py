"""A deadline on every phase of a rank: a collective that hangs in a library cannot be interrupted, only left."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator

DEADLINE_EXIT_CODE = 7


class PhaseDeadline:
    """Ends this process when a phase takes longer than it may; what was found is in the rank's file already."""

    def __init__(self, on_expiry: Callable[[str], None]) -> None:
        """`on_expiry(phase)` is called before the process ends."""
        self._on_expiry = on_expiry
        self._lock = threading.Lock()
        self._phase = ""
        self._end_s: float | None = None
        self._wake = threading.Event()
        threading.Thread(target=self._watch, name="phase deadline", daemon=True).start()

    @contextlib.contextmanager
    def phase(self, name: str, limit_s: float) -> Iterator[None]:
        """Code in here may take `limit_s`."""
        with self._lock:
            self._phase, self._end_s = name, time.monotonic() + limit_s
        self._wake.set()
        try:
            yield
        finally:
            with self._lock:
                self._end_s = None

    def _watch(self) -> None:
        while True:
            with self._lock:
                end_s, phase = self._end_s, self._phase
            if end_s is not None and time.monotonic() > end_s:
                with contextlib.suppress(Exception):
                    self._on_expiry(phase)
                os._exit(DEADLINE_EXIT_CODE)
            self._wake.wait(timeout=0.25)
            self._wake.clear()
