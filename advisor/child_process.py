"""Starts a child, reads its JSON lines with a deadline, and ends it with its whole group: used for both children."""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from typing import IO, TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

ExitKind = Literal["finished", "cancelled", "failed", "died"]

MAX_LINE_BYTES = 64 * 1024 * 1024
_LOG_LINES = 2000
_GRACE_S = 1.5


def _die_with_parent() -> None:
    """Ask Linux to kill this child when its parent dies, so that no SIGKILL orphans a worker."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)


class ChildProcess:
    """A child in its own process group that answers in JSON lines on stdout.

    Lines come through `next_line`; stderr is kept as a log of the last 2000 lines. `cancel` asks, waits
    1.5 s and kills the group. Nothing of the group is left after `close`.
    """

    def __init__(self, module: str, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        """Start `python -P -m module` (`-P`: a user's json.py must not shadow the standard one)."""
        self._lines: queue.Queue[bytes | None] = queue.Queue(maxsize=10_000)
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._cancelled = False
        env = dict(os.environ if environment is None else environment)
        env["PYTHONPATH"] = os.pathsep.join(part for part in (_own_root(), env.get("PYTHONPATH", "")) if part)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 - prctl only
        )
        self._threads = [
            threading.Thread(target=self._read_stdout, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def send(self, line: bytes) -> None:
        """Write one line to the child; a child that is gone is noticed by `next_line`, not here."""
        with contextlib.suppress(BrokenPipeError, OSError):
            stream = _stream(self.process.stdin)
            stream.write(line + b"\n")
            stream.flush()

    def next_line(self, timeout_s: float) -> bytes | None:
        """The next line, or None when the child closed its output. Raises TimeoutError at the deadline."""
        try:
            line = self._lines.get(timeout=max(0.0, timeout_s))
        except queue.Empty:
            message = f"no answer within {timeout_s:.1f} s"
            raise TimeoutError(message) from None
        if line is None:
            self._lines.put(None)
        return line

    def cancel(self, grace_s: float = _GRACE_S) -> None:
        """Ask the child to stop (SIGTERM to its group), wait `grace_s`, then kill the group."""
        self._cancelled = True
        self._signal_group(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=grace_s)
        self.close()

    def close(self) -> None:
        """Kill whatever is left of the group, and reap the child."""
        self._signal_group(getattr(signal, "SIGKILL", signal.SIGTERM))
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5.0)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                _stream(stream).close()

    @property
    def log(self) -> str:
        """The last lines of the child's stderr, where a user's `print` ends up too."""
        return "\n".join(self._log)

    def exit_kind(self, *, saw_finish: bool) -> ExitKind:
        """How the child ended; call after its output closed. `saw_finish`: its last line said so."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=2.0)
        if self._cancelled:
            return "cancelled"
        if saw_finish:
            return "finished"
        code = self.process.returncode
        return "died" if code is None or code < 0 else "failed"

    def _signal_group(self, number: int) -> None:
        if sys.platform == "win32":
            self.process.terminate()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def _read_stdout(self) -> None:
        stream = _stream(self.process.stdout)
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(MAX_LINE_BYTES):
                self._lines.put(line)
        self._lines.put(None)

    def _read_stderr(self) -> None:
        stream = _stream(self.process.stderr)
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(65536):
                self._log.append(line.decode("utf-8", "replace").rstrip())


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        message = "the child was started without this pipe"
        raise ValueError(message)
    return stream


def _own_root() -> str:
    """Folder that holds the package, so that the child finds the same advisor from any working folder."""
    from pathlib import Path

    return str(Path(__file__).resolve().parent.parent)


def claim_stdout() -> IO[bytes]:
    """In the child, before any other import: take fd 1 for events and point every `print` at stderr."""
    events = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return events


def wait_until(deadline_s: float) -> float:
    """Seconds left until a monotonic deadline, never negative."""
    return max(0.0, deadline_s - time.monotonic())
