"""Makes Linux look like Windows to the program: what POSIX alone has is not there for modules of `advisor`.

Python starts this by itself when its folder is on PYTHONPATH, in every child too. The standard library and other
packages keep what they need: a name is hidden by who asks for it. `advisor.core.system` then takes its own Windows
module, for which the few constants and calls of Windows that it names are stood in for here.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import select
import signal
import subprocess
import sys
import types
from collections.abc import Mapping
from typing import Any

_OF_OS = """
killpg getpgid getpgrp setsid setpgid fork forkpty getuid geteuid getgid getegid set_blocking get_blocking
sched_getaffinity sched_setaffinity uname getloadavg fchmod chown fchown mkfifo statvfs openpty nice WNOHANG
WIFSIGNALED wait wait4 O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK ctermid getpriority
"""
_OF_SIGNAL = """
SIGKILL SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGALRM SIGCHLD SIGPIPE SIGSTOP SIGCONT SIGTSTP alarm setitimer pthread_kill
pthread_sigmask sigwait siginterrupt
"""
_OF_SELECT = "poll epoll POLLIN POLLOUT POLLHUP POLLERR devpoll kqueue"
HIDDEN: dict[types.ModuleType, frozenset[str]] = {
    os: frozenset(_OF_OS.split()),
    signal: frozenset(_OF_SIGNAL.split()),
    select: frozenset(_OF_SELECT.split()),
}
MISSING = frozenset(("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "posix", "crypt"))
_OWN = "advisor"
_frame = sys._getframe


def _asked_by_us(depth: int) -> bool:
    name = str(_frame(depth).f_globals.get("__name__", ""))
    return name == _OWN or name.startswith(f"{_OWN}.")


def _poor(module: types.ModuleType, hidden: frozenset[str], given: Mapping[str, object]) -> None:
    """Hide names of a module from ours, and give ours those that Windows has; nobody else sees a difference."""

    class Poor(types.ModuleType):
        def __getattribute__(self, name: str) -> Any:
            if self is module and (name in hidden or name in given) and _asked_by_us(2):
                if name in given:
                    return given[name]
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return super().__getattribute__(name)

    module.__class__ = Poor


class _Windows(types.ModuleType):
    """`sys`, with the platform that our modules are to see."""

    def __getattribute__(self, name: str) -> Any:
        # Others take type(sys) for the plain type of modules: their modules are left alone.
        if name == "platform" and self is sys and _asked_by_us(2):
            return "win32"
        return super().__getattribute__(name)


_import = builtins.__import__


def _poor_import(
    name: str,
    globals: Mapping[str, object] | None = None,  # noqa: A002 - the name that Python gives it
    locals: Mapping[str, object] | None = None,  # noqa: A002 - the same
    fromlist: Any = (),
    level: int = 0,
) -> types.ModuleType:
    asker = str((globals or {}).get("__name__", ""))
    if name.split(".", maxsplit=1)[0] in MISSING and level == 0 and (asker == _OWN or asker.startswith(f"{_OWN}.")):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _import(name, globals, locals, fromlist, level)


class _Kernel32:
    """Of kernel32.dll the three calls that ask whether a process runs."""

    class _Open:
        restype: object = None

        def __call__(self, _access: int, _inherit: int, pid: int) -> int:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return 0
            except OSError:
                return pid
            return pid

    def __init__(self, _name: str, *, use_last_error: bool = False) -> None:
        del use_last_error
        self.OpenProcess = self._Open()

    def GetExitCodeProcess(self, _handle: object, code: Any) -> int:  # noqa: N802 - Windows' own name
        code._obj.value = 259
        return 1

    def CloseHandle(self, _handle: object) -> int:  # noqa: N802 - the same
        return 1


if os.environ.get("ADVISOR_POOR_SYSTEM"):
    # Zero: the flags mean something to Windows only, and Popen refuses others here.
    _GIVEN: dict[types.ModuleType, dict[str, object]] = {
        subprocess: {"CREATE_NEW_PROCESS_GROUP": 0, "CREATE_NO_WINDOW": 0},
        signal: {"CTRL_BREAK_EVENT": signal.SIGTERM},
        ctypes: {"WinDLL": _Kernel32, "get_last_error": lambda: 0},
    }
    for _module in {**HIDDEN, **_GIVEN}:
        _poor(_module, HIDDEN.get(_module, frozenset()), _GIVEN.get(_module, {}))
    builtins.__import__ = _poor_import
    sys.__class__ = _Windows
