"""The worker's two slots: events go out at once, controls for the stage under way come in."""

from __future__ import annotations

import itertools
import queue
import threading
from typing import IO

import msgspec

from advisor.protocol.messages import Control, End, Pause, Request, Stop, Warm, WorkerEvent

_DECODER: msgspec.json.Decoder[Request | Control] = msgspec.json.Decoder(Request | Control)
_ENCODER = msgspec.json.Encoder()


class EventBox:
    """Sends events line by line, and sorts what arrives into requests and controls.

    A daemon thread reads the input, so that a control is seen between two blocks without a system call; it sleeps
    in `readline` and takes no time from a measurement.
    """

    def __init__(self, events: IO[bytes], requests: IO[bytes]) -> None:
        """Write to `events` (unbuffered), read lines from `requests`."""
        self._events = events
        self._requests = requests
        self.stage_numbers = itertools.count()
        self._lock = threading.Lock()
        self._waiting: queue.Queue[Request | msgspec.MsgspecError | None] = queue.Queue()
        self._controls: queue.Queue[Control] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, event: WorkerEvent) -> None:
        """Write one event; when it returns, the line is in the pipe and survives this process."""
        line = _ENCODER.encode(event) + b"\n"
        with self._lock:
            view = memoryview(line)
            while view:
                view = view[self._events.write(view) :]

    def next_request(self) -> Request | None:
        """The next request; None at the end. Raises msgspec.MsgspecError for a line that is none."""
        item = self._waiting.get()
        if isinstance(item, msgspec.MsgspecError):
            raise item
        return item

    def controls(self, wait_s: float = 0.0) -> list[Control]:
        """What came in since the last look; waits up to `wait_s` for the first."""
        given: list[Control] = []
        try:
            given.append(self._controls.get(timeout=wait_s) if wait_s > 0.0 else self._controls.get_nowait())
            while True:
                given.append(self._controls.get_nowait())
        except queue.Empty:
            return given

    def _read(self) -> None:
        for line in self._requests:
            if not line.strip():
                continue
            try:
                message = _DECODER.decode(line)
            except msgspec.MsgspecError as error:
                self._waiting.put(error)
                continue
            if isinstance(message, End):
                break
            if isinstance(message, Warm | Stop | Pause):
                self._controls.put(message)
            else:
                self._waiting.put(message)
        self._waiting.put(None)
