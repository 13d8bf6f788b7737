"""Any model of timm as its own benchmark runs it: cross-entropy on random classes; attention fused where asked for."""

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn


def build_model(name: str, *, fused_attention: bool = False) -> nn.Module:
    import timm

    timm.layers.set_fused_attn(fused_attention)
    return timm.create_model(name)


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor, Tensor]:
    return torch.zeros(batch_size, 3, length, length), torch.zeros(batch_size, dtype=torch.long)


def training_step(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """The loss in FP32, as under autocast."""
    output = model(batch[0])
    output = output[0] if isinstance(output, (tuple, list)) else output
    return F.cross_entropy(output.float(), batch[1])
