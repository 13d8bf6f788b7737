"""One call of an operator as a trace keeps it, and the bytes that its tensors take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from advisor.optable.op_table import OpKind

Tensor = torch.Tensor
Operator = Any
"""An operator of torch, as a dispatch mode is given it."""
Args = Sequence[Any]
Named = Mapping[str, Any]
"""Its arguments by place and by name."""


class RawOp(NamedTuple):
    """One call at one batch size: `fixed` must not depend on the batch, `figures` may."""

    kind: OpKind
    name: str
    element_bytes: int
    kernel_count: int
    shape: str
    """`matmul`, `convolution`, `attention`, `rnn`, or empty."""
    fixed: tuple[Any, ...]
    figures: tuple[float, ...]
    """(flop, bytes read, bytes written, then what the shape needs)."""


def size_bytes(tensor: Tensor) -> int:
    """Bytes of all elements, expanded dimensions counted in full."""
    return tensor.numel() * tensor.element_size()


def touched_bytes(tensor: Tensor) -> int:
    """Bytes that really lie in memory: an expanded dimension (stride 0) counts once."""
    count = tensor.element_size()
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        if stride != 0:
            count *= size
    return count
