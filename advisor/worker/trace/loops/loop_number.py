"""The number of a loop's round, which notes what is decided by it: rounds that do not run must decide the same."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import torch

COUNTED = 2
"""The round that stands for those left out: the first two may find no state, or another."""
_At = Callable[[int], Any]
"""What a value would be as many rounds later."""
_PLAIN = (int, float, str, bool, type(None))


class _Question(NamedTuple):
    at: _At
    answer: bool
    oldest: int


class Numbers:
    """The numbers of one loop, and what is decided by them in the round that stands for those left out."""

    def __init__(self, numbers: Sequence[int]) -> None:
        """`numbers` of all rounds."""
        self._numbers = numbers
        self._round = 0
        self._questions: list[_Question] = []
        self.lost = False
        """Whether a number became something that is not followed: a text, a fraction, a key."""

    def of_round(self, round_: int) -> LoopNumber:
        """The number of a round, which begins now."""
        self._round = round_
        return LoopNumber.made(self._numbers[round_], self, lambda later: self._numbers[round_ + later], round_)

    def note(self, at: _At, answer: bool, oldest: int) -> None:
        """A decision was asked for."""
        if self._round == COUNTED:
            self._questions.append(_Question(at, answer, oldest))

    def decide_alike(self, rounds: range) -> bool:
        """Whether each of these rounds would decide all as the counted one did.

        What was carried on from rounds before the last one may have grown with each, and is not worked out.
        """
        if self.lost or any(question.oldest < COUNTED - 1 for question in self._questions):
            return False
        try:
            return all(
                question.at(round_ - COUNTED) == question.answer for question in self._questions for round_ in rounds
            )
        except (ArithmeticError, ValueError):
            return False


class LoopNumber(int):
    """A loop's number, or what was worked out of it in whole numbers."""

    numbers: Numbers
    at: _At
    oldest: int
    """The earliest round whose number it was made of."""

    @classmethod
    def made(cls, value: int, numbers: Numbers, at: _At, oldest: int) -> Self:
        """A number with where it is from."""
        made = cls(value)
        made.numbers, made.at, made.oldest = numbers, at, oldest
        return made


def plain(number: int) -> int:
    """The number by itself."""
    return int.__add__(number, 0)


def _operands(number: LoopNumber, other: object, followed: tuple[type, ...]) -> tuple[_At, int] | None:
    """What the other operand is later, and of which round it is at the earliest; None where it is not followed."""
    if isinstance(other, LoopNumber):
        if other.numbers is not number.numbers:  # of another loop
            number.numbers.lost = other.numbers.lost = True
        return other.at, min(number.oldest, other.oldest)
    if type(other) in followed:
        return (lambda _later: other), number.oldest
    if not isinstance(other, torch.Tensor):  # whose operators cost the same with any number
        number.numbers.lost = True
    return None


def _arithmetic(operation: Callable[[Any, Any], Any], *, reflected: bool) -> Callable[[LoopNumber, object], Any]:
    def method(self: LoopNumber, other: object) -> Any:  # noqa: ANN401 - a number, or what lets Python ask the other
        operands = _operands(self, other, (int, bool))
        if operands is None:
            return NotImplemented
        (first, second), oldest = ((operands[0], self.at) if reflected else (self.at, operands[0])), operands[1]

        def at(later: int) -> Any:  # noqa: ANN401 - a number
            return operation(first(later), second(later))

        value = _now(operation, self, other, reflected=reflected)
        if type(value) is not int:  # a negative power
            self.numbers.lost = True
            return value
        return LoopNumber.made(value, self.numbers, at, oldest)

    return method


def _now(operation: Callable[[Any, Any], Any], number: LoopNumber, other: Any, *, reflected: bool) -> Any:  # noqa: ANN401 - numbers
    """The operation's result in the round that runs."""
    values = (plain(number), plain(other) if isinstance(other, int) else other)
    return operation(*(reversed(values) if reflected else values))


def _comparison(operation: Callable[[Any, Any], bool]) -> Callable[[LoopNumber, object], Any]:
    def method(self: LoopNumber, other: object) -> Any:  # noqa: ANN401 - as above
        operands = _operands(self, other, _PLAIN)
        if operands is None:
            return NotImplemented
        mine, (others, oldest) = self.at, operands
        answer = _now(operation, self, other, reflected=False)
        self.numbers.note(lambda later: operation(mine(later), others(later)), answer, oldest)
        return answer

    return method


def _alone(operation: Callable[[int], int]) -> Callable[[LoopNumber], LoopNumber]:
    def method(self: LoopNumber) -> LoopNumber:
        mine = self.at
        return LoopNumber.made(operation(plain(self)), self.numbers, lambda later: operation(mine(later)), self.oldest)

    return method


def _truth(self: LoopNumber) -> bool:
    mine, answer = self.at, plain(self) != 0
    self.numbers.note(lambda later: mine(later) != 0, answer, self.oldest)
    return answer


def _lost(name: str) -> Callable[..., Any]:
    of_int = getattr(int, name)

    def method(self: LoopNumber, *others: object) -> Any:  # noqa: ANN401 - whatever `int` gives
        if not (others and isinstance(others[0], torch.Tensor)):
            self.numbers.lost = True
        return of_int(self, *(plain(other) if isinstance(other, LoopNumber) else other for other in others))

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
    _operation = getattr(operator, f"__{_name}__")
    setattr(LoopNumber, f"__{_name}__", _arithmetic(_operation, reflected=False))
    setattr(LoopNumber, f"__r{_name}__", _arithmetic(_operation, reflected=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(LoopNumber, f"__{_name}__", _comparison(getattr(operator, f"__{_name}__")))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(LoopNumber, f"__{_name}__", _alone(getattr(operator, f"__{_name}__")))
for _name in (
    "truediv", "rtruediv", "divmod", "rdivmod", "hash", "int", "float", "str", "repr", "format", "round", "trunc",
    "floor", "ceil",
):  # fmt: skip
    setattr(LoopNumber, f"__{_name}__", _lost(f"__{_name}__"))
setattr(LoopNumber, "__bool__", _truth)  # noqa: B010 - typed as a method of `int`
