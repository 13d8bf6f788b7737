"""Readings at a steady pace from a sampler that may hang or die: it is restarted, and the host's go on meanwhile."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Self

import msgspec

from advisor.core.child_process import ChildProcess
from advisor.core.sentences import Reason
from advisor.hardware.detect import SAMPLER, SAMPLER_LIMIT_BYTES
from advisor.hardware.machine import Reading
from advisor.hardware.sampler_messages import DriverState, Event, Observe, Read, sampler_event_of

_START_DEADLINE_S = 10.0
_POLL_DEADLINE_S = 2.0
_FIRST_BACK_OFF_S = 5.0
_LONGEST_BACK_OFF_S = 60.0
_STEADY_AFTER_S = 60.0
_SLICE_S = 0.1
_PAUSED_S = 2.0
"""How often is looked whether a paused sampler still lives; looking as ever is most of what a hidden window costs."""
_MOST_KEPT = 20_000
_STOPPED = Reason.of("readings-stopped")


class Monitor:
    """Readings of every device from the moment it is entered until it is left.

    One thread of ours starts, watches and restarts the sampler. A poll that misses 2 s (10 s at the start)
    means that the driver does not respond: the sampler is killed, one that asks no driver takes over so that
    the host's readings go on (`driver_responding` False), and the driver is tried again after 5 to 60 s.
    Where no driver is asked, none is to blame: a machine that is too busy for a reading is given 10 s.
    """

    def __init__(self, interval_s: float = 0.1) -> None:
        """Readings every `interval_s` (0.01 to 3600 s). Nothing is started yet."""
        self._interval_s: float | None = interval_s
        self._readings: deque[Reading] = deque(maxlen=_MOST_KEPT)
        self._problem: Reason | None = None
        self._stop = threading.Event()
        self._told = threading.Event()
        """Another pace, or the end: no pause lasts longer."""
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None
        self._thread: threading.Thread | None = None
        self._ask_driver = True
        self._driver_up = self._in_driver = False
        self._asked_s = self._silent_after_s = 0.0

    def __enter__(self) -> Self:
        """Start; the first reading comes as soon as the sampler is up."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._supervise, name="monitor", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the sampler; no thread, child or descriptor is left."""
        self._stop.set()
        self._told.set()
        if self._thread is not None:
            self._thread.join()
        self._thread = None

    def readings(self) -> list[Reading]:
        """Every reading since the last call, oldest first (at most the last 20,000); never blocks."""
        drained: list[Reading] = []
        while self._readings:
            drained.append(self._readings.popleft())
        return drained

    def set_interval(self, interval_s: float | None) -> None:
        """Another pace from now on; None pauses, and after 30 s of pause the driver is let go."""
        self._interval_s = interval_s
        with self._lock:
            self._ask()
        self._told.set()

    @property
    def problem(self) -> Reason | None:
        """Why the GPUs cannot be read now, as a notice with its remedy; None: they can, or nothing was tried yet."""
        return self._problem

    @property
    def sampler_pid(self) -> int | None:
        """Process number of the sampler that runs now."""
        child = self._child
        return None if child is None else child.process.pid

    def _supervise(self) -> None:
        back_off_s = _FIRST_BACK_OFF_S
        while not self._stop.is_set():
            began_s = time.monotonic()
            self._problem = self._watch(ask_driver=True, until_s=None) or self._problem
            if self._stop.is_set():
                return
            if time.monotonic() - began_s > _STEADY_AFTER_S:
                back_off_s = _FIRST_BACK_OFF_S
            retry_s = time.monotonic() + back_off_s
            self._watch(ask_driver=False, until_s=retry_s)
            self._stop.wait(max(0.0, retry_s - time.monotonic()))  # even the host's sampler may have died
            back_off_s = min(_LONGEST_BACK_OFF_S, 2 * back_off_s)

    def _watch(self, *, ask_driver: bool, until_s: float | None) -> Reason | None:
        """Run one sampler until it fails (the reason why), `until_s` has come or the monitor is left (None)."""
        child = ChildProcess(SAMPLER, memory_limit_bytes=SAMPLER_LIMIT_BYTES)
        with self._lock:
            self._child, self._ask_driver, self._driver_up = child, ask_driver, False
            self._in_driver = False  # asked only after a first reading, which it announces
            self._ask()
        self._silent_after_s = time.monotonic() + _START_DEADLINE_S
        try:
            while not self._stop.is_set() and (until_s is None or time.monotonic() < until_s):
                if self._interval_s is None:
                    self._told.wait(_PAUSED_S)
                    self._told.clear()
                try:
                    line = child.next_line(_SLICE_S)
                except TimeoutError:
                    if self._overdue():
                        return self._fail("driver-not-responding")
                    continue
                if line is None:
                    return self._fail("driver-crashed")
                event = sampler_event_of(line)
                if event is None:
                    return self._fail("driver-crashed")
                self._take(event, ask_driver=ask_driver)
            return None
        finally:
            with self._lock:
                self._child = None
            child.close()

    def _take(self, event: Event, *, ask_driver: bool) -> None:
        if isinstance(event, Read):
            self._readings.append(event.reading)
            patience_s = _POLL_DEADLINE_S if self._in_driver else _START_DEADLINE_S
            self._silent_after_s = event.reading.monotonic_s + (self._interval_s or 0.0) + patience_s
            if self._driver_up or self._problem == _STOPPED:
                self._problem = None
        elif isinstance(event, DriverState) and ask_driver:
            # A driver that has come up is believed only when it has answered a whole poll.
            patience_s = _START_DEADLINE_S if event.opening else _POLL_DEADLINE_S
            self._silent_after_s = time.monotonic() + (self._interval_s or 0.0) + patience_s
            self._driver_up = event.problem is None and not event.opening
            self._in_driver = event.problem is None or event.opening
            self._problem = event.problem or self._problem

    def _overdue(self) -> bool:
        """Whether the next reading should have come 2 s ago; a paused sampler owes none."""
        interval_s = self._interval_s
        if interval_s is None:
            return False
        return time.monotonic() > max(self._silent_after_s, self._asked_s + interval_s + _POLL_DEADLINE_S)

    def _fail(self, code: str) -> Reason:
        # Said at once: ending a child that is stuck in the driver may take seconds.
        self._problem = Reason.of(code) if self._in_driver else _STOPPED
        return self._problem

    def _ask(self) -> None:
        """Tell the sampler the pace; `_lock` is held."""
        if self._child is not None:
            request = Observe(interval_s=self._interval_s, ask_driver=self._ask_driver)
            self._child.send(msgspec.json.encode(request))
            self._asked_s = time.monotonic()
