"""What a function with a long loop holds from round to round, and what of it has to be made up for rounds left out."""

from __future__ import annotations

from itertools import pairwise
from types import FrameType
from typing import Any

import torch

from advisor.worker.trace.loops.loop_number import COUNTED, LoopNumber, plain

Tensor = torch.Tensor


class LoopLocals:
    """What the function with the loop holds from round to round."""

    def __init__(self, frame: FrameType) -> None:
        """`frame` is that of the function."""
        self._frame: FrameType | None = frame
        self._sizes: list[dict[int, int]] = []
        self._lists: dict[int, list[Any]] = {}
        self._plain: list[dict[str, Any]] = []
        self._grown: dict[int, list[int]] = {}
        self.holding_number: set[str] = set()
        """Names of what held the loop's number, or what was worked out of it."""

    def note(self) -> None:
        """A round has ended."""
        assert self._frame is not None
        shown = self._frame.f_locals
        values = dict(shown)
        if isinstance(shown, dict):
            shown.clear()  # up to Python 3.12 it is a copy that the frame would keep, with all its tensors
        lists = {id(value): value for value in values.values() if type(value) is list}
        others = (value for value in values.values() if isinstance(value, dict | set | str | bytearray))
        self._lists |= lists
        sizes = {key: len(value) for key, value in lists.items()}
        self._sizes.append(sizes | {id(value): len(value) for value in others if not isinstance(value, str)})
        numbers = {name: plain(value) for name, value in values.items() if isinstance(value, LoopNumber)}
        self._plain.append({name: value for name, value in values.items() if type(value) in {int, float, str, bool}})
        self._plain[-1] |= numbers
        self.holding_number |= numbers.keys()

    def can_be_extended(self) -> bool:
        """Whether all that grew are lists, by as many tensors each round."""
        self._grown = {key: self._growth(key) for key in self._sizes[-1]}
        self._grown = {key: by for key, by in self._grown.items() if by != [0, 0, 0]}
        return all(
            key in self._lists and by[0] == by[1] == by[2] > 0 and all(map(_is_tensor, self._of_round(key, by[0])))
            for key, by in self._grown.items()
        )

    def _growth(self, key: int) -> list[int]:
        sizes = [noted.get(key, 0) for noted in self._sizes]
        return [late - early for early, late in pairwise(sizes)]

    def _of_round(self, key: int, by: int) -> list[Any]:
        """What the counted round added to a list."""
        end = self._sizes[COUNTED][key]
        return self._lists[key][end - by : end]

    def extend(self, rounds: int) -> None:
        """Add to each list what as many rounds would have added."""
        for key, by in self._grown.items():
            stand_ins = [_stand_ins(tensor, rounds) for tensor in self._of_round(key, by[0])]
            self._lists[key] += [tensor for one_round in zip(*stand_ins, strict=True) for tensor in one_round]

    def counts_rounds(self) -> bool:
        """Whether a number goes on by rounds, where the loop's own has gone further: some were left out."""
        before, last, now = self._plain[-3:]
        for name, value in now.items():
            numbers: list[Any] = [before.get(name), last.get(name), value]
            if all(type(number) in {int, float} for number in numbers):
                early, late = (after - number for number, after in pairwise(numbers))
                if early and early == late:
                    return True
        return False

    def forget(self) -> None:
        """Let go of the frame and of its lists."""
        self._frame = None
        self._lists.clear()


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


class _StandIn(torch.autograd.Function):
    """A tensor many times over, of which no gradient comes back: only one of them was made."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, count: int) -> tuple[Tensor, ...]:  # noqa: ANN401 - torch's own
        ctx.set_materialize_grads(False)
        return tuple(tensor.view_as(tensor) for _ in range(count))

    @staticmethod
    def backward(ctx: Any, *_gradients: Tensor | None) -> tuple[None, None]:  # noqa: ANN401 - the same
        del ctx
        return None, None


def _stand_ins(tensor: Tensor, count: int) -> tuple[Tensor, ...]:
    if not (tensor.requires_grad and torch.is_grad_enabled()):
        return (tensor,) * count
    return _StandIn.apply(tensor, count)  # type: ignore[no-untyped-call,no-any-return]
