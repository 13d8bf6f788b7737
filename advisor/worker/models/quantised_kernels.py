"""Operators that a trace needs by name: kernels of quantised and FP8 layers, known by their shapes alone.

They have no arithmetic on a processor: such layers are predicted, not run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.library import define, infer_schema, register_fake

FP8 = torch.float8_e4m3fn


def _operator(shapes: Callable[..., Any]) -> Callable[..., Any]:
    """The operator `advisor::NAME` by a function of its name and arguments that makes results of the right shapes."""
    name: str = shapes.__name__
    define(f"advisor::{name}", infer_schema(shapes, mutates_args=()))
    register_fake(f"advisor::{name}", shapes)
    operator: Callable[..., Any] = getattr(torch.ops.advisor, name)
    return operator


@_operator
def dequantise_scales(scales: Tensor, _second: Tensor) -> Tensor:
    """Scales of a byte, one for a block of weights, by FP32 scales of blocks of them: double quantisation."""
    return scales.new_empty(scales.shape, dtype=torch.float32)


@_operator
def dequantise_blocks(packed: Tensor, _scales: Tensor, sizes: list[int], dtype: torch.dtype) -> Tensor:
    """Weights of `sizes` in `dtype` from packed bytes and their scales, in one kernel."""
    return packed.new_empty(sizes, dtype=dtype)


@_operator
def dequantise_groups(packed: Tensor, _scales: Tensor, _zeros: Tensor, sizes: list[int], dtype: torch.dtype) -> Tensor:
    """Weights of `sizes` in `dtype` from packed words, a scale and a zero for each group of inputs, in one kernel."""
    return packed.new_empty(sizes, dtype=dtype)


@_operator
def int8_rows(values: Tensor) -> tuple[Tensor, Tensor]:
    """Rows as signed bytes, each with its FP32 scale."""
    rows = values.shape[:-1]
    return values.new_empty(values.shape, dtype=torch.int8), values.new_empty(rows, dtype=torch.float32)


@_operator
def fp8_amax(values: Tensor) -> Tensor:
    """The largest magnitude, of which a tensor's scale is made."""
    return values.new_empty((), dtype=torch.float32)


@_operator
def fp8_column_amax(values: Tensor) -> Tensor:
    """The largest magnitude of each column of a matrix."""
    return values.new_empty(values.shape[-1:], dtype=torch.float32)


@_operator
def fp8_cast(values: Tensor, _scale: Tensor | None) -> Tensor:
    """Scaled values in FP8; without a scale each row's own is found in the same pass."""
    return values.new_empty(values.shape, dtype=FP8)


@_operator
def fp8_cast_columns(values: Tensor, _scale: Tensor) -> Tensor:
    """Scaled values of a matrix in FP8, written transposed, so that columns lie in one piece."""
    return values.new_empty(values.shape, dtype=FP8)


@_operator
def fp8_rescale(product: Tensor) -> Tensor:
    """A product of scaled rows and columns with the scales of both taken off."""
    return torch.empty_like(product)


@_operator
def fp8_cast_transpose(values: Tensor, _scale: Tensor) -> tuple[Tensor, Tensor]:
    """Scaled values of a matrix in FP8, as they lie and transposed, in one pass."""
    rows, columns = values.shape
    return values.new_empty((rows, columns), dtype=FP8), values.new_empty((columns, rows), dtype=FP8)


@_operator
def byte_product(left: Tensor, right: Tensor, dtype: torch.dtype) -> Tensor:
    """(m, k) by (k, n) of numbers of a byte, FP8 or integers, with a result in `dtype`."""
    return left.new_empty((left.shape[0], right.shape[1]), dtype=dtype)


@_operator
def fused_rms_norm(values: Tensor, _weight: Tensor) -> tuple[Tensor, Tensor]:
    """Normed rows, and the number that each was scaled by."""
    return torch.empty_like(values), values.new_empty(values.shape[:-1], dtype=torch.float32)


@_operator
def fused_rms_norm_backward(
    gradient: Tensor, _values: Tensor, weight: Tensor, _scales: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients of rows and weight, in one pass."""
    return torch.empty_like(gradient), torch.empty_like(weight)


@_operator
def fused_rotary(query: Tensor, key: Tensor, _cos: Tensor, _sin: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys (batch, heads, length, width) turned by their places' angles."""
    return torch.empty_like(query), torch.empty_like(key)


@_operator
def fused_gate(gate: Tensor, _up: Tensor) -> Tensor:
    """One input, activated, times the other."""
    return torch.empty_like(gate)


@_operator
def fused_gate_backward(gradient: Tensor, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of both inputs; the activation is worked out again."""
    del gradient
    return torch.empty_like(gate), torch.empty_like(up)


@_operator
def fused_cross_entropy(logits: Tensor, _targets: Tensor) -> tuple[Tensor, Tensor]:
    """The loss of each row (rows, classes), and the number that its probabilities are scaled by."""
    rows = logits.shape[:1]
    return logits.new_empty(rows, dtype=torch.float32), logits.new_empty(rows, dtype=torch.float32)
