"""Any model of timm as its own benchmark runs it: cross-entropy on random classes; attention fused where asked for."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

_SCALED = ("Attention", "RelPosAttention")


def build_model(name: str, *, fused_attention: bool = False, scaled_scores: bool = False, **how: object) -> nn.Module:
    """`scaled_scores`: as before timm 0.9 (May 2023), whose attention scales the scores, not the queries."""
    import timm

    timm.layers.set_fused_attn(fused_attention)
    model = timm.create_model(name, **how)
    for module in model.modules() if scaled_scores else ():
        if type(module).__name__ in _SCALED:
            module.forward = partial(_with_scaled_scores, module)
    return model


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor, Tensor]:
    return torch.zeros(batch_size, 3, length, length), torch.zeros(batch_size, dtype=torch.long)


def training_step(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """The loss in FP32, as under autocast."""
    output = model(batch[0])
    output = output[0] if isinstance(output, (tuple, list)) else output
    return F.cross_entropy(output.float(), batch[1])


def _with_scaled_scores(own: Any, tokens: Tensor, shared_rel_pos: Tensor | None = None, **_masks: object) -> Tensor:
    """Of tokens (batch, count, width): one more pass over (batch, heads, count, count) scores than today's."""
    batch, count, width = tokens.shape
    heads = own.qkv(tokens).reshape(batch, count, 3, own.num_heads, width // own.num_heads)
    query, key, value = heads.permute(2, 0, 3, 1, 4).unbind(0)
    scores = (query @ key.transpose(-2, -1)) * own.scale
    if getattr(own, "rel_pos", None) is not None:
        scores = own.rel_pos(scores, shared_rel_pos=shared_rel_pos)
    joined = own.attn_drop(scores.softmax(dim=-1)) @ value
    joined = joined.transpose(1, 2).reshape(batch, count, width)
    return own.proj_drop(own.proj(joined))
