"""Attention of models that transformers computes product by product, and their makers' own library in one kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any

from torch import Tensor, nn

from advisor.worker.models.foreign import Network


def fused_elsewhere(class_: type[Network], attention: str) -> bool:
    """Whether a description means that library's kernels: it names flash attention, which this class does not have."""
    return attention == "flash" and class_.__name__.startswith(tuple(_MAKERS_OWN))


def fuse_attention(module: Network) -> None:
    """Let a model attend as its makers' library does, in place."""
    for child in module.modules():
        forward = _MAKERS_OWN.get(type(child).__name__.removesuffix("Attention"))
        if forward is not None:
            child.forward = MethodType(forward, child)


def _as_llm_foundry(
    self: Any,  # noqa: ANN401 - MptAttention
    hidden_states: Tensor,
    position_bias: Tensor | None = None,  # noqa: ARG001 - ALiBi: the kernel works it out from two places
    past_key_values: Any = None,  # noqa: ANN401 - transformers' cache
    attention_mask: Tensor | None = None,  # noqa: ARG001 - causal
    **_: Any,  # noqa: ANN401 - what changes no work
) -> tuple[Tensor, None]:
    mixed = self.Wqkv(hidden_states)
    if self.clip_qkv:
        mixed = mixed.clamp(min=-self.clip_qkv, max=self.clip_qkv)
    shape = (*hidden_states.shape[:2], self.n_heads, self.head_dim)
    query, key, value = (part.reshape(shape).transpose(1, 2) for part in mixed.chunk(3, dim=2))
    if past_key_values is not None:
        key, value = past_key_values.update(key, value, self.layer_idx)
    attended = nn.functional.scaled_dot_product_attention(
        query,
        key,
        value,
        dropout_p=self.attn_dropout_p if self.training else 0.0,
        is_causal=query.shape[2] == key.shape[2],
        scale=self.softmax_scale,
    )
    result: Tensor = self.out_proj(attended.transpose(1, 2).reshape(hidden_states.shape))
    return result, None


_MAKERS_OWN: Mapping[str, Callable[..., tuple[Tensor, None]]] = {"Mpt": _as_llm_foundry}
"""By the beginning of the classes' names."""
