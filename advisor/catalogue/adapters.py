"""Low-rank adapters (LoRA): their usual settings, and the names of the layers that carry them."""

from __future__ import annotations

DEFAULT_RANK = 16
ADAPTER_ALPHA = 16
"""What adapters weigh, times their rank: what they add is scaled by alpha / rank."""
ADAPTER_DROPOUT = 0.05
ATTENTION_PARTS = ("attn", "attention")
"""What is in the names of modules of attention, whose projections all get adapters where `attention` is asked for."""
USUAL_LAYERS = (
    ("q_proj", "v_proj", "query", "value", "q_lin", "v_lin", "wq", "wv", "q", "v", "to_q", "to_v", "query_proj",
     "value_proj", "q_attn"),
    ("c_attn", "query_key_value", "qkv", "qkv_proj", "Wqkv", "in_proj", "attn_qkv", "c_qkv"),
)  # fmt: skip
"""Where nobody says which layers get adapters, those that PEFT takes by itself: of queries and values, or the fused
ones where a model has no others, by the last parts of their names in known models."""
