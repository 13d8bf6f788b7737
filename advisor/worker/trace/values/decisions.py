"""What a model decides by its values, noted while it runs for real on the processor and told to its trace in turn.

A detector keeps as many boxes as overlap little, and trains on as many as match: fakes know none of these numbers. One
forward pass in FP32 finds them, whatever precision and device the trace is of; the trace asks the same questions in the
same order, or ends.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from advisor.worker.causes import nested_was_made, value_was_asked
from advisor.worker.trace.ops.raw_op import Args, Named, Operator

Tensor = torch.Tensor
NOT_DECIDED = object()
"""Given where an operator's result follows from shapes."""
_ASKING = frozenset([torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape])
_OF_TORCH = frozenset(["aten", "prims", "prim"])
_PUTTING = {torch.ops.aten.index_put.default, torch.ops.aten.index_put_.default}
_MASKED = {torch.ops.aten.index.Tensor, *_PUTTING}
_MASKS = frozenset([torch.bool, torch.uint8])
_COUNT = "count_of_marked"
"""Under which a fake mask keeps how many it marks: backward takes the same mask."""
_SEED = 0


class Differs(Exception):  # noqa: N818 - what happened
    """A trace asks another question than the real pass did at this place."""


class Size(NamedTuple):
    """One tensor of an answer."""

    shape: tuple[int, ...]
    dtype: torch.dtype


class Decision(NamedTuple):
    """One question and its answer."""

    operator: str
    asked: tuple[tuple[int, ...], ...]
    """Shapes of the tensors that it is about."""
    answer: Any
    """A number; sizes of what came out; of an index by masks how many each one marks."""

    @property
    def changes_sizes(self) -> bool:
        """Whether the size of a tensor followed from values."""
        return any(isinstance(part, Size) for part in _parts(self.answer)) or isinstance(self.answer, Marked)


class Marked(NamedTuple):
    """How many each mask among indices marks; None for an index that is none."""

    counts: tuple[int | None, ...]


class Decisions(NamedTuple):
    """What a model decided in real passes."""

    first: tuple[Decision, ...]
    """In its very first, which may fill caches that later ones read, at the smallest batch size."""
    steady: dict[int, tuple[Decision, ...]]
    """In later ones, by batch size."""

    @property
    def change_sizes(self) -> bool:
        """Whether the size of any tensor followed from values."""
        return bool(self._changing())

    @property
    def by_lengths(self) -> bool:
        """Whether all such values were lengths of targets, as CTC's table of probabilities has."""
        return all("ctc_loss" in decision.operator for decision in self._changing())

    def _changing(self) -> list[Decision]:
        return [decision for each in self.steady.values() for decision in each if decision.changes_sizes]


