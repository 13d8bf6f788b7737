"""From a rank's first moment on: SIGTERM means that a peer was lost, and this process dies with torchrun."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping
from functools import cache

from advisor.core.errors import InputError
from advisor.core.system import this_system


def under_torchrun(environment: Mapping[str, str] | None = None) -> bool:
    """Whether this process was started as one rank of several."""
    env = os.environ if environment is None else environment
    return _is_number(env.get("RANK", "")) and _is_number(env.get("WORLD_SIZE", "")) and int(env["WORLD_SIZE"]) > 1


def local_ranks(environment: Mapping[str, str] | None = None) -> range:
    """The ranks of this host, by what the launcher said; raises InputError where its variables contradict each other.

    Without LOCAL_RANK all ranks are taken for this host's.
    """
    env = os.environ if environment is None else environment
    rank, count = env.get("RANK", ""), env.get("WORLD_SIZE", "")
    local_rank, local_count = env.get("LOCAL_RANK", rank), env.get("LOCAL_WORLD_SIZE", count)
    given = {"RANK": rank, "WORLD_SIZE": count, "LOCAL_RANK": local_rank, "LOCAL_WORLD_SIZE": local_count}
    for name, value in given.items():
        if not _is_number(value):
            from advisor.core.file_fault import shown_value

            raise _refused("no-number", name=name, given=shown_value(value))
    first = int(rank) - int(local_rank)
    ranks = range(first, first + int(local_count))
    if first < 0 or int(rank) not in ranks or ranks.stop > int(count):
        raise _refused("contradict", given=", ".join(f"{name}={value}" for name, value in given.items()))
    return ranks


def _refused(what: str, **numbers: str) -> InputError:
    from advisor.core.sentences import SaidError  # every rank starts with this module, and few have such a fault

    return SaidError.of(f"ranks-environment-{what}", **numbers)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < _DIGITS


_DIGITS = 7


@cache
def peer_lost() -> threading.Event:
    """The event that torchrun's SIGTERM sets, which would otherwise end this process before it could report.

    Call it in the main thread as early as possible; later calls give the same event. On Linux the kernel is asked
    to kill this process when torchrun dies, since a SIGKILL of torchrun would leave its ranks running.
    """
    lost = threading.Event()
    this_system.die_with_parent(os.getppid())
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: lost.set())
    return lost
