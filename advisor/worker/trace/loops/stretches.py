"""Which rounds of a loop do alike, found out by running some of them: at the beginning, in the middle and at the end.

What a round does may follow from a value in its row, such as which expert it is of, that Python turned into a plain
number: nothing tells then what it would decide in a round that does not run. So rounds from all over the loop run
first, more of them wherever two neighbouring ones differ, until it is known between which two rounds it changes.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import TypeVar

from advisor.worker.trace.recorder import Recorder

T = TypeVar("T")
_LOOKS = 3
"""How often a part whose ends are alike is halved to look within."""
_MOST_STRETCHES = 4
"""Where it changes more often, what rounds do is no matter of stretches."""


def stretches(recorder: Recorder, rounds: Sequence[T]) -> Generator[T, None, list[list[T]] | None]:
    """Give each round that is to run now, and return the others by stretches of rounds that are alike.

    The first has run before: it may have found no state, and is compared with none. None where rounds change too often.
    """
    done: dict[int, Sequence[object]] = {}

    def tried(number: int) -> Generator[T, None, None]:
        begin = len(recorder.ops)
        yield rounds[number]
        done[number] = recorder.ops[begin:]

    first, last = 1, len(rounds) - 1
    yield from tried(first)
    yield from tried(last)
    open_parts = [(first, last, _LOOKS)]
    changes = 0
    while open_parts:
        low, high, looks = open_parts.pop()
        alike = done[low] == done[high]
        if high - low == 1:
            changes += not alike
        elif looks or not alike:
            middle = (low + high) // 2
            yield from tried(middle)
            looks = max(0, looks - 1)
            open_parts += [(low, middle, looks), (middle, high, looks)]
        if changes >= _MOST_STRETCHES:
            return None
    found: list[list[T]] = [[]]
    for low, high in pairwise(sorted(done)):
        if done[low] != done[high]:
            found.append([])
        found[-1] += rounds[low + 1 : high]
    return found
