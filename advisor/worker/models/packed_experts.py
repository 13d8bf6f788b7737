"""Frozen stacks of experts of few bits, dequantised one expert after the other.

Libraries pack experts where each is a layer of its own: its weights are made anew, multiplied by and let go before the
next one's. Where transformers computes all experts by grouped products, a step is traced so as well: every expert's
weights are made, one at a time, and the product of all groups counts them all.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from advisor.worker.models.alike_rounds import standing_for
from advisor.worker.models.packed_weight import Packed
from advisor.worker.models.trainable_parameters import frozen_stacks
from advisor.workload.workload import Quantization

_GROUPED = "grouped_mm"
"""What transformers calls computing all experts by one product each of groups of rows."""


def pack_experts(owner: nn.Module, scheme: Quantization, bits: int, dtype: torch.dtype) -> None:
    """Frozen parameters (experts, rows, columns) become packed, in place; reading one gives its numbers, made anew."""
    names = frozen_stacks(owner)
    if not names:
        return
    kept = {name: Packed(getattr(owner, name), scheme, bits) for name in names}
    grouped = _reads_stacks_in_groups(owner)
    if grouped:
        _let_grouped_products_take_packed_stacks()

    def reading(name: str) -> property:
        def read(self: nn.Module) -> Tensor | ExpertStack:
            packed = getattr(self, f"{name}_packed")
            return ExpertStack(packed, dtype) if grouped else packed.dequantised(dtype)

        return property(read)

    kind = type(owner)
    for name, packed in kept.items():
        delattr(owner, name)
        owner.add_module(f"{name}_packed", packed)
    owner.__class__ = type(kind.__name__, (kind,), {name: reading(name) for name in names})


class ExpertStack:
    """Packed weights (experts, rows, columns) that a grouped product takes, and the type that they are made in."""

    def __init__(self, packed: Packed, dtype: torch.dtype) -> None:
        """Hold what is needed; nothing is made."""
        self.packed, self.dtype = packed, dtype

    def made(self) -> Tensor:
        """Every expert's weights made and let go but the last's, which stands for all of them in a product.

        The first finds none before it; the second, which lets that go, does what each of the others does.
        """
        count: int = self.packed.sizes[0]
        made = self.packed.dequantised(self.dtype, 0)
        if count > 1:
            with standing_for(count - 1):
                del made
                made = self.packed.dequantised(self.dtype, 1)
        return made.expand(count, *made.shape)


def _reads_stacks_in_groups(owner: nn.Module) -> bool:
    """Whether a module's stacks are read by transformers' grouped products alone."""
    config = getattr(owner, "config", None)
    return getattr(config, "_experts_implementation", None) == _GROUPED and hasattr(owner, "is_transposed")


def _let_grouped_products_take_packed_stacks() -> None:
    """Once for the process: what is not packed goes to transformers' own."""
    from transformers.integrations import moe

    original = moe._grouped_linear  # noqa: SLF001 - transformers has no setting for it
    if getattr(original, "knows_packed", False):
        return

    def linear(
        inputs: Tensor,
        weight: Tensor | ExpertStack,
        offs: Tensor,
        bias: Tensor | None = None,
        is_transposed: bool = False,  # noqa: FBT002 - transformers' own signature
    ) -> Tensor:
        if not isinstance(weight, ExpertStack):
            return original(inputs, weight, offs, bias=bias, is_transposed=is_transposed)
        product: Tensor = _GroupedProduct.apply(inputs, weight, offs, is_transposed)  # type: ignore[no-untyped-call]
        return product if bias is None else product + bias

    linear.knows_packed = True  # type: ignore[attr-defined]
    moe._grouped_linear = linear  # type: ignore[assignment] # noqa: SLF001 - the same


class _GroupedProduct(torch.autograd.Function):
    """Groups of rows by packed experts, whose weights are made once more in backward. Nothing is kept between."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, stack: ExpertStack, offs: Tensor, transposed: bool) -> Tensor:  # noqa: ANN401 - torch's own context, transformers' word
        ctx.stack, ctx.transposed, ctx.offs, ctx.dtype = stack, transposed, offs, inputs.dtype
        weight = stack.made()
        return _grouped(inputs, weight if transposed else weight.transpose(-2, -1), offs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:  # noqa: ANN401 - torch's own context
        weight = ctx.stack.made()
        gradient = _grouped(gradients[0], weight.transpose(-2, -1) if ctx.transposed else weight, ctx.offs)
        return gradient.to(ctx.dtype), None, None, None


def _grouped(inputs: Tensor, weight: Tensor, offs: Tensor) -> Tensor:
    from transformers.integrations import moe

    result: Tensor = moe._grouped_mm(inputs, weight, offs=offs)  # noqa: SLF001 - transformers has no setting for it
    return result
