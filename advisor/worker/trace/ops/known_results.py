"""Results of operators already met: the same operator on tensors alike gives a tensor alike, and need not run again.

torch's own cache of fake tensors does the same, but to form its keys and results costs more than most operators' shape
rules. Here a call is known by its operator, its plain arguments and each tensor's type, shape and strides, and by their
offsets where it may give views; all that depends on more (values, shapes that follow from values, tensors that change
their own shape, complex numbers) is left to the fake-tensor mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeTensor

from advisor.worker.trace.ops.call_cost import Cost
from advisor.worker.trace.ops.op_schemas import CHOOSES_BY_MASK, STACK, gives_views, written
from advisor.worker.trace.ops.raw_op import Args, Named, Operator

Tensor = torch.Tensor
Key = tuple[Any, ...]
Run = Callable[[Operator, Args, Named], Any]
"""Runs an operator on its arguments."""
CostOf = Callable[[Operator, Args, Named, Any], Cost]
"""What an operator costs by its arguments and its result."""
_META = torch.device("meta")
_CPU = torch.device("cpu")
_MASKS = frozenset([torch.bool, torch.uint8, torch.int8])
_FRESH, _ITSELF, _VIEW = 0, 1, 2
_Number = int | float | None
"""What operators give beside tensors: attention the lengths that it took."""
_MOST_MET = 30_000
"""Calls; the set-ups of a language model that one question looks at have some 3,000."""
_MOST_STACKED = 64
"""Tensors of one stack that is remembered: what stacks more has as a rule one more of them each time."""
_PLAIN = frozenset([int, float, bool, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format])
"""Types of arguments that describe themselves."""


class _Output(NamedTuple):
    """One tensor of a result: fresh, an argument itself, or a view of an argument."""

    how: int
    place: int
    """Of that argument among the call's tensors."""
    dtype: torch.dtype
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int


class _Outputs(NamedTuple):
    """All that a result holds."""

    container: type | None
    """Tuple or list around it; None for a single tensor."""
    each: tuple[_Output | _Number, ...]

    @property
    def hold_views(self) -> bool:
        """Whether a tensor of it is a view of an argument."""
        return any(isinstance(one, _Output) and one.how == _VIEW for one in self.each)


class _Result(NamedTuple):
    """How to make one call's result again, and what the call costs."""

    outputs: _Outputs
    cost: Cost


class Met(dict[Key, _Result]):
    """Calls and their results, of one trace or of several: set-ups of one model differ in a few operators."""

    def leave_room(self) -> None:
        """Forget all where models have left more than one question takes."""
        if len(self) > _MOST_MET:
            self.clear()