class Noting(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While active, every answer that follows from values is written down."""

    def __init__(self) -> None:
        """Nothing is decided yet."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.decisions: list[Decision] = []

    def __torch_dispatch__(self, func: Operator, types: object, args: Args = (), kwargs: Named | None = None) -> Any:  # noqa: ANN401 - whatever the operator returns
        """Run the operator, then note what it decided."""
        del types
        kwargs = kwargs or {}
        if not _asks(func, args):
            return func(*args, **kwargs)
        asked = _asked(args, kwargs)
        marked = Marked(tuple(_marked(index) for index in args[1])) if func in _MASKED else None
        out = func(*args, **kwargs)
        self.decisions.append(Decision(str(func), asked, marked or tree_map(_size, out)))
        return out


class Told:
    """The decisions of one real pass, told one after the other to a trace of the same pass."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        """All of them are still to be told."""
        self._decisions = decisions
        self._place = 0

    def answer(self, func: Operator, args: Args, kwargs: Named, *, forward: bool) -> Any:  # noqa: ANN401 - whatever the operator returns
        """What the operator gives, or NOT_DECIDED where its shape rule tells; raises Differs."""
        if not forward:
            return _by_known_masks(func, args, kwargs)
        if not _asks(func, args):
            return NOT_DECIDED
        decision = self._decisions[self._place] if self._place < len(self._decisions) else None
        if decision is None or decision[:2] != (str(func), _asked(args, kwargs)):
            raise Differs(f"{func} where the real pass has {decision and decision.operator}")
        self._place += 1
        if isinstance(decision.answer, Marked):
            for index, count in zip(args[1], decision.answer.counts, strict=True):
                if count is not None:
                    vars(index)[_COUNT] = count
            return _by_known_masks(func, args, kwargs)
        if func.namespace not in _OF_TORCH:
            try:
                return func(*args, **kwargs)
            except Exception as error:
                if value_was_asked(error) is None and not nested_was_made(error):
                    raise
        return _made(decision.answer, args)

    def end(self) -> None:
        """Raise Differs unless forward has asked all that the real pass did."""
        if self._place < len(self._decisions):
            raise Differs(f"nothing where the real pass has {self._decisions[self._place].operator}")


@contextmanager
def drawn_alike() -> Iterator[None]:
    """Whatever is drawn inside is the same each time; the program's own draws go on as if nothing was."""
    numpy = sys.modules.get("numpy")
    before = random.getstate(), None if numpy is None else numpy.random.get_state()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        random.seed(_SEED)
        if numpy is not None:
            numpy.random.seed(_SEED)
        try:
            yield
        finally:
            random.setstate(before[0])
            if numpy is not None:
                numpy.random.set_state(before[1])


def _asks(func: Operator, args: Args) -> bool:
    """Whether values decide what comes out; of operators from elsewhere nobody knows."""
    if not isinstance(func, OpOverload):
        return False
    if func in _MASKED:
        return any(isinstance(index, Tensor) and index.dtype in _MASKS for index in args[1])
    return func.namespace not in _OF_TORCH or not _ASKING.isdisjoint(func.tags)


def _asked(args: Args, kwargs: Named) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(value.shape) for value in tree_leaves((args, dict(kwargs))) if isinstance(value, Tensor))


def _marked(index: object) -> int | None:
    return int(index.count_nonzero()) if isinstance(index, Tensor) and index.dtype in _MASKS else None


def _size(value: object) -> object:
    return Size(tuple(value.shape), value.dtype) if isinstance(value, Tensor) else value


def _parts(answer: Any) -> list[Any]:  # noqa: ANN401 - see Decision
    if isinstance(answer, (tuple, list)) and not isinstance(answer, (Size, Marked)):
        return [part for item in answer for part in _parts(item)]
    return [answer]


def _made(answer: Any, args: Args) -> Any:  # noqa: ANN401 - as above
    """Tensors of these sizes; what came out as real numbers is of the type that goes in here."""
    if isinstance(answer, Size):
        real = next((v.dtype for v in tree_leaves(args) if isinstance(v, Tensor) and v.is_floating_point()), None)
        dtype = real if answer.dtype.is_floating_point and real is not None else answer.dtype
        return torch.empty(answer.shape, dtype=dtype)
    if isinstance(answer, (tuple, list)):
        return type(answer)([_made(item, args) for item in answer])
    return answer


def _by_known_masks(func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
    """The result with each mask whose count is known as that many places, one tensor a dimension."""
    if func not in _MASKED:
        return NOT_DECIDED
    entries = [entry for index in args[1] for entry in _places(index)]
    if len(entries) == len(args[1]) and all(a is b for a, b in zip(entries, args[1], strict=True)):
        return NOT_DECIDED
    if func in _PUTTING:
        # Its shape rule takes values of any shape, and backward alone would complain of them.
        args[2].expand(torch.ops.aten.index.Tensor(args[0], entries).shape)
    return func(args[0], entries, *args[2:], **kwargs)


def _places(index: Any) -> list[Any]:  # noqa: ANN401 - a tensor or None
    count = vars(index).get(_COUNT) if isinstance(index, Tensor) else None
    return [index] if count is None else [torch.empty(count, dtype=torch.long) for _ in range(index.dim())]
