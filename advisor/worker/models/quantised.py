"""Frozen weights of few bits, as QLoRA and its kin keep them: packed, with scales, dequantised whenever they are used.

nf4: Dettmers et al. 2023 as bitsandbytes computes it. gptq: Frantar et al. 2022 as its libraries' Triton layers compute
it, one kernel and a product. int8: Dettmers et al. 2022, products of bytes forward, dequantised weights backward.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from advisor.worker.models.packed_experts import pack_experts
from advisor.worker.models.packed_weight import Packed
from advisor.worker.models.quantised_kernels import byte_product, int8_rows
from advisor.worker.models.trainable_parameters import is_projection, projection_sizes
from advisor.workload.workload import Quantization, Training, quantization_of, stored_bits


def quantise_frozen(
    module: nn.Module, training: Training, dtype: torch.dtype, head: nn.Module | None, *, inputs_kept: bool = False
) -> None:
    """Pack every frozen linear layer but `head`, and every frozen stack of experts, in place.

    A stack is packed as the layers of which it is made are where each expert is a module, as until transformers 4 and
    in published runs; `whole_expert_bytes` tells what it takes where a library leaves it. GPT-2's projections are
    linear layers of transformers' own, whose weights stand transposed; libraries pack them like the others, but
    for layers that a model asks bitsandbytes to keep whole: T5's `wo`, which casts its inputs to its weight's type.
    `dtype` is what products compute in. Layers without a frozen weight are left as they are. `inputs_kept`: as in
    `TraceRequest.packed_inputs_kept`; products of bytes keep theirs at every release.
    """
    scheme, bits = quantization_of(training), stored_bits(training)
    if scheme is None or bits is None:
        return
    whole = _kept_whole(module) if scheme != "gptq" else frozenset()
    kept = scheme == "int8" or (inputs_kept and scheme == "nf4")
    for path, owner in list(module.named_modules()):
        for name, child in list(owner.named_children()):
            asked = whole.isdisjoint((*path.split("."), name))
            if asked and is_projection(child) and child is not head and not child.weight.requires_grad:
                setattr(owner, name, QuantisedLinear(child, scheme, bits, dtype, inputs_kept=kept))
        pack_experts(owner, scheme, bits, dtype)


def _kept_whole(module: nn.Module) -> frozenset[str]:
    """Names of the layers that a model of transformers keeps whole when bitsandbytes packs the others."""
    named = (getattr(part, "_keep_in_fp32_modules", None) or () for part in module.modules())
    return frozenset(name for names in named for name in names)


class QuantisedLinear(nn.Module):
    """A frozen linear layer whose weight is packed."""

    def __init__(
        self,
        linear: Any,  # noqa: ANN401 - Linear or transformers' Conv1D
        scheme: Quantization,
        bits: int,
        dtype: torch.dtype,
        *,
        inputs_kept: bool = False,
    ) -> None:
        """Take the sizes and the bias of `linear`."""
        super().__init__()
        self.in_features, self.out_features = projection_sizes(linear)
        weight = linear.weight if isinstance(linear, nn.Linear) else linear.weight.t()
        self.weight = Packed(weight, scheme, bits)
        self.bias = linear.bias
        self.dtype = dtype
        self.inputs_kept = inputs_kept

    def forward(self, inputs: Tensor) -> Tensor:
        """Inputs (…, in) -> outputs (…, out), in the inputs' type."""
        with torch.autocast("cpu", enabled=False):
            given = inputs.to(self.dtype)
            bias = None if self.bias is None else self.bias.to(self.dtype)
            if self.inputs_kept:
                given = _Kept.apply(given)  # type: ignore[no-untyped-call]
            result: Tensor = _Product.apply(given, self.weight, bias)  # type: ignore[no-untyped-call]
            return result if result.dtype == inputs.dtype else result.to(inputs.dtype)


class _Kept(torch.autograd.Function):
    """Keeps inputs until backward, as bitsandbytes does in places, though only a weight's gradient would need them."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor) -> Tensor:  # noqa: ANN401 - torch's own context
        ctx.save_for_backward(inputs)
        return inputs.view_as(inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:  # noqa: ANN401 - torch's own context
        del ctx
        return gradients[0]


class _Product(torch.autograd.Function):
    """Inputs by a packed weight, which is made once more in backward.

    It saves no tensor where checkpointing would see it, as its libraries don't: a block that ends in such a product is
    not computed again to the end.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Packed, bias: Tensor | None) -> Tensor:  # noqa: ANN401 - torch's own context
        ctx.weight, ctx.dtype = weight, inputs.dtype
        if weight.scheme != "int8":
            return nn.functional.linear(inputs, weight.dequantised(inputs.dtype), bias)
        rows, _scales = int8_rows(inputs.reshape(-1, inputs.shape[-1]))
        product = byte_product(rows, weight.packed.t(), torch.int32)
        scaled: Tensor = product.to(inputs.dtype).reshape(*inputs.shape[:-1], weight.sizes[0])
        return scaled if bias is None else scaled + bias

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:  # noqa: ANN401 - torch's own context
        gradient = gradients[0].to(ctx.dtype)
        return torch.matmul(gradient, ctx.weight.dequantised(ctx.dtype)), None, None
