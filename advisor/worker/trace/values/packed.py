"""Packed sequences under fake tensors: a recurrent stack runs as many rows as were packed, one call of cuDNN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensor
from torch.nn import functional
from torch.utils._python_dispatch import _disable_current_modes

from advisor.worker.trace.values.kept_values import with_values

Tensor = torch.Tensor
Kernel = Callable[..., Any]


def _sizes(batch_sizes: Tensor) -> list[int]:
    """Sequences that are still running at each step; raises the fakes' own refusal where the values are unknown."""
    sizes = batch_sizes.constant if isinstance(batch_sizes, FakeTensor) else batch_sizes
    if sizes is None:
        raise DataDependentOutputException(torch.ops.aten._pack_padded_sequence.default)  # noqa: SLF001 - torch's own name
    with _disable_current_modes():
        return [int(size) for size in sizes.tolist()]


def _padded(rows: Tensor, count: int) -> Tensor:
    """So many rows, the missing ones zero."""
    missing = count - rows.shape[0]
    return functional.pad(rows, (0, 0) * (rows.dim() - 1) + (0, missing)) if missing else rows


def packed_kernel(padded_kernel: Kernel) -> Kernel:
    """The kernel of packed rows, from that of (steps, batch, features): with as many sequences as run on average."""

    def kernel(data: Tensor, batch_sizes: Tensor, hx: Any, *rest: Any) -> tuple[Tensor, ...]:  # noqa: ANN401 - the operator's schema
        steps, rows = len(_sizes(batch_sizes)), data.shape[0]
        batch = -(-rows // steps)
        padded = _padded(data, steps * batch)
        batch_first = False
        output, *last = padded_kernel(padded.view(steps, batch, data.shape[1]), hx, *rest, batch_first)
        return (output.flatten(0, 1)[:rows], *last)

    return kernel


def unpacked(data: Tensor, batch_sizes: Tensor, batch_first: bool, _padding: Any, total_length: int) -> tuple[Any, ...]:  # noqa: ANN401 - the operator's schema
    """Packed rows as (steps, batch, …) or (batch, steps, …), and each sequence's length."""
    sizes = _sizes(batch_sizes)
    steps, batch = max(len(sizes), total_length), sizes[0]
    padded = _padded(data, steps * batch).view(steps, batch, *data.shape[1:])
    with _disable_current_modes():
        lengths = torch.tensor([sum(size > place for size in sizes) for place in range(batch)])
    with_lengths = with_values(batch_sizes.fake_mode, lengths) if isinstance(batch_sizes, FakeTensor) else lengths
    return padded.transpose(0, 1) if batch_first else padded, with_lengths


def packed_backward(grad: Tensor, input_size: list[int], batch_sizes: Tensor, batch_first: bool) -> Tensor:
    """The gradient of the padded input, from that of the packed rows."""
    steps = len(_sizes(batch_sizes))
    batch = input_size[0 if batch_first else 1]
    padded = _padded(grad, steps * batch).view(steps, batch, *grad.shape[1:])
    whole = functional.pad(padded, (0, 0) * (grad.dim()) + (0, input_size[1 if batch_first else 0] - steps))
    return whole.transpose(0, 1) if batch_first else whole
