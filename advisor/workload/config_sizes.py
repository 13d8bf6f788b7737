"""What a language model's configuration calls its layers, heads and widths: each family has names of its own.

A model of text beside pictures or sound keeps them in a part of its own (`text_config`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Config = Mapping[str, Any]
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
_KEY_VALUE_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv")
_WIDTHS = ("hidden_size", "n_embd", "d_model", "n_embed")
_HEAD_SIZES = ("head_dim", "d_kv")


def text_part(config: Config) -> Config:
    """The part that describes the model of text: the configuration itself, where it has no such part."""
    part = config.get("text_config")
    return part if isinstance(part, Mapping) else config


def layer_count(config: Config) -> int | None:
    """Layers of the model of text; None: nothing tells."""
    return _first(text_part(config), _LAYERS)


def width(config: Config) -> int | None:
    """Elements of the vector that each layer hands on of a token."""
    return _first(text_part(config), _WIDTHS)


def head_count(config: Config) -> int | None:
    """Heads of attention in a layer."""
    return _first(text_part(config), _HEADS)


def key_value_head_count(config: Config) -> int | None:
    """Heads that keys and values have: as many as queries have, one for all of them, or so many as are named."""
    text = text_part(config)
    if text.get("multi_query") is True and text.get("new_decoder_architecture") is not True:
        return 1  # Falcon's newer layers share them by groups, and name how many
    own = text.get("attn_config")
    of_own = _first(own, ("kv_n_heads",)) if isinstance(own, Mapping) else None
    return _first(text, _KEY_VALUE_HEADS) or of_own or head_count(config)


def head_size(config: Config) -> int | None:
    """Elements of one head: as is told, or its share of the model's width."""
    text = text_part(config)
    whole, heads = width(config), head_count(config)
    return _first(text, _HEAD_SIZES) or (whole // heads if whole and heads else None)


def compressed_size(config: Config) -> int | None:
    """Elements of the one vector that latent attention keeps of a token in the place of all keys and values."""
    text = text_part(config)
    rank = _first(text, ("kv_lora_rank",))
    return None if rank is None else rank + (_first(text, ("qk_rope_head_dim",)) or 0)


def _first(config: Config, names: tuple[str, ...]) -> int | None:
    """The first of these sizes that is told."""
    told = (config.get(name) for name in names)
    return next((size for size in told if isinstance(size, int) and not isinstance(size, bool) and size > 0), None)
