"""Process trees, pipes, memory and owners on Windows."""

from __future__ import annotations

import contextlib
import getpass
import os
import signal
import subprocess
import sys
from typing import IO, TypedDict

assert sys.platform == "win32"  # tells the type checker which system this file is for

_KILL_DEADLINE_S = 5.0
_PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
_ERROR_ACCESS_DENIED = 5
_STILL_ACTIVE = 259
_NTSTATUS_ERROR = 0x80000000
"""Set in the exit code of a process that an access violation or another process ended (0xC0000005…)."""


class GroupSettings(TypedDict):
    """What `subprocess.Popen` is told: a process group of its own, and no console window."""

    creationflags: int


GROUP_SETTINGS: GroupSettings = {
    "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW,
}


def ask_group(process: subprocess.Popen[bytes]) -> None:
    """Ask a child that was started with `GROUP_SETTINGS` to stop: a break event, the only one such a group gets."""
    if process.poll() is None:
        with contextlib.suppress(OSError, ValueError):
            process.send_signal(signal.CTRL_BREAK_EVENT)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a child and all that it started."""
    if process.poll() is None:
        folder = os.environ.get("SYSTEMROOT", r"C:\Windows")
        command = [rf"{folder}\System32\taskkill.exe", "/T", "/F", "/PID", str(process.pid)]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=_KILL_DEADLINE_S, check=False)
        process.kill()


def process_exists(pid: int) -> bool:
    """Whether a process of this number runs (`os.kill` cannot ask here: its signal 0 is Ctrl+C)."""
    import ctypes

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(_PROCESS_QUERY_LIMITED_INFORMATION, 0, pid)
    if not handle:
        return ctypes.get_last_error() == _ERROR_ACCESS_DENIED
    code = ctypes.c_ulong()
    answered = kernel.GetExitCodeProcess(ctypes.c_void_p(handle), ctypes.byref(code))
    kernel.CloseHandle(ctypes.c_void_p(handle))
    return bool(answered) and code.value == _STILL_ACTIVE


def was_killed(exit_code: int) -> bool:
    """Whether an exit code says that the process was ended from outside or by a fault."""
    return exit_code >= _NTSTATUS_ERROR


def die_with_parent(parent_pid: int) -> None:
    """Nothing: a child here ends when its standard input does."""
    del parent_pid


def write_within(stream: IO[bytes], data: bytes, deadline_s: float) -> None:
    """Write all of `data` into a pipe; there is no deadline on pipes here, the kernel buffers small requests."""
    del deadline_s
    stream.write(data)
    stream.flush()


def user_name() -> str:
    """Who runs this process, as a word that no other user of the machine has."""
    return getpass.getuser()


def is_owned_by_us(status: os.stat_result) -> bool:
    """Folders below a user's own temporary folder are that user's: file status names no owner here."""
    del status
    return True


def affinity_core_count() -> int | None:
    """Unknown: the standard library does not tell it here."""
    return None


def lifetime_peak_bytes() -> int | None:
    """Unknown: the standard library does not tell it here."""
    return None


def system_cpu_s() -> float | None:
    """Processor time that the system has spent for this process so far."""
    return os.times().system
