"""Process groups, pipes, memory and owners on Linux and macOS."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import IO, TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import subprocess

assert sys.platform != "win32"  # tells the type checker which system this file is for

_KIBIBYTE = 1024


class GroupSettings(TypedDict):
    """What `subprocess.Popen` is told, so that a child and all that it starts can be ended together."""

    start_new_session: bool


GROUP_SETTINGS: GroupSettings = {"start_new_session": True}


def ask_group(process: subprocess.Popen[bytes]) -> None:
    """Ask a child that was started with `GROUP_SETTINGS`, and its whole group, to stop."""
    _signal_group(process, signal.SIGTERM)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a child and whatever is left of its group, also where the child itself ended before."""
    _signal_group(process, signal.SIGKILL)


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    if process.returncode is not None and process_exists(process.pid):
        return  # the child was reaped and its number belongs to a stranger now
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def process_exists(pid: int) -> bool:
    """Whether a process of this number runs, ours or another user's."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def was_killed(exit_code: int) -> bool:
    """Whether an exit code says that a signal ended the process."""
    return exit_code < 0


def die_with_parent(parent_pid: int) -> None:
    """Ask Linux to kill this process when its parent dies, so that a SIGKILL of the parent orphans nothing."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)
        if not process_exists(parent_pid):  # it died before the request was made
            os._exit(1)


def write_within(stream: IO[bytes], data: bytes, deadline_s: float) -> None:
    """Write all of `data` into a pipe, giving up after `deadline_s` on a child that does not read."""
    import select

    descriptor = stream.fileno()
    os.set_blocking(descriptor, False)
    end_s = time.monotonic() + deadline_s
    view = memoryview(data)
    while view and (left_s := end_s - time.monotonic()) > 0:
        poller = select.poll()
        poller.register(descriptor, select.POLLOUT)
        poller.poll(left_s * 1e3)
        with contextlib.suppress(BlockingIOError):
            view = view[os.write(descriptor, view) :]


def user_name() -> str:
    """Who runs this process, as a word that no other user of the machine has."""
    return str(os.getuid())


def is_owned_by_us(status: os.stat_result) -> bool:
    """Whether a file's status names this process's user as its owner."""
    return status.st_uid == os.getuid()


def affinity_core_count() -> int | None:
    """Logical cores that this process may run on; None: macOS does not tell."""
    if sys.platform == "darwin":
        return None
    else:  # noqa: RET505 - as an else branch, it is left out where the type checker looks at macOS
        return len(os.sched_getaffinity(0))


def lifetime_peak_bytes() -> int | None:
    """Highest resident set of this process since its start."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * _KIBIBYTE


def system_cpu_s() -> float | None:
    """Processor time that the system has spent for this process so far."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_stime
