"""Operators that a trace needs by name: kernels of quantised and FP8 layers, known by their shapes alone.

They have no arithmetic on a processor: such layers are predicted, not run.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.library import custom_op

FP8 = torch.float8_e4m3fn


def _on_fakes_only(name: str) -> NotImplementedError:
    return NotImplementedError(f"{name} is traced, never run: such layers are predicted only")


@custom_op("advisor::dequantise_scales", mutates_args=())
def dequantise_scales(scales: Tensor, second: Tensor) -> Tensor:
    """Scales of a byte, one for a block of weights, by FP32 scales of blocks of them: double quantisation."""
    del scales, second
    raise _on_fakes_only("dequantise_scales")


@dequantise_scales.register_fake
def _(scales: Tensor, second: Tensor) -> Tensor:
    del second
    return scales.new_empty(scales.shape, dtype=torch.float32)


@custom_op("advisor::dequantise_blocks", mutates_args=())
def dequantise_blocks(packed: Tensor, scales: Tensor, sizes: list[int], dtype: torch.dtype) -> Tensor:
    """Weights of `sizes` in `dtype` from packed bytes and their scales, in one kernel."""
    del packed, scales, sizes, dtype
    raise _on_fakes_only("dequantise_blocks")


@dequantise_blocks.register_fake
def _(packed: Tensor, scales: Tensor, sizes: list[int], dtype: torch.dtype) -> Tensor:
    del scales
    return packed.new_empty(sizes, dtype=dtype)


@custom_op("advisor::dequantise_groups", mutates_args=())
def dequantise_groups(packed: Tensor, scales: Tensor, zeros: Tensor, sizes: list[int], dtype: torch.dtype) -> Tensor:
    """Weights of `sizes` in `dtype` from packed words, a scale and a zero for each group of inputs, in one kernel."""
    del packed, scales, zeros, sizes, dtype
    raise _on_fakes_only("dequantise_groups")


@dequantise_groups.register_fake
def _(packed: Tensor, scales: Tensor, zeros: Tensor, sizes: list[int], dtype: torch.dtype) -> Tensor:
    del scales, zeros
    return packed.new_empty(sizes, dtype=dtype)


@custom_op("advisor::int8_rows", mutates_args=())
def int8_rows(values: Tensor) -> tuple[Tensor, Tensor]:
    """Rows as signed bytes, each with its FP32 scale."""
    del values
    raise _on_fakes_only("int8_rows")


@int8_rows.register_fake
def _(values: Tensor) -> tuple[Tensor, Tensor]:
    rows = values.shape[:-1]
    return values.new_empty(values.shape, dtype=torch.int8), values.new_empty(rows, dtype=torch.float32)


@custom_op("advisor::fp8_amax", mutates_args=())
def fp8_amax(values: Tensor) -> Tensor:
    """The largest magnitude, of which a tensor's scale is made."""
    del values
    raise _on_fakes_only("fp8_amax")


@fp8_amax.register_fake
def _(values: Tensor) -> Tensor:
    return values.new_empty((), dtype=torch.float32)


@custom_op("advisor::fp8_cast", mutates_args=())
def fp8_cast(values: Tensor, scale: Tensor | None) -> Tensor:
    """Scaled values in FP8; without a scale each row's own is found in the same pass."""
    del values, scale
    raise _on_fakes_only("fp8_cast")


@fp8_cast.register_fake
def _(values: Tensor, scale: Tensor | None) -> Tensor:
    del scale
    return values.new_empty(values.shape, dtype=FP8)


@custom_op("advisor::fp8_cast_transpose", mutates_args=())
def fp8_cast_transpose(values: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    """Scaled values of a matrix in FP8, as they lie and transposed, in one pass."""
    del values, scale
    raise _on_fakes_only("fp8_cast_transpose")


@fp8_cast_transpose.register_fake
def _(values: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    del scale
    rows, columns = values.shape
    return values.new_empty((rows, columns), dtype=FP8), values.new_empty((columns, rows), dtype=FP8)


@custom_op("advisor::byte_product", mutates_args=())
def byte_product(left: Tensor, right: Tensor, dtype: torch.dtype) -> Tensor:
    """(m, k) by (k, n) of numbers of a byte, FP8 or integers, with a result in `dtype`."""
    del left, right, dtype
    raise _on_fakes_only("byte_product")


@byte_product.register_fake
def _(left: Tensor, right: Tensor, dtype: torch.dtype) -> Tensor:
    return left.new_empty((left.shape[0], right.shape[1]), dtype=dtype)
