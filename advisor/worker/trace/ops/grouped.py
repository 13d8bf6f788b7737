"""Products of many groups of rows with a weight each, as mixtures of experts run them."""

from __future__ import annotations

from typing import Any

import torch

from advisor.worker.trace.ops.raw_op import RawOp, size_bytes, touched_bytes

Tensor = torch.Tensor
_PER_GROUP = "grouped_mm_fallback"
"""transformers' own operator, which calls one product a group; torch's `_grouped_mm` is one kernel."""


def grouped_product(name: str, _kind: object, args: Any, _kwargs: dict[str, Any], out: object) -> list[RawOp]:  # noqa: ANN401 - any operator's arguments
    """Forward: 2 · rows · in · out operations in all, rows shared out evenly among the groups."""
    left, right = args[0], args[1]
    return [_product(name, left, right, out if isinstance(out, Tensor) else left)]


def grouped_product_backward(name: str, _kind: object, args: Any, _kwargs: dict[str, Any], out: Any) -> list[RawOp]:  # noqa: ANN401 - any operator's arguments
    """The backward of transformers (rows, weights, offsets, gradient): a product for the rows, one for the weights."""
    rows, weights, gradient = args[0], args[1], args[3]
    row_gradient, weight_gradient = out
    products = [_product(f"{name}_input", gradient, weights.transpose(-2, -1), row_gradient)]
    if weights.requires_grad:  # a card's kernels leave out what frozen experts do not need
        products.append(_product(f"{name}_weight", rows.t(), gradient, weight_gradient))
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
