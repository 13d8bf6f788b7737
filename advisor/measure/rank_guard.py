"""From a rank's first moment on: SIGTERM means that a peer was lost, and this process dies with torchrun."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping
from functools import cache

from advisor.core.system import die_with_parent


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
    die_with_parent(os.getppid())
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: lost.set())
    return lost
