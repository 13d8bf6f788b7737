"""What a test may have left behind in this process: children, threads, descriptors (Linux only)."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux's /proc")


class Leftovers(NamedTuple):
    """Process numbers of children (zombies too), number of threads and of open descriptors."""

    children: frozenset[int]
    thread_count: int
    descriptor_count: int


def leftovers() -> Leftovers:
    """What is there now; compare two of them."""
    return Leftovers(
        children=frozenset(children_of(os.getpid())),
        thread_count=threading.active_count(),
        descriptor_count=len(list(Path("/proc/self/fd").iterdir())),
    )


def children_of(parent: int) -> list[int]:
    """Process numbers of the direct children of a process."""
    return [pid for pid, (ppid, _) in _processes().items() if ppid == parent]


def members_of(group: int) -> list[int]:
    """Process numbers of a process group."""
    return [pid for pid, (_, pgid) in _processes().items() if pgid == group]


def _processes() -> dict[int, tuple[int, int]]:
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            found[int(folder.name)] = (int(fields[1]), int(fields[2]))
    return found
