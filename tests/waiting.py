"""What this process only waited in line for a processor, so that a time can be judged on a busy machine (Linux)."""

from __future__ import annotations

from pathlib import Path

import pytest

needs_waits = pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="waits are told in Linux's /proc")


class Waits:
    """Counts on from one look to the next; a thread that has ended takes nothing back."""

    def __init__(self) -> None:
        self._by_thread = _by_thread()

    def since_last_s(self) -> float:
        """What all threads of this process waited since the last look, added up: the machine's doing, not ours."""
        now, before = _by_thread(), self._by_thread
        self._by_thread = now
        return sum(waited_ns - before.get(thread, 0) for thread, waited_ns in now.items()) / 1e9


def _by_thread() -> dict[str, int]:
    found = {}
    for thread in Path("/proc/self/task").iterdir():
        try:
            found[thread.name] = int((thread / "schedstat").read_text(encoding="ascii").split()[1])
        except OSError:
            continue  # ended meanwhile
    return found
