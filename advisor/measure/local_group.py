"""How ranks that this program starts on its own machine meet: a file in a private folder, and the loopback alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from advisor.workload.scrubbed_environment import scrubbed_environment

_LOOPBACK = {"linux": "lo", "darwin": "lo0"}


def rendezvous_in(folder: Path) -> str:
    """The `init_method` of a group whose ranks meet through a file: no port is opened for it, nothing unpickled."""
    return (folder / "rendezvous").as_uri()


def local_rank_environment(rank: int, rank_count: int, thread_count: int) -> dict[str, str]:
    """The environment of one rank: who it is, and that its sockets listen on the loopback only.

    Gloo and NCCL would take the first interface that is up, where another machine could reach them.
    """
    env = scrubbed_environment(os.environ)
    env |= {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(rank_count),
        "LOCAL_WORLD_SIZE": str(rank_count),
        "OMP_NUM_THREADS": str(thread_count),
    }
    if sys.platform in _LOOPBACK:
        env["GLOO_SOCKET_IFNAME"] = env["NCCL_SOCKET_IFNAME"] = _LOOPBACK[sys.platform]
    return env
