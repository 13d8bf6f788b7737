"""Starts a child, reads its JSON lines with a deadline, and ends it with its whole group: used for both children."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import IO, Literal

from advisor.core.memory_watch import allowance_bytes, resident_bytes_of
from advisor.core.system import this_system

ExitKind = Literal["finished", "cancelled", "failed", "died"]

MAX_LINE_BYTES = 64 * 1024 * 1024
_LOG_LINES = 2000
_GRACE_S = 1.5
_SEND_DEADLINE_S = 5.0
_JOIN_S = 1.0
_WATCH_S = 0.1
"""How often the memory of a silent child is looked at."""
_LAST_WORDS_S = 1.0
"""Within which what a dead child had written is read, also where others use the processor."""
_PARENT_VARIABLE = "ADVISOR_PARENT_PID"


class ChildProcess:
    """A child in its own process group that answers in JSON lines on stdout.

    Lines come through `next_line`; stderr is kept as a log of the last 2000 lines. `cancel` asks, waits
    1.5 s and kills the group. Nothing of the group, no thread and no descriptor is left after `close`.
    Linux kills the child when the thread that started it ends: start it from the thread that uses it.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        memory_limit_bytes: int | None = None,
    ) -> None:
        """Start `python -P -m module` (`-P`: a user's json.py must not shadow the standard one).

        Whoever waits for its lines ends it once it holds more than `memory_limit_bytes` (default: what is available).
        """
        self._memory_limit_bytes = allowance_bytes() if memory_limit_bytes is None else memory_limit_bytes
        self.too_large = False
        """It held more memory than it may and was ended."""
        self._lines: queue.Queue[bytes | None] = queue.Queue(maxsize=10_000)
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._died_s: float | None = None
        """Monotonic time at which it was first seen dead with nothing left to read."""
        self._cancelled = False
        self._closed = threading.Event()
        self._sending = threading.Lock()
        env = dict(os.environ if environment is None else environment)
        env["PYTHONPATH"] = os.pathsep.join(part for part in (_checkout(), env.get("PYTHONPATH", "")) if part)
        env["PYTHONIOENCODING"] = "utf-8"
        env[_PARENT_VARIABLE] = str(os.getpid())
        # No preexec_fn: running Python between fork and exec can deadlock in a process that has threads.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            **this_system.GROUP_SETTINGS,
        )
        self._threads = [
            threading.Thread(target=self._read_stdout, name=f"{module} stdout", daemon=True),
            threading.Thread(target=self._read_stderr, name=f"{module} stderr", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def send(self, line: bytes) -> None:
        """Write one line to the child; a child that is gone or does not read is noticed by `next_line`, not here."""
        with self._sending, contextlib.suppress(OSError, ValueError):
            this_system.write_within(_stream(self.process.stdin), line + b"\n", _SEND_DEADLINE_S)

    def next_line(self, timeout_s: float) -> bytes | None:
        """The next line, or None when the child closed its output or died. Raises TimeoutError at the deadline.

        What a dead child had started may hold its output open: it is not waited for, but for what was in the pipe.
        """
        end_s = time.monotonic() + max(0.0, timeout_s)
        while True:
            self._end_if_too_large()
            try:
                line = self._lines.get(timeout=min(wait_until(end_s), _WATCH_S))
                break
            except queue.Empty:
                if self._died_a_moment_ago():
                    line = None
                    break
                if wait_until(end_s) > 0:
                    continue
                message = f"no answer within {timeout_s:.1f} s"
                raise TimeoutError(message) from None
        if line is None:
            self._put(None)
        return line

    def _died_a_moment_ago(self) -> bool:
        if self.process.poll() is None:
            return False
        now_s = time.monotonic()
        self._died_s = now_s if self._died_s is None else self._died_s
        return now_s - self._died_s >= _LAST_WORDS_S

    def _end_if_too_large(self) -> None:
        """End the group of a child that eats the machine's memory; then its output closes, as at any death."""
        limit = self._memory_limit_bytes
        if limit is None or self.too_large or self.process.returncode is not None:
            return
        held = resident_bytes_of(self.process.pid)
        if held is not None and held > limit:
            self.too_large = True
            self._log.append(f"ended: it held {held / 2**30:.1f} GiB of memory; {limit / 2**30:.1f} GiB are allowed")
            this_system.kill_group(self.process)

    def cancel(self, grace_s: float = _GRACE_S) -> None:
        """Ask the child to stop (SIGTERM to its group), wait `grace_s`, then kill the group."""
        self._cancelled = True
        this_system.ask_group(self.process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=grace_s)
        self.close()

    def close(self) -> None:
        """Kill whatever is left of the group, reap the child, end its threads and close its pipes."""
        self._closed.set()
        this_system.kill_group(self.process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5.0)
        with contextlib.suppress(OSError):
            _stream(self.process.stdin).close()
        for thread, stream in zip(self._threads, (self.process.stdout, self.process.stderr), strict=True):
            thread.join(timeout=_JOIN_S)
            # A grandchild that left the group may still hold the pipe: closing under its reader would block.
            if not thread.is_alive():
                with contextlib.suppress(OSError):
                    _stream(stream).close()

    @property
    def log(self) -> str:
        """The last lines of the child's stderr, where a user's `print` ends up too."""
        return "\n".join(self._log.copy())

    def exit_kind(self, *, saw_finish: bool) -> ExitKind:
        """How the child ended; call after its output closed. `saw_finish`: its last line said so."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=2.0)
        if self._cancelled:
            return "cancelled"
        if saw_finish:
            return "finished"
        code = self.process.returncode
        return "died" if code is None or this_system.was_killed(code) else "failed"

    def _read_stdout(self) -> None:
        stream = _stream(self.process.stdout)
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(MAX_LINE_BYTES):
                if not line.endswith(b"\n"):
                    # Cut off by the child's death or longer than any answer of ours: no message.
                    self._log.append(f"unfinished line of {len(line)} bytes dropped")
                    break
                self._put(line)
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=0.1)
                return
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(line)

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


def _checkout() -> str:
    """Folder of a checkout, so that the child finds the same advisor from any working folder.

    Empty when installed: all of site-packages in PYTHONPATH would go before the standard library.
    """
    root = Path(str(files("advisor"))).parent
    return "" if root.name in ("site-packages", "dist-packages") else str(root)


def claim_stdout() -> IO[bytes]:
    """In the child, before any other import: take fd 1 for events and point every `print` at stderr."""
    events = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    follow_parent()
    return events


def follow_parent() -> None:
    """In the child: die with the process that started it, so that a SIGKILL of that one orphans nothing."""
    parent = os.environ.get(_PARENT_VARIABLE, "")
    if parent.isdigit():
        this_system.die_with_parent(int(parent))


def wait_until(deadline_s: float) -> float:
    """Seconds left until a monotonic deadline, never negative."""
    return max(0.0, deadline_s - time.monotonic())
