"""Linear layers whose three products run in FP8, with the casts and scales that each recipe needs.

tensorwise: torchao's dynamic scaling, one scale a tensor, found in a pass of its own. rowwise: a scale a row, found
while casting, or a scale a column, for which all rows are read before. Both cast a gradient twice: tensor cores take
FP8 operands along the inner side of a product alone, which is another side in each product, and what is cast along its
columns is read once more, since generated kernels write a transposed tensor so. rowwise scales by hand what backward's
products give, whose sums are kept in full: the kernel that scales rows by itself is too slow at that.
transformer_engine: scales of earlier steps, casts that write the transpose too, and FP8 inputs kept for backward.
Passes are counted as fused kernels, as torch.compile or the library make them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from advisor.worker.models.quantised_kernels import (
    byte_product,
    fp8_amax,
    fp8_cast,
    fp8_cast_columns,
    fp8_cast_transpose,
    fp8_column_amax,
    fp8_rescale,
)
from advisor.worker.models.trainable_parameters import is_projection, projection_sizes
from advisor.workload.workload import Fp8Recipe

_MULTIPLE = 16
"""Sizes that FP8 products need on tensor cores."""


def use_fp8(module: nn.Module, recipe: Fp8Recipe, head: nn.Module | None) -> None:
    """Replace every linear layer but `head` whose sizes are multiples of 16, in place.

    GPT-2's `Conv1D` of transformers is a linear layer that keeps its weight transposed.
    """
    for owner in list(module.modules()):
        for name, child in list(owner.named_children()):
            if not is_projection(child) or child is head:
                continue
            if all(size % _MULTIPLE == 0 for size in projection_sizes(child)):
                setattr(owner, name, Fp8Linear(child, recipe))


class Fp8Linear(nn.Module):
    """A linear layer with weights in the step's own type."""

    def __init__(self, linear: Any, recipe: Fp8Recipe) -> None:  # noqa: ANN401 - Linear or transformers' Conv1D
        """Take the parameters of `linear`."""
        super().__init__()
        self.in_features, self.out_features = projection_sizes(linear)
        self.weight, self.bias, self.recipe = linear.weight, linear.bias, recipe
        self.transposed = not isinstance(linear, nn.Linear)

    def forward(self, inputs: Tensor) -> Tensor:
        """Inputs (…, in) -> outputs (…, out) in 16 bit."""
        half = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else inputs.dtype
        with torch.autocast("cpu", enabled=False):
            rows = inputs.to(half).reshape(-1, self.in_features)
            weight = self.weight.t() if self.transposed else self.weight
            result: Tensor = _Product.apply(rows, weight, self.recipe)  # type: ignore[no-untyped-call]
            result = result if self.bias is None else result + self.bias.to(half)
            return result.reshape(*inputs.shape[:-1], self.out_features)


def _cast(values: Tensor, recipe: Fp8Recipe, *, columns: bool = False) -> Tensor:
    """FP8 values by scales that are found now: in a pass before, or row by row in the same one."""
    if columns:
        return _cast_columns(values, fp8_amax(values) if recipe == "tensorwise" else fp8_column_amax(values))
    cast: Tensor = fp8_cast(values, fp8_amax(values) if recipe == "tensorwise" else None)
    return cast


def _cast_columns(values: Tensor, scale: Tensor) -> Tensor:
    """The same, as a product takes it that adds up along the columns."""
    cast: Tensor = fp8_cast_columns(values, scale)
    return cast


def _scaled(product: Tensor, recipe: Fp8Recipe) -> Tensor:
    """What backward's products give, whose sums are kept in full: no kernel that does that scales rows and columns."""
    scaled: Tensor = product if recipe == "tensorwise" else fp8_rescale(product)
    return scaled


class _Product(torch.autograd.Function):
    """Output, input gradient and weight gradient, each a product of FP8 operands."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor, recipe: Fp8Recipe) -> Tensor:  # noqa: ANN401 - torch's own context
        ctx.recipe, ctx.dtype = recipe, rows.dtype
        if recipe == "transformer_engine":
            scale = rows.new_empty((), dtype=torch.float32)
            cast, transposed = fp8_cast_transpose(rows, scale)
            cast_weight, transposed_weight = fp8_cast_transpose(weight, scale)
            ctx.save_for_backward(transposed, transposed_weight, weight, scale)
        else:
            cast, cast_weight = _cast(rows, recipe), _cast(weight, recipe)
            ctx.save_for_backward(rows, weight)
        return byte_product(cast, cast_weight.t(), rows.dtype)  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None, None]:  # noqa: ANN401 - torch's own context
        gradient, recipe = gradients[0], ctx.recipe
        wanted = ctx.needs_input_grad
        if recipe == "transformer_engine":
            inputs, weights, weight, scale = ctx.saved_tensors
            cast, transposed = fp8_cast_transpose(gradient, scale)
            of_inputs = byte_product(cast, weights.t(), ctx.dtype) if wanted[0] else None
            of_weight = byte_product(transposed, inputs.t(), weight.dtype) if wanted[1] else None
            return of_inputs, of_weight, None
        rows, weight = ctx.saved_tensors
        scale = fp8_amax(gradient) if recipe == "tensorwise" else None
        of_inputs = of_weight = None
        if wanted[0]:
            product = byte_product(fp8_cast(gradient, scale), _cast(weight, recipe, columns=True), ctx.dtype)
            of_inputs = _scaled(product, recipe)
        if wanted[1]:
            columns = _cast_columns(gradient, fp8_column_amax(gradient) if scale is None else scale)
            product = byte_product(columns.t(), _cast(rows, recipe, columns=True), weight.dtype)
            of_weight = _scaled(product, recipe)
        return of_inputs, of_weight, None
