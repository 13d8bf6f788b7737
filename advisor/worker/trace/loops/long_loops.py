"""Long loops in a model's own Python, such as a scan over the tokens: a few rounds run, one of them for all between.

The loop is a `for` over a `range` in the modules that define the model. It is shortened once its third and fourth
round have run the same operators, and nothing that they decided by their number is decided otherwise in a round left
out; `rounds.py` shows afterwards that all that ran between the first and the last did the same, forward and backward,
tensor by tensor, or the loop runs whole.
"""

from __future__ import annotations

import dis
import sys
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple, Self

import torch

from advisor.worker.replaced import replaced
from advisor.worker.trace.loops.lookups import looks_up
from advisor.worker.trace.loops.loop_locals import LoopLocals
from advisor.worker.trace.loops.loop_number import COUNTED, LoopNumber, Numbers
from advisor.worker.trace.recorder import Recorder

Tensor = torch.Tensor
FIRST_ROUNDS = 4
"""Run before it is decided that the loop is shortened."""
_LAST_ROUNDS = 3
"""Backward, the round before the last is the first to find a gradient, the one before that the first like others."""
KEPT_ROUNDS = FIRST_ROUNDS + 1 + _LAST_ROUNDS
"""Those, one in the middle and the last ones."""
FEWEST_ROUNDS = 64
Origin = tuple[CodeType, int]
"""Where in the model's code a loop stands."""


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
    starts: list[Place] = field(default_factory=list)
    """Where each round that ran began, and where the last ended."""
    left_out: int = 0
    """Rounds that did not run."""
    spoilt: bool = False
    """Whether rounds were left out that were not like the others, as the rest of the loop showed."""


class Visit(NamedTuple):
    """From where on backward works out gradients of one round; None: of none."""

    loop: LoopRun | None
    round_: int
    begin: Place


class LongLoops:
    """While active, loops of many rounds are shortened; knows which rounds backward is at."""

    def __init__(self, model: torch.nn.Module, recorder: Recorder, whole: set[Origin]) -> None:
        """`whole`: loops that are known to have unlike rounds."""
        self.runs: list[LoopRun] = []
        self.visits: list[Visit] = []
        self._recorder, self._whole = recorder, whole
        self._limits: list[int] = []
        """From which number on autograd's nodes were made by which round."""
        self._owners: list[tuple[LoopRun | None, int]] = []
        self._active = False
        self._modules = _modules_of(model)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Stand in for `range` where the model is defined."""
        for module in self._modules:
            module.range = _Ranges(self)
            self._stack.callback(delattr, module, "range")
        self._recorder.before_gradients = self._at_backward
        return self

    def __exit__(self, *_: object) -> None:
        """Take it away."""
        self._recorder.before_gradients = None
        self._stack.close()

    def rounds(self, numbers: range, frame: FrameType) -> Iterator[int] | range:
        """What a loop goes through: its numbers, or while it is watched an iterator that may leave some out."""
        origin = (frame.f_code, frame.f_lasti)
        if self._active or len(numbers) < FEWEST_ROUNDS or origin in self._whole or not _is_statement(*origin):
            return numbers
        return self._watched(numbers, frame, origin)

    def _watched(self, numbers: range, frame: FrameType, origin: Origin) -> Iterator[int]:
        loop, grown, followed = LoopRun(origin), LoopLocals(frame), Numbers(numbers)
        self._active = True
        try:
            for round_, number in enumerate(numbers[:FIRST_ROUNDS]):
                self._begin(loop)
                yield followed.of_round(round_)
                grown.note(number)
            self._begin(loop)
            rest = numbers[FIRST_ROUNDS:]
            alike = followed.decide_alike(range(FIRST_ROUNDS, len(numbers) - _LAST_ROUNDS))
            named = {*grown.holding_number}
            if self._is_steady(loop) and grown.can_be_extended() and alike and not looks_up(frame, origin[1], named):
                loop.left_out = len(numbers) - KEPT_ROUNDS
                self.runs.append(loop)
                loop.spoilt = True  # until it has come to its end
                with self._unseen():
                    grown.extend(loop.left_out)
                middle = numbers[len(numbers) // 2]
                yield middle
                grown.note(middle)
                loop.spoilt = grown.counts_rounds()
                rest = numbers[-_LAST_ROUNDS:]
                for number in rest:
                    self._begin(loop)
                    yield number
                self._begin(loop)
            else:
                self._active = False
                yield from rest
            self._bound(None, 0)
        finally:
            grown.forget()
            self._active = False

    def _begin(self, loop: LoopRun) -> None:
        self._bound(loop, len(loop.starts))
        loop.starts.append(place_of(self._recorder))

    def _bound(self, loop: LoopRun | None, round_: int) -> None:
        self._limits.append(torch._C._autograd._get_sequence_nr())  # noqa: SLF001 - the number that a node made now gets
        self._owners.append((loop, round_))

    def _is_steady(self, loop: LoopRun) -> bool:
        ops, starts = self._recorder.ops, loop.starts
        third, fourth = (
            ops[starts[round_].op_count : starts[round_ + 1].op_count] for round_ in (COUNTED, COUNTED + 1)
        )
        return bool(third) and third == fourth

    def _unseen(self) -> Any:  # noqa: ANN401 - a context manager
        return replaced(self._recorder, paused=True)

    def _at_backward(self) -> None:
        """Note which round's gradients are worked out next."""
        node = torch._C._current_autograd_node()  # noqa: SLF001 - as above
        if not self.runs or node is None:
            return
        number = node._sequence_nr()  # noqa: SLF001 - as above
        if number > torch._C._autograd._get_sequence_nr():  # noqa: SLF001 - as above
            return  # a parameter's gradient is added as soon as it is there
        place = bisect_right(self._limits, number) - 1
        loop, round_ = self._owners[place] if place >= 0 else (None, 0)
        if loop is not None and not loop.left_out:
            loop, round_ = None, 0
        if not self.visits or (self.visits[-1].loop, self.visits[-1].round_) != (loop, round_):
            self.visits.append(Visit(loop, round_, place_of(self._recorder)))


class _Ranges:
    """Stands in for `range`."""

    def __init__(self, loops: LongLoops) -> None:
        self._loops = loops

    def __call__(self, *limits: Any) -> Any:  # noqa: ANN401 - what `range` takes
        for limit in limits:
            if isinstance(limit, LoopNumber):
                limit.numbers.lost = True  # a loop within this one, which may have more rounds each time
        return self._loops.rounds(range(*map(int, limits)), sys._getframe(1))  # noqa: SLF001 - the loop that asks

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, range)


def _modules_of(model: torch.nn.Module) -> list[Any]:
    """Python modules that define the model: torch's own leave their ranges alone."""
    classes = {base for module in model.modules() for base in type(module).__mro__}
    names = {base.__module__ for base in classes} - {"builtins"}
    outside = (name for name in sorted(names) if name.partition(".")[0] not in {"torch", "torchvision", "advisor"})
    modules = (sys.modules.get(name) for name in outside)
    return [module for module in modules if module is not None and "range" not in vars(module)]


@lru_cache(maxsize=256)
def _is_statement(code: CodeType, called_at: int) -> bool:
    """Whether what the call gives is gone through by a `for` statement, and nothing else."""
    names = (one.opname for one in dis.get_instructions(code) if one.offset > called_at)
    following = [name for name in islice(names, 3) if name != "EXTENDED_ARG"]
    return following[:2] == ["GET_ITER", "FOR_ITER"]