class KnownResults:
    """Remembers the calls of one trace: layers are alike, and so are passes that run twice."""

    def __init__(self, apart: frozenset[str] = frozenset(), met: Met | None = None) -> None:
        """`met`: what earlier traces have; operators of the names `apart` always run."""
        self._apart = apart
        self._results = Met() if met is None else met
        self._placed: dict[Operator, bool] = {}
        """Whether where its tensors lie in their storages tells what an operator gives."""
        self._state: dict[str, object] = {}
        """Of every fake tensor that is made here: those of one trace have its mode in common."""
        self._marked = False
        """Whether a complex tensor was met: from then on a view may be marked as negated, which no key holds."""

    def call(  # noqa: PLR0913 - an operator, its arguments, and what to do about it
        self,
        func: Operator,
        name: str,
        args: Args,
        kwargs: Named,
        run: Run,
        cost_of: CostOf,
    ) -> tuple[Any, Cost]:
        """The operator's result and cost: known ones, else those of `run`, which are remembered where they can be."""
        inputs: list[FakeTensor] = []
        placed = self._placed.get(func)
        if placed is None:
            placed = self._placed[func] = gives_views(func, name)
        apart = name in self._apart or (func is STACK and len(args[0]) > _MOST_STACKED)
        key = None if apart else self._key(func, args, kwargs, inputs, placed=placed)
        result = None if key is None else self._results.get(key)
        if result is not None and self._state:
            return self._made(result.outputs, inputs), result.cost
        out = run(func, args, kwargs)
        cost = cost_of(func, args, kwargs, out)
        outputs = None if key is None else self._outputs(name, inputs, out)
        if outputs is not None and not placed and outputs.hold_views:
            outputs = None
        if key is not None and outputs is not None:
            self._results[key] = _Result(outputs, cost)
        return out, cost

    def _key(self, func: Operator, args: Args, kwargs: Named, inputs: list[FakeTensor], *, placed: bool) -> Key | None:
        """By what the call is known, its tensors added to `inputs`; None for a call that has to run.

        `placed`: their places in their storages, too; all experts of a layer may lie in one.
        """
        parts: list[Any] = [
            func,
            torch.get_default_dtype(),
            torch.is_inference_mode_enabled(),
            torch.is_autocast_enabled("cpu"),
        ]

        try:
            named = (self._add(parts, pair, inputs, placed=placed) for pair in kwargs.items())
            told = self._add(parts, args, inputs, placed=placed) and all(named)
            return tuple(parts) if told and self._goes_by_shape(func, args, inputs) else None
        except RuntimeError:  # a tensor without strides
            return None

    @staticmethod
    def _goes_by_shape(func: Operator, args: Args, inputs: Sequence[FakeTensor]) -> bool:
        """Whether no values decide: none are known, or too few of them to work out a result that keeps its own.

        Where values are known of what is written into, they are no longer.
        """
        known = sum(tensor.constant is not None for tensor in inputs)
        return known == 0 or (known < len(inputs) and not any(map(_has_values, written(func, args))))

    def _add(self, parts: list[Any], values: Iterable[Any], inputs: list[FakeTensor], *, placed: bool) -> bool:
        """Add what tells the values from others to `parts`, their tensors to `inputs`; whether all could be told."""
        for value in values:
            kind = type(value)
            if kind is FakeTensor:
                self._marked |= value.dtype.is_complex
                if self._marked and _is_marked(value):
                    return False
                inputs.append(value)
                parts += (value.dtype, value.shape, value.stride(), value.fake_device)
                if placed:
                    parts.append(value.storage_offset())
            elif kind in _PLAIN:
                parts += (kind, value)
            elif kind is list or kind is tuple:
                parts += (kind, len(value))
                if not self._add(parts, value, inputs, placed=placed):
                    return False
            else:
                return False
        return True

    def _outputs(self, name: str, inputs: Sequence[FakeTensor], out: object) -> _Outputs | None:
        """How the result comes from the call's tensors; None where it cannot be made again from its shape alone."""
        container = type(out) if type(out) in (tuple, list) else None
        held: Sequence[Any] = out if container is not None else (out,)  # type: ignore[assignment]
        every = [*inputs, *(value for value in held if not _is_number(value))]
        mode = every[0].fake_mode if every and type(every[0]) is FakeTensor else None
        for tensor in every:  # once: a loop that stacks all that it has so far gives thousands
            if type(tensor) is not FakeTensor or tensor.fake_mode is not mode:
                return (
                    None  # a fake of another mode is taken in as a copy: its views would pass for tensors of their own
                )
            if tensor.layout is not torch.strided:
                return None
            if _is_marked(tensor):
                self._marked = True
                return None
        if name == CHOOSES_BY_MASK and any(tensor.dtype in _MASKS for tensor in inputs):
            return None
        made = (tensor for tensor in every[len(inputs) :] if not any(tensor is given for given in inputs))
        if not all(self._is_ordinary(tensor) for tensor in made):
            return None
        each = _described(held, inputs)
        return None if each is None else _Outputs(container, each)

    def _is_ordinary(self, tensor: FakeTensor) -> bool:
        """Whether nothing about it stands in its Python state, which every remembered result shares."""
        if not self._state:
            if tensor.constant is not None or tensor.fake_device != _CPU or tensor.real_tensor is not None:
                return False
            self._state = dict(vars(tensor))
        return vars(tensor) == self._state and not tensor.requires_grad

    def _made(self, outputs: _Outputs, inputs: Sequence[FakeTensor]) -> Any:  # noqa: ANN401 - whatever the operator returned
        if outputs.container is None:
            return self._one(outputs.each[0], inputs)
        return outputs.container([self._one(output, inputs) for output in outputs.each])

    def _one(self, output: _Output | _Number, inputs: Sequence[FakeTensor]) -> FakeTensor | _Number:
        if not isinstance(output, _Output):
            return output
        how, place, dtype, shape, stride, offset = output
        if how == _ITSELF:
            return inputs[place]
        with torch._C._DisableTorchDispatch():  # noqa: SLF001 - as the fake-tensor mode makes its own
            if how == _FRESH:
                bare = torch.empty_strided(shape, stride, dtype=dtype, device=_META)
            else:
                bare = torch.empty((0,), dtype=dtype, device=_META)
                bare.set_(inputs[place].untyped_storage(), offset, shape, stride)
        made = Tensor._make_subclass(FakeTensor, bare, False, dispatch_device=True, device_for_backend_keys=_CPU)  # noqa: SLF001, FBT003 - the same
        torch._C._set_throw_on_mutable_data_ptr(made)  # noqa: SLF001 - the same
        made.__dict__.update(self._state)
        return made


def _has_values(value: object) -> bool:
    """Whether values are known of a tensor; of a list of them it is not looked at."""
    return not isinstance(value, FakeTensor) or value.constant is not None


def _is_marked(tensor: FakeTensor) -> bool:
    """Whether it is complex, and so may stand for its conjugate, or a part of one that stands for its negative."""
    return tensor.dtype.is_complex or tensor.is_neg()


def _is_number(value: object) -> bool:
    return type(value) in (int, float, type(None))


def _described(
    held: Sequence[FakeTensor | _Number], inputs: Sequence[FakeTensor]
) -> tuple[_Output | _Number, ...] | None:
    """How each tensor comes from the call's, numbers as they are; None where that is not certain."""
    storages = [tensor.untyped_storage()._cdata for tensor in inputs]  # noqa: SLF001 - the identity that views share
    fresh: set[int] = set()
    outputs: list[_Output | _Number] = []
    for tensor in held:
        if not isinstance(tensor, FakeTensor):
            outputs.append(tensor)
            continue
        storage = tensor.untyped_storage()._cdata  # noqa: SLF001 - the same
        places = [place for place, other in enumerate(storages) if other == storage]
        itself = [place for place in places if inputs[place] is tensor]
        if itself:
            outputs.append(_output(_ITSELF, itself[0], tensor))
        elif len(places) == 1:
            outputs.append(_output(_VIEW, places[0], tensor))
        elif places or storage in fresh or not _fills_its_storage(tensor):
            return None
        else:
            fresh.add(storage)
            outputs.append(_output(_FRESH, 0, tensor))
    return tuple(outputs)


def _output(how: int, place: int, tensor: Tensor) -> _Output:
    return _Output(how, place, tensor.dtype, tensor.shape, tensor.stride(), int(tensor.storage_offset()))


def _fills_its_storage(tensor: Tensor) -> bool:
    """Whether an empty tensor of the same shape and strides has as many bytes."""
    reach = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    needed = reach * tensor.element_size() if tensor.numel() else 0
    return tensor.storage_offset() == 0 and tensor.untyped_storage().nbytes() == needed
