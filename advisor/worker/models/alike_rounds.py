"""Work that a model does many times alike, of which one time runs and stands for all: whoever counts is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

Counter = Callable[[int], AbstractContextManager[None]]
"""Makes what is entered around the time that runs, from how many times it stands for."""
_counters: list[Counter] = []


@contextmanager
def counted_by(counter: Counter) -> Iterator[None]:
    """While entered, `counter` is told of what stands for several times."""
    _counters.append(counter)
    try:
        yield
    finally:
        _counters.pop()


def standing_for(times: int) -> AbstractContextManager[None]:
    """Around work that stands for `times` times of it; it must leave in memory what it found there."""
    return _counters[-1](times) if _counters else nullcontext()
