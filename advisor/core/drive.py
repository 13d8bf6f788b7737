"""Run a generator of events to its end: the one way in which fronts, scripts and tests take its value."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

Event = TypeVar("Event")
Result = TypeVar("Result")


def drive(events: Generator[Event, None, Result], on_event: Callable[[Event], object] | None = None) -> Result:
    """Show every event as it comes; returns what the generator returns. Raises what the generator raises."""
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            result: Result = end.value
            return result
        if on_event is not None:
            on_event(event)
