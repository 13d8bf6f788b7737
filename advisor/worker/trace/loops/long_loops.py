"""Long loops in a model's own Python, such as a scan over the tokens: a few rounds run, one of them for all between.

The loop is a `for` over a `range`, or over the rows of a tensor, in the modules that define the model. It is shortened
once its third and fourth round have run the same operators, and nothing that they decided by their number is decided
otherwise in a round left out. Rows, such as the experts that were chosen, may be of kinds: each stretch of rows that do
alike, which `stretches.py` finds, is shortened for itself. `rounds.py` shows afterwards that all that ran between the
first and the last did the same, forward and backward, tensor by tensor, or the loop runs whole.
"""

from __future__ import annotations

import dis
import sys
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple, Self, TypeVar

import torch
from torch._subclasses.fake_tensor import FakeTensor

from advisor.worker.replaced import replaced
from advisor.worker.trace.loops.lookups import looks_up, names_of_rows
from advisor.worker.trace.loops.loop_locals import LoopLocals
from advisor.worker.trace.loops.loop_number import COUNTED, LoopNumber, Numbers
from advisor.worker.trace.loops.loop_run import (
    FIRST_ROUNDS,
    KEPT_ROUNDS,
    LAST_ROUNDS,
    LoopRun,
    Origin,
    Place,
    RoundsDiffer,
    place_of,
)
from advisor.worker.trace.loops.stretches import stretches
from advisor.worker.trace.recorder import Recorder

Tensor = torch.Tensor
T = TypeVar("T")
FEWEST_ROUNDS = 64


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
        """Stand in for `range` where the model is defined, and for going through a tensor there."""
        for module in self._modules:
            module.range = _Ranges(self)
            self._stack.callback(delattr, module, "range")
        self._stack.enter_context(replaced(Tensor, __iter__=_rows_of(self)))
        self._recorder.before_gradients = self._at_backward
        return self

    def __exit__(self, *_: object) -> None:
        """Take it away."""
        self._recorder.before_gradients = None
        self._stack.close()

    def rounds(self, numbers: range, frame: FrameType) -> Iterator[int] | range:
        """What a loop goes through: its numbers, or while it is watched an iterator that may leave some out."""
        origin = (frame.f_code, frame.f_lasti)
        is_long = len(numbers) >= FEWEST_ROUNDS and not self._active and origin not in self._whole
        if not is_long or not _is_statement(*origin, made_at_once=False):
            return numbers
        return self._watched(numbers, frame, origin)

    def rows(self, tensor: Tensor, rows: Iterator[Tensor], frame: FrameType) -> Iterator[Tensor]:
        """What a loop over a tensor goes through: `rows`, or while it is watched an iterator that may leave some out.

        Rows of what has gradients stay whole: gradients of those left out would be missing.
        """
        origin = (frame.f_code, frame.f_lasti)
        is_long = len(tensor) >= FEWEST_ROUNDS and not self._active and origin not in self._whole
        known = isinstance(tensor, FakeTensor) and not tensor.requires_grad
        ours = any(vars(module) is frame.f_globals for module in self._modules)
        if not (is_long and known and ours and _is_statement(*origin, made_at_once=True)):
            return rows
        return self._watched_rows(list(rows), frame, origin)

    def _watched(self, numbers: range, frame: FrameType, origin: Origin) -> Iterator[int]:
        loop, grown, followed = LoopRun(origin, len(numbers)), LoopLocals(frame), Numbers(numbers)
        first = (followed.of_round(round_) for round_ in range(FIRST_ROUNDS))

        def are_alike() -> bool:
            alike = followed.decide_alike(range(FIRST_ROUNDS, len(numbers) - LAST_ROUNDS))
            return alike and not looks_up(frame, origin[1], {*grown.holding_number})

        self._active = True
        try:
            if not (yield from self._few(numbers, first, loop, grown, are_alike)):
                self._active = False
                yield from numbers[FIRST_ROUNDS:]
            self._bound(None, 0)
        finally:
            grown.forget()
            self._active = False

    def _watched_rows(self, rows: Sequence[Tensor], frame: FrameType, origin: Origin) -> Iterator[Tensor]:
        names = names_of_rows(*origin)
        self._active = True
        try:
            yield rows[0]
            if names is None or looks_up(frame, origin[1], names):
                self._active = False
                yield from rows[1:]
                return
            found = yield from stretches(self._recorder, rows)
            if found is None:
                raise RoundsDiffer(origin, "operators of rows here and there")
            for stretch in found:
                if len(stretch) <= KEPT_ROUNDS:
                    yield from stretch
                    continue
                loop, grown = LoopRun(origin, len(rows)), LoopLocals(frame)
                try:
                    if not (yield from self._few(stretch, stretch[:FIRST_ROUNDS], loop, grown, lambda: True)):
                        raise RoundsDiffer(origin, "what grows with each round")
                finally:
                    grown.forget()
                self._bound(None, 0)
        finally:
            self._active = False

    def _few(
        self,
        rounds: Sequence[T],
        first: Iterable[T],
        loop: LoopRun,
        grown: LoopLocals,
        are_alike: Callable[[], bool],
    ) -> Generator[T, None, bool]:
        """Give `first`, and where they turn out alike one from the middle of `rounds` and its last; whether so."""
        for number in first:
            self._begin(loop)
            yield number
            grown.note()
        self._begin(loop)
        if not (self._is_steady(loop) and grown.can_be_extended() and are_alike()):
            return False
        loop.left_out = len(rounds) - KEPT_ROUNDS
        self.runs.append(loop)
        loop.spoilt = True  # until it has come to its end
        with self._unseen():
            grown.extend(loop.left_out)
        yield rounds[len(rounds) // 2]
        grown.note()
        loop.spoilt = grown.counts_rounds()
        for number in rounds[-LAST_ROUNDS:]:
            self._begin(loop)
            yield number
        self._begin(loop)
        return True

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


def _rows_of(loops: LongLoops) -> Callable[[Tensor], Iterator[Tensor]]:
    """Stands in for a tensor's own way of being gone through."""
    original = Tensor.__iter__

    def rows(tensor: Tensor) -> Iterator[Tensor]:
        return loops.rows(tensor, original(tensor), sys._getframe(1))  # type: ignore[no-untyped-call]  # noqa: SLF001 - the loop that asks

    return rows


@lru_cache(maxsize=256)
def _is_statement(code: CodeType, asked_at: int, *, made_at_once: bool) -> bool:
    """Whether what is made there is gone through by a `for` statement, and nothing else.

    `made_at_once`: as the statement begins, and not by a call before it.
    """
    begin = asked_at if made_at_once else asked_at + 1
    names = (one.opname for one in dis.get_instructions(code) if one.offset >= begin)
    following = [name for name in islice(names, 3) if name != "EXTENDED_ARG"]
    return following[:2] == ["GET_ITER", "FOR_ITER"]
