"""Low-rank adapters (LoRA): their usual rank, and the names of the layers that carry them."""

from __future__ import annotations

DEFAULT_RANK = 16
ATTENTION_LAYERS = (
    ("q_proj", "v_proj", "query", "value", "q_lin", "v_lin", "wq", "wv", "q", "v", "to_q", "to_v", "query_proj",
     "value_proj", "q_attn"),
    ("c_attn", "query_key_value", "qkv", "qkv_proj", "Wqkv", "in_proj", "attn_qkv", "c_qkv"),
)  # fmt: skip
"""Last parts of the names of attention's projections in known models: those of queries and values, which get the
adapters, and the fused ones, where a model has no others."""
