"""Operators whose results have the sizes of their arguments: met once, their results are known at any other size.

For the operators named here every size of a result is that of some argument (or 1), and which one follows from what
is alike: number of dimensions, which sizes equal each other, which are 1, the order of strides, types, plain
arguments. So what a batch norm gives for one layer tells what it gives for all others in the same layout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeTensor

from advisor.worker.trace.ops.op_names import SIZES_OF_ARGUMENTS

FRESH, ITSELF, VIEW = 0, 1, 2
PLAIN = frozenset([int, float, bool, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format])
"""Types of arguments that describe themselves."""
_VIEWS = frozenset(["view", "_unsafe_view"])
_CHANNELS_LAST = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
_ONE, _NONE = -1, -2


class Output(NamedTuple):
    """One tensor of a result: fresh, an argument itself, or a view of an argument."""

    how: int
    place: int
    """Of that argument among the call's tensors."""
    dtype: torch.dtype
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int


class Outputs(NamedTuple):
    """All tensors of a result."""

    container: type | None
    """Tuple or list around them; None for a single one."""
    each: tuple[Output | None, ...]


class _Form(NamedTuple):
    """An output without its sizes."""

    how: int
    place: int
    dtype: torch.dtype
    symbols: tuple[int, ...]
    layout: tuple[int, ...]


class Call(NamedTuple):
    """A call without its sizes, and those sizes by symbol."""

    key: tuple[Any, ...]
    sizes: dict[int, int]


class Patterns:
    """What calls gave, whatever their sizes."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: dict[tuple[Any, ...], tuple[type | None, tuple[_Form | None, ...]]] = {}

    def outputs(self, call: Call, found: Sequence[FakeTensor]) -> Outputs | None:
        """The outputs at the call's sizes; None where its pattern was not met."""
        known = self._known.get(call.key)
        if known is None:
            return None
        sizes = [*call.sizes, 0, 1]  # symbols count from 0; the two literals from the end
        return Outputs(known[0], tuple(None if form is None else _sized(form, sizes, found) for form in known[1]))

    def learn(self, call: Call, found: Sequence[FakeTensor], outputs: Outputs) -> None:
        """Keep the outputs without their sizes, where each size is one of the call's."""
        forms: list[_Form | None] = []
        for output in outputs.each:
            form = None if output is None else _form(output, call.sizes, found)
            if form is None and output is not None:
                return
            forms.append(form)
        self._known[call.key] = (outputs.container, tuple(forms))


def viewed(name: str, args: Sequence[Any], found: Sequence[FakeTensor]) -> Outputs | None:
    """What `view` gives of a contiguous tensor; None for all else."""
    if name not in _VIEWS or len(found) != 1 or type(args[1]) is not list or not found[0].numel():
        return None
    tensor, asked = found[0], args[1]
    if tuple(tensor.stride()) != row_major(tensor.shape) or any(size < -1 or size == 0 for size in asked):
        return None
    rest = math.prod(size for size in asked if size > 0)
    shape = tuple(tensor.numel() // rest if size == -1 else size for size in asked)
    if math.prod(shape) != tensor.numel() or asked.count(-1) > 1:
        return None  # torch has a sentence for it
    return Outputs(None, (Output(VIEW, 0, tensor.dtype, shape, row_major(shape), int(tensor.storage_offset())),))


def call_of(start: Iterable[Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call | None:
    """The call's pattern; None for operators that are not named here and for tensors with gaps or equal places.

    `start`: what else the result depends on, the operator first.
    """
    if name not in SIZES_OF_ARGUMENTS:
        return None
    parts, sizes = list(start), {}  # type: ignore[var-annotated]

    def pattern(tensor: FakeTensor) -> tuple[Any, ...] | None:
        layout = _layout(tensor.shape, tensor.stride())
        if layout is None or 0 in tensor.shape:
            return None
        symbols = tuple(_ONE if size == 1 else sizes.setdefault(size, len(sizes)) for size in tensor.shape)
        return (FakeTensor, tensor.dtype, tensor.fake_device, layout, symbols)

    return Call(tuple(parts), sizes) if described(parts, args, kwargs, pattern) else None


def described(
    parts: list[Any],
    args: Iterable[Any],
    kwargs: Mapping[str, Any],
    of_tensor: Callable[[FakeTensor], tuple[Any, ...] | None],
) -> bool:
    """Add what tells a call's arguments from others to `parts`; whether all could be told.

    `of_tensor`: what tells a tensor from others, None where that is not certain.
    """
    if not _add(parts, args, of_tensor):
        return False
    for key, value in kwargs.items():
        parts.append(key)
        if not _add(parts, (value,), of_tensor):
            return False
    return True


def _add(parts: list[Any], values: Iterable[Any], of_tensor: Callable[[FakeTensor], tuple[Any, ...] | None]) -> bool:
    for value in values:
        kind = type(value)
        if kind is FakeTensor:
            told = of_tensor(value)
            if told is None:
                return False
            parts += told
        elif kind in PLAIN:
            parts += (kind, value)
        elif kind is list or kind is tuple:
            parts += (kind, len(value))
            if not _add(parts, value, of_tensor):
                return False
        else:
            return False
    return True


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of a contiguous tensor."""
    return _strides(shape, range(len(shape)))


def _strides(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Strides without gaps; `order`: dimensions from the outermost to the innermost."""
    strides, stride = [0] * len(shape), 1
    for dimension in reversed(order):
        strides[dimension] = stride
        stride *= max(shape[dimension], 1)
    return tuple(strides)


def _layout(shape: Sequence[int], stride: Sequence[int]) -> tuple[int, ...] | None:
    """The order of dimensions in memory, empty where it is that of the shape; None with gaps or where it is unclear."""
    strides = tuple(stride)
    if strides == row_major(shape):
        return ()
    channels_last = _CHANNELS_LAST.get(len(shape))
    if channels_last is not None and strides == _strides(shape, channels_last):
        return channels_last
    order = tuple(sorted(range(len(shape)), key=lambda dimension: -strides[dimension]))
    return order if min(shape) > 1 and strides == _strides(shape, order) else None


def _form(output: Output, sizes: Mapping[int, int], found: Sequence[FakeTensor]) -> _Form | None:
    layout = _layout(output.shape, output.stride)
    symbols = tuple({1: _ONE, 0: _NONE}.get(size, sizes.get(size)) for size in output.shape)
    moved = output.how == VIEW and output.offset != found[output.place].storage_offset()
    if layout is None or moved or None in symbols:
        return None
    return _Form(output.how, output.place, output.dtype, symbols, layout)  # type: ignore[arg-type]


def _sized(form: _Form, sizes: Sequence[int], found: Sequence[FakeTensor]) -> Output:
    shape = tuple(sizes[symbol] for symbol in form.symbols)
    stride = _strides(shape, form.layout or range(len(shape)))
    offset = int(found[form.place].storage_offset()) if form.how == VIEW else 0
    return Output(form.how, form.place, form.dtype, shape, stride, offset)
