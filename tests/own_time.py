"""Processor time that a call takes by itself, in a process in which many other tests have run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def own_time(call: Callable[[], Result]) -> tuple[Result, float]:
    """What the call gives, and the seconds of processor time that it took in this thread: the shorter of two times.

    A collection of all that other tests left behind may fall into either, and is no work of the call's.
    """
    spent = []
    for _ in range(2):
        begun = time.thread_time()
        result = call()
        spent.append(time.thread_time() - begun)
    return result, min(spent)
