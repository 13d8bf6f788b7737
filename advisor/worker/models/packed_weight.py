"""A weight of few bits as it is stored: packed numbers with what makes weights of them again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from advisor.worker.models.quantised_kernels import dequantise_blocks, dequantise_groups, dequantise_scales
from advisor.workload.workload import Quantization

_NF4_BLOCK = 64
_NF4_SECOND_BLOCK = 256
_GPTQ_GROUP = 128
_GPTQ_WORD_BITS = 32


class Packed(nn.Module):
    """Bytes of a weight matrix, or a stack of them, with what is needed to make numbers of them again."""

    packed: Tensor
    scales: Tensor
    second_scales: Tensor
    zeros: Tensor

    def __init__(self, weight: Tensor, scheme: Quantization, bits: int) -> None:
        """Room for the packed form of `weight` (…, out, in); its values are not looked at."""
        super().__init__()
        self.scheme, self.bits = scheme, bits
        self.sizes = list(weight.shape)
        self.logical_count = weight.numel()
        """Weights that the bytes stand for."""
        made = _sizes(weight, scheme, bits)
        for name, (shape, dtype) in made.items():
            parameter = nn.Parameter(torch.empty(shape, dtype=dtype, device=weight.device), requires_grad=False)
            self.register_parameter(name, parameter)

    def dequantised(self, dtype: torch.dtype, expert: int | None = None) -> Tensor:
        """The weights (…, out, in) in `dtype`; of one expert of a stack (out, in) where its number is given."""
        sizes = self.sizes if expert is None else self.sizes[1:]
        packed, scales = self._piece(self.packed, expert), self._piece(self.scales, expert)
        if self.scheme == "nf4":
            scales = dequantise_scales(scales, self._piece(self.second_scales, expert))
        if self.scheme != "gptq":
            return dequantise_blocks(packed, scales, sizes, dtype)  # type: ignore[no-any-return]
        groups: Tensor = dequantise_groups(packed, scales, self._piece(self.zeros, expert), sizes, dtype)
        return groups

    def _piece(self, tensor: Tensor, expert: int | None) -> Tensor:
        """What of a stored tensor belongs to one expert: experts lie one after the other."""
        if expert is None:
            return tensor
        length = tensor.shape[0]
        return tensor[expert * length // self.sizes[0] : (expert + 1) * length // self.sizes[0]]


def _sizes(weight: Tensor, scheme: Quantization, bits: int) -> dict[str, tuple[tuple[int, ...], torch.dtype]]:
    """Shape and type of each stored tensor."""
    count, rows = weight.numel(), weight.numel() // weight.shape[-1]
    if scheme == "nf4":
        blocks = -(-count // _NF4_BLOCK)
        return {
            "packed": ((-(-count // 2),), torch.uint8),
            "scales": ((blocks,), torch.uint8),
            "second_scales": ((-(-blocks // _NF4_SECOND_BLOCK),), torch.float32),
        }
    if scheme == "int8":
        return {"packed": (tuple(weight.shape), torch.int8), "scales": ((rows,), torch.float32)}
    stacked, (out_size, in_size) = tuple(weight.shape[:-2]), weight.shape[-2:]
    groups = rows // out_size * -(-in_size // min(_GPTQ_GROUP, in_size))
    words = -(-in_size * bits // _GPTQ_WORD_BITS)
    return {
        "packed": ((*stacked, words, out_size), torch.int32),
        "scales": ((groups, out_size), torch.float16),
        "zeros": ((groups, out_size), torch.int8),
    }
