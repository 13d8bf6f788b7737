"""What a model chooses by its values, made even: each choice comes as often as any other.

Meant for experts that a router gives work to: routers are trained towards this by their load-balancing losses (Fedus et
al. 2021, Switch Transformers), and what one without weights would choose is not known.
"""

from __future__ import annotations

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import _disable_current_modes

from advisor.worker.trace.kept_values import with_values
from advisor.worker.trace.ops.raw_op import Args, Named, Operator

Tensor = torch.Tensor
_AT_MOST = 1 << 24
"""Choices of one call."""
_TOPK, _ARGMAX, _MAX = torch.ops.aten.topk.default, torch.ops.aten.argmax.default, torch.ops.aten.max.dim
CHOOSING = frozenset({"topk", "argmax", "max"})
"""Operators that tell which of several are best, by name."""


def is_choice(func: Operator, args: Args) -> bool:
    """Whether an operator chooses among values that are not known."""
    return func in {_TOPK, _ARGMAX, _MAX} and isinstance(args[0], FakeTensor) and args[0].constant is None


def evenly_chosen(
    mode: FakeTensorMode,
    func: Operator,
    args: Args,
    kwargs: Named,
    out: Any,  # noqa: ANN401 - what its shape rule gave
) -> Any:  # noqa: ANN401 - the same
    """The result with known places: each in turn, so that all are chosen equally often."""
    chosen: Tensor = out if func is _ARGMAX else out[1]
    place = 2 if func is _TOPK else 1
    dimension = args[place] if len(args) > place else kwargs.get("dim", -1 if func is _TOPK else None)
    if chosen.numel() > _AT_MOST or args[0].dim() == 0:
        return out
    with _disable_current_modes():
        places = _in_turn(tuple(args[0].shape), tuple(chosen.shape), dimension, one=func is not _TOPK)
    known = with_values(mode, places)
    return known if func is _ARGMAX else (out[0], known)


def _in_turn(given: tuple[int, ...], wanted: tuple[int, ...], dimension: int | None, *, one: bool) -> Tensor:
    """Places along a dimension, one after the other from row to row."""
    count = torch.Size(wanted).numel()
    if dimension is None:
        return torch.zeros(wanted, dtype=torch.long)
    places = torch.arange(count) % given[dimension]
    if one:
        return places.reshape(wanted)
    others = [size for place, size in enumerate(wanted) if place != dimension % len(wanted)]
    return places.reshape(*others, wanted[dimension]).movedim(-1, dimension).contiguous()
