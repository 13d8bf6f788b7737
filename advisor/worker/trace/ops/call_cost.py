"""What one dispatched call costs: its kernels, their work, and the buffers that no tensor shows."""

from __future__ import annotations

from typing import NamedTuple

import torch

from advisor.catalogue.precisions import FP32_BYTES
from advisor.worker.trace.ops.op_figures import raw_ops
from advisor.worker.trace.ops.raw_op import Args, Named, RawOp, size_bytes, tensors_in
from advisor.worker.trace.ops.rnn import RNN_OUTPUTS, workspace_bytes

Tensor = torch.Tensor
_EMBEDDING_BACKWARD = ("embedding_dense_backward", "_embedding_bag_backward", "_embedding_bag_dense_backward")
_ATTENTION_BACKWARD = frozenset(
    ["_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_efficient_attention_backward"]
)
INTENSITY_FLOP_PER_BYTE = 60.0
"""Rough balance of cards with tensor cores; only used to share backward's work out over its operators."""


class Cost(NamedTuple):
    """One call's kernels and hidden memory."""

    ops: tuple[RawOp, ...]
    work: tuple[float, ...]
    """Of each kernel in FLOP, traffic converted by INTENSITY_FLOP_PER_BYTE."""
    transient_bytes: int
    """Taken and given back inside the call."""
    convolution_bytes: int
    """Input plus output of a convolution, where cuDNN may take a workspace; else 0."""


NO_COST = Cost((), (), 0, 0)


def cost_of(name: str, args: Args, kwargs: Named, out: object) -> Cost:
    """The cost of a call that moves data; it follows from the shapes alone."""
    ops = tuple(raw_ops(name, args, kwargs, out))
    work = tuple(
        flop + INTENSITY_FLOP_PER_BYTE * (read + written) for flop, read, written, *_ in (o.figures for o in ops)
    )
    return Cost(ops, work, _transient_bytes(name, args), _convolution_bytes(name, args, out))


def _transient_bytes(name: str, args: Args) -> int:
    if name in _EMBEDDING_BACKWARD:
        # Sorted indices, their original places and per-segment offsets, each 8 bytes an index.
        return 4 * int(args[1].numel()) * 8
    if name in _ATTENTION_BACKWARD:
        # dQ is summed in FP32, and each row's dot product of output and its gradient is kept.
        query: Tensor = args[1]
        rows = query.numel() // query.shape[-1]
        return 4 * rows + (4 * query.numel() if query.element_size() < FP32_BYTES else 0)
    if name in RNN_OUTPUTS:
        return workspace_bytes(name, args)
    return 0


def _convolution_bytes(name: str, args: Args, out: object) -> int:
    if name == "convolution":
        return size_bytes(args[0]) + size_bytes(tensors_in(out)[0])
    if name == "convolution_backward":
        return size_bytes(args[1]) + size_bytes(args[0])
    return 0
