"""From a rank's first moment on: SIGTERM means that a peer was lost, and this process dies with torchrun."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Mapping
from functools import cache


def under_torchrun(environment: Mapping[str, str] | None = None) -> bool:
    """Whether this process was started as one rank of several."""
    env = os.environ if environment is None else environment
    return env.get("RANK", "").isdigit() and env.get("WORLD_SIZE", "").isdigit() and int(env["WORLD_SIZE"]) > 1


@cache
def peer_lost() -> threading.Event:
    """The event that torchrun's SIGTERM sets, which would otherwise end this process before it could report.

    Call it in the main thread as early as possible; later calls give the same event. On Linux the kernel is asked
    to kill this process when torchrun dies, since a SIGKILL of torchrun would leave its ranks running.
    """
    lost = threading.Event()
    if sys.platform == "linux":
        import ctypes

        parent = os.getppid()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the request was made
            os._exit(1)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: lost.set())
    return lost
