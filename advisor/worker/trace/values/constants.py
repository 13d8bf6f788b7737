"""The few values that fake tensors do keep: tensors filled with one number, as a mask without padding is.

Libraries look at a mask's values and drop it where nothing is masked, which decides the attention kernel. A fake
tensor has no values, so the real batch's uniform tensors are remembered and followed through the operators that such
a look consists of.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import torch

from advisor.worker.replaced import replaced
from advisor.worker.trace.ops.raw_op import Args, tensors_in

Tensor = torch.Tensor
Number = bool | int | float
_FEWEST_ELEMENTS = 8
"""Fewer are equal by chance."""
_KEEPING = frozenset(["_to_copy", "clone", "view", "expand", "slice", "unsqueeze", "squeeze", "detach", "alias"])


def uniform_values(batch: object) -> list[Number | None]:
    """For each tensor of a real batch the one value of all its elements; None for all but masks and the like."""
    return [_uniform(tensor) for tensor in tensors_in(batch)]


def _uniform(tensor: Tensor) -> Number | None:
    if tensor.is_floating_point() or tensor.is_complex() or tensor.numel() < _FEWEST_ELEMENTS:
        return None
    first = tensor.flatten()[0]
    value: Number = first.item()
    return value if bool((tensor == first).all()) else None


class UniformValues:
    """Known values by tensor; forgotten with it, or when something is written into its storage."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self._known: dict[int, tuple[object, int, Number]] = {}

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self._known)

    def note(self, tensor: Tensor, value: Number) -> None:
        """All elements of `tensor` are `value`."""
        key = id(tensor)
        storage = tensor.untyped_storage()._cdata  # noqa: SLF001 - the identity that views share
        self._known[key] = (weakref.ref(tensor, lambda _: self._known.pop(key, None)), storage, value)

    def of(self, tensor: object) -> Number | None:
        """The value of all elements, where it is known."""
        entry = self._known.get(id(tensor))
        return None if entry is None else entry[2]

    def follow(self, name: str, args: Args, out: object) -> None:
        """What the result of an operator is known to be."""
        if not args or not isinstance(args[0], Tensor):
            return
        if name.endswith("_") or name == "copy_":
            storage = args[0].untyped_storage()._cdata  # noqa: SLF001 - as above
            self._known = {key: entry for key, entry in self._known.items() if entry[1] != storage}
            return
        value = self.of(args[0])
        if value is None or not isinstance(out, Tensor):
            return
        if name in _KEEPING:
            self.note(out, bool(value) if out.dtype == torch.bool else value)
        elif name == "sum" and out.numel() == 1:
            self.note(out, value * args[0].numel())
        elif name in {"eq", "ne"} and isinstance(args[1], bool | int | float):
            self.note(out, (value == args[1]) is (name == "eq"))
        elif name in {"all", "any"}:
            self.note(out, bool(value))
        elif name in {"bitwise_not", "logical_not"} and out.dtype == torch.bool:
            self.note(out, not value)


_FINITE = {"isfinite": True, "isnan": False, "isinf": False}


@contextmanager
def finite(values: UniformValues) -> Iterator[None]:
    """Activations are finite, as in any step that trains: models that clamp overflows look for them in vain."""

    def asked(original: Callable[..., Tensor], *, answer: bool) -> Callable[..., Tensor]:
        def of(tensor: Tensor, *rest: Any, **options: Any) -> Tensor:  # noqa: ANN401 - torch's own signature
            out = original(tensor, *rest, **options)
            if tensor.is_floating_point():
                values.note(out, answer)
            return out

        return of

    with ExitStack() as stack:
        for owner in (torch, Tensor):
            others = {name: asked(getattr(owner, name), answer=answer) for name, answer in _FINITE.items()}
            stack.enter_context(replaced(owner, **others))
        yield


def values_shown(values: UniformValues) -> AbstractContextManager[None]:
    """Let transformers look at masks whose values are known, as it does in a real step."""
    masking = sys.modules.get("transformers.masking_utils")
    original: Callable[..., bool] | None = getattr(masking, "is_tracing", None)
    if original is None:
        return nullcontext()

    def is_tracing(tensor: object = None) -> bool:
        return False if values.of(tensor) is not None else original(tensor)

    return replaced(masking, is_tracing=is_tracing)
