"""What an operator's schema, and the forms of its tensors, tell of its result before it runs."""

from __future__ import annotations

from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor

from advisor.worker.trace.ops.op_figures import is_view
from advisor.worker.trace.ops.raw_op import Args, Operator

CHOOSES_BY_MASK = "index"
"""Its output has a size known beforehand unless an index is a mask."""
_ASKING = frozenset([torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape, torch.Tag.inplace_view])
_NEVER = frozenset(["lift", "lift_fresh", "lift_fresh_copy", "set_", "resize_", "resize_as_", "_local_scalar_dense"])
STACK = torch.ops.aten.stack.default
_CPU = torch.device("cpu")


def is_torchs_own(func: Operator) -> bool:
    """Whether its shape rule is torch's: of others nobody knows what they do."""
    return not isinstance(func, OpOverload) or func.namespace in {"aten", "prims"}


def knowable(func: Operator, name: str) -> bool:
    """Whether the operator's result follows from the shapes of what it is given."""
    if not isinstance(func, OpOverload) or name in _NEVER or not is_torchs_own(func):
        return False
    if any(argument.is_out for argument in func._schema.arguments):  # noqa: SLF001 - torch's own modes read it
        return False  # what it is given to write into may be resized
    return name == CHOOSES_BY_MASK or _ASKING.isdisjoint(func.tags)


def gives_views(func: Operator, name: str) -> bool:
    """Whether it gives views of what it is given; what is written into is given back as it is."""
    infos = (one.alias_info for one in func._schema.returns)  # noqa: SLF001 - torch's own modes read it
    return is_view(name) or any(info is not None and not info.is_write for info in infos)


def written(func: Operator, args: Args) -> list[Any]:
    """The arguments by place that the operator writes into."""
    if not func._schema.is_mutable:  # noqa: SLF001 - torch's own modes read it
        return []
    infos = (argument.alias_info for argument in func._schema.arguments)  # noqa: SLF001 - as above
    return [value for value, info in zip(args, infos, strict=False) if info is not None and info.is_write]


def stacked(func: Operator, args: Args) -> list[int] | None:
    """The shape of a stack of contiguous tensors alike; torch's rule makes a view of each of them first.

    A loop that stacks all that it has so far makes as many views as the square of its rounds.
    """
    if func is not STACK or not args[0]:
        return None
    first = args[0][0]
    dim = args[1] if len(args) > 1 else 0
    dtype, shape_of_each = first.dtype, first.shape
    for tensor in args[0]:
        if type(tensor) is not FakeTensor or tensor.dtype != dtype or tensor.shape != shape_of_each:
            return None
        if tensor.fake_device != _CPU or not tensor.is_contiguous():
            return None
    shape = list(first.shape)
    shape.insert(dim if dim >= 0 else dim + first.dim() + 1, len(args[0]))
    return shape
