"""Products of many groups of rows with a weight each, as mixtures of experts run them."""

from __future__ import annotations

import torch

from advisor.worker.trace.ops.raw_op import Call, RawOp, size_bytes, touched_bytes

Tensor = torch.Tensor
_PER_GROUP = "grouped_mm_fallback"
"""transformers' own operator, which calls one product a group; torch's `_grouped_mm` is one kernel."""


def grouped_product(call: Call) -> list[RawOp]:
    """Forward: 2 · rows · in · out operations in all, rows shared out evenly among the groups."""
    left, right = call.args[:2]
    return [_product(call.name, left, right, call.out if isinstance(call.out, Tensor) else left)]


def grouped_product_backward(call: Call) -> list[RawOp]:
    """The backward of transformers (rows, weights, offsets, gradient): a product for the rows, one for the weights."""
    rows, weights, _, gradient = call.args[:4]
    row_gradient, weight_gradient = call.out
    products = [_product(f"{call.name}_input", gradient, weights.transpose(-2, -1), row_gradient)]
    if weights.requires_grad:  # a card's kernels leave out what frozen experts do not need
        products.append(_product(f"{call.name}_weight", rows.t(), gradient, weight_gradient))
    return products


def _product(name: str, left: Tensor, right: Tensor, out: Tensor) -> RawOp:
    """One grouped product; of two matrices the shared dimension is what the groups divide."""
    groups, m, n, k = _sizes(left, right, out)
    kernels = max(1, round(groups)) if name.startswith(_PER_GROUP) else 1
    read, written = float(touched_bytes(left) + touched_bytes(right)), float(size_bytes(out))
    figures = (2.0 * groups * m * n * k, read, written, groups, m, n, k)
    return RawOp("matmul", name, left.element_size(), kernels, "matmul", (), figures)


def _sizes(left: Tensor, right: Tensor, out: Tensor) -> tuple[float, float, float, float]:
    """(groups, m, n, k) of a group of average size, from which operands have a dimension of groups."""
    stacked = 3
    m, k, n = float(left.shape[-2]), float(left.shape[-1]), float(right.shape[-1])
    if left.dim() == stacked and right.dim() == stacked:
        return float(left.shape[0]), m, n, k
    if right.dim() == stacked:
        groups = float(right.shape[0])
        return groups, m / groups, n, k
    if left.dim() == stacked:
        groups = float(left.shape[0])
        return groups, m, n / groups, k
    groups = float(out.shape[0]) if out.dim() == stacked else 1.0
    return groups, m, n, k / groups
