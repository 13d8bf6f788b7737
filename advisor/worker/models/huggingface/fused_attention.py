"""Attention of models for which transformers calls no SDPA, where a description names flash attention.

Some run product by product there, and in one kernel of their makers' own library; for others transformers takes flash
kernels that torch does not hold, as they know sinks or capped scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any

from torch import Tensor, nn
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.modeling_utils import AttentionInterface

from advisor.worker.models.foreign import Network

FLASH_ALONE = "one_kernel"
"""Names `_flash_alone` among transformers' implementations of attention, which takes words like flash for its own."""


def fused_elsewhere(class_: type[Network]) -> bool:
    """Whether its makers' own library has a kernel for what this class of transformers computes product by product."""
    return class_.__name__.startswith(tuple(_MAKERS_OWN))


def has_flash_alone(class_: type[Network]) -> bool:
    """Whether transformers has flash kernels for a class and no SDPA."""
    flash, exchanged = "_supports_flash_attn", "_supports_attention_backend"
    return all(getattr(class_, name, False) for name in (flash, exchanged)) and not getattr(
        class_, "_supports_sdpa", False
    )


def _flash_alone(
    module: Network,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    _mask: Tensor | None = None,
    **told: Any,  # noqa: ANN401 - windows, sinks and caps too, which such a kernel works out beside its products
) -> tuple[Tensor, None]:
    known = {name: told[name] for name in ("dropout", "scaling", "is_causal") if name in told}
    return sdpa_attention_forward(module, query, key, value, None, **known)


AttentionInterface.register(FLASH_ALONE, _flash_alone)


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
