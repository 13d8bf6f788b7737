"""One run of a loop of which a few rounds ran: where they began, and how many were left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple

from advisor.worker.trace.recorder import Recorder

FIRST_ROUNDS = 4
"""Run before it is decided that the loop is shortened."""
LAST_ROUNDS = 3
"""Backward, the round before the last is the first to find a gradient, the one before that the first like others."""
KEPT_ROUNDS = FIRST_ROUNDS + 1 + LAST_ROUNDS
"""Those, one in the middle and the last ones."""
Origin = tuple[CodeType, int]
"""Where in the model's code a loop stands."""


class RoundsDiffer(Exception):  # noqa: N818 - what happened
    """Rounds of a loop did different work, so that none may stand for another."""

    def __init__(self, origin: Origin, what: str) -> None:
        """Which loop, and in what they differ."""
        super().__init__(what)
        self.origin = origin


class Place(NamedTuple):
    """How far a recorder had come."""

    op_count: int
    event_count: int
    kernel_count: int
    gradient_count: int
    dispatch_count: tuple[int, int]
    """Calls so far, forward and backward."""
    synchronisation_count: int
    work: float


def place_of(recorder: Recorder) -> Place:
    """Where it is now."""
    return Place(
        len(recorder.ops),
        len(recorder.tracker.kinds),
        len(recorder.flow.kernels),
        len(recorder.gradients),
        (recorder.dispatch_count["forward"], recorder.dispatch_count["backward"]),
        recorder.synchronisation_count,
        recorder.backward_work,
    )


@dataclass(eq=False)
class LoopRun:
    """One time that a loop ran."""

    origin: Origin
    round_count: int
    """Of the whole loop, of which this may be a part where rounds are alike."""
    starts: list[Place] = field(default_factory=list)
    """Where each round that ran began, and where the last ended."""
    left_out: int = 0
    """Rounds that did not run."""
    spoilt: bool = False
    """Whether rounds were left out that were not like the others, as the rest of the loop showed."""
