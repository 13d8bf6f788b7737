"""One call of an operator as it is dispatched and as a trace keeps it, and the bytes that its tensors take."""

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
    channel_values: int = 0
    """Values of each channel that a batch norm takes its statistics from in training; 0: it is none, or is frozen."""
    times: int = 1
    """How many calls alike it stands for: of a long loop only a few rounds are traced."""


class Call(NamedTuple):
    """One dispatched call; `name` is the operator's without namespace and overload (`convolution_backward`)."""

    name: str
    kind: OpKind
    args: Args
    kwargs: Named
    out: Any

    @property
    def inputs(self) -> list[Tensor]:
        """Tensors that it is given, in order."""
        return tensors_in(self.kwargs, tensors_in(self.args))

    @property
    def outputs(self) -> list[Tensor]:
        """Tensors that it gives."""
        return tensors_in(self.out)

    @property
    def read_bytes(self) -> int:
        """All that it is given, once."""
        return sum(map(touched_bytes, self.inputs))

    @property
    def written_bytes(self) -> int:
        """All that it gives."""
        return sum(size_bytes(tensor) for tensor in self.outputs)


def tensors_in(value: object, tensors: list[Tensor] | None = None) -> list[Tensor]:
    """Every tensor in nested tuples, lists and dicts, in order."""
    tensors = [] if tensors is None else tensors
    if isinstance(value, Tensor):
        tensors.append(value)
    elif isinstance(value, (tuple, list)):
        for item in value:
            if isinstance(item, Tensor):  # most are, and a call for each would take longer than the rest
                tensors.append(item)
            else:
                tensors_in(item, tensors)
    elif isinstance(value, dict):
        for item in value.values():
            tensors_in(item, tensors)
    return tensors


def touched_in(value: object) -> int:
    """`touched_bytes` of every tensor in nested tuples, lists and dicts."""
    return sum(touched_bytes(tensor) for tensor in tensors_in(value))


def size_bytes(tensor: Tensor) -> int:
    """Bytes of all elements, expanded dimensions counted in full."""
    return tensor.numel() * tensor.element_size()


def touched_bytes(tensor: Tensor) -> int:
    """Bytes that really lie in memory: an expanded dimension (stride 0) counts once."""
    if tensor.is_contiguous():
        return tensor.nbytes
    count = tensor.element_size()
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        if stride != 0:
            count *= size
    return count
