"""Sizes of a language model are read by whichever names its family gives them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.claims.generated import cached_bytes_per_token
from advisor.workload.config_sizes import head_count, head_size, key_value_head_count, layer_count

GPT2 = {"n_layer": 12, "n_head": 12, "n_embd": 768}
LLAMA = {"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "hidden_size": 4096}
T5 = {"num_layers": 24, "num_heads": 128, "d_model": 1024, "d_kv": 128}
FALCON_7B = {
    "num_hidden_layers": 32, "num_attention_heads": 71, "num_kv_heads": 71, "hidden_size": 4544,
    "multi_query": True, "new_decoder_architecture": False,
}  # fmt: skip
FALCON_40B = {
    "num_hidden_layers": 60, "num_attention_heads": 128, "num_kv_heads": 8, "hidden_size": 8192,
    "multi_query": True, "new_decoder_architecture": True,
}  # fmt: skip
MPT = {"n_layers": 32, "n_heads": 32, "d_model": 4096}
DBRX = {"n_layers": 40, "n_heads": 48, "d_model": 6144, "attn_config": {"kv_n_heads": 8}}
BLOOM = {"n_layer": 70, "n_head": 112, "hidden_size": 14336}
GEMMA = {"num_hidden_layers": 28, "num_attention_heads": 16, "hidden_size": 3072, "head_dim": 256}


@pytest.mark.parametrize(
    ("config", "sizes"),
    [
        (GPT2, (12, 12, 12, 64)),
        (LLAMA, (32, 32, 8, 128)),
        (T5, (24, 128, 128, 128)),
        (FALCON_7B, (32, 71, 1, 64)),
        (FALCON_40B, (60, 128, 8, 64)),
        (MPT, (32, 32, 32, 128)),
        (DBRX, (40, 48, 8, 128)),
        (BLOOM, (70, 112, 112, 128)),
        (GEMMA, (28, 16, 16, 256)),
        (
            {"vision_config": {"num_hidden_layers": 24, "num_attention_heads": 16}, "text_config": LLAMA},
            (32, 32, 8, 128),
        ),
        ({"model_type": "resnet", "depths": [3, 4, 6, 3]}, (None, None, None, None)),
        ({"num_hidden_layers": True, "num_attention_heads": "32", "hidden_size": 0}, (None, None, None, None)),
    ],
    ids=[
        "gpt2",
        "llama",
        "t5",
        "falcon-7b",
        "falcon-40b",
        "mpt",
        "dbrx",
        "bloom",
        "gemma",
        "nested",
        "none",
        "no sizes",
    ],
)
def test_layers_heads_and_head_sizes_are_read(config: dict[str, Any], sizes: tuple[int | None, ...]) -> None:
    assert (layer_count(config), head_count(config), key_value_head_count(config), head_size(config)) == sizes


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (GPT2, 12 * 12 * 64 * 4),
        (LLAMA, 32 * 8 * 128 * 4),
        (FALCON_7B, 32 * 64 * 4),
        (MPT, 32 * 32 * 128 * 4),
        (BLOOM, 70 * 112 * 128 * 4),
        ({"text_config": LLAMA}, 32 * 8 * 128 * 4),
        ({"text_config": {**LLAMA, "sliding_window": 4096}}, 0),
        (
            {"num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "num_attention_heads": 128},
            61 * 576 * 2,
        ),
        ({}, 0),
    ],
)
def test_a_token_keeps_keys_and_values_of_all_layers(config: dict[str, Any], expected: int) -> None:
    assert cached_bytes_per_token(config) == expected
