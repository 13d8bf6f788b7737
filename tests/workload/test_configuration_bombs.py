"""Configurations of no real model are refused by their key, before anything is built."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.core.errors import InputError
from advisor.workload.model_config import bundled_config, clean_config
from advisor.workload.workload import HuggingFaceModel
from advisor.workload.workload_file import load_workload
from tests.own_time import own_time

BOMBS: dict[str, tuple[str, dict[str, Any]]] = {
    "a million layers": ("num_hidden_layers", {"num_hidden_layers": 10**6}),
    "2^31 hidden": ("hidden_size", {"hidden_size": 2**31}),
    "negative layers": ("num_hidden_layers", {"num_hidden_layers": -12}),
    "negative width": ("hidden_size", {"hidden_size": -768}),
    "no width": ("hidden_size", {"hidden_size": 0}),
    "text for a size": ("hidden_size", {"hidden_size": "768"}),
    "an evil text": ("vocab_size", {"vocab_size": "__import__('os')"}),
    "a billion words": ("vocab_size", {"vocab_size": 10**9}),
    "a million heads": ("num_attention_heads", {"num_attention_heads": 10**6}),
    "2^40 inner": ("intermediate_size", {"intermediate_size": 2**40}),
    "a million experts": ("num_local_experts", {"num_local_experts": 10**6}),
    "nested": ("text_config.hidden_size", {"text_config": {"hidden_size": 2**31}}),
    "in a list": ("hidden_sizes", {"hidden_sizes": [64, 2**31]}),
    "deep stages": ("depths", {"depths": [3, 10**6]}),
    "a long list": ("layer_types", {"layer_types": ["full_attention"] * 5000}),
    "a float of layers": ("num_layers", {"num_layers": 1e12}),
    "a huge other number": ("max_position_embeddings", {"max_position_embeddings": 2**60}),
    "a million labels": ("num_labels", {"num_labels": 10**8}),
    "huge patches": ("patch_size", {"patch_size": 10**7}),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_configuration_bomb_is_refused_by_its_key_within_a_second_of_processor_time(
    tmp_path: Path, name: str
) -> None:
    key, change = BOMBS[name]
    (tmp_path / "config.json").write_text(json.dumps({**(bundled_config("llama-3-8b") or {}), **change}), "utf-8")

    def refused() -> InputError:
        with pytest.raises(InputError, match=f"`{key}`") as caught:
            load_workload(tmp_path)
        return caught.value

    error, spent_s = own_time(refused)
    assert spent_s < 1
    assert error.remedy
    assert "config.json" in error.text


def test_an_inline_bomb_is_refused_by_the_field_of_the_workload() -> None:
    config = {**(bundled_config("gpt2") or {}), "n_layer": 10**6}
    table = {
        "name": "x",
        "model": {"source": "huggingface", "config": config},
        "data": {"samples": 10, "sequence_length": 8},
        "training": {"precision": "fp32", "batch_size": 1},
    }
    with pytest.raises(InputError, match=r"model\.config: `n_layer` is `1000000`"):
        load_workload(table)


def test_keys_that_name_code_files_or_kernels_are_dropped_at_every_depth() -> None:
    evil = {
        "model_type": "llama",
        "auto_map": {"AutoModel": "evil--code.Model"},
        "trust_remote_code": True,
        "attn_implementation": "owner/repo",
        "_attn_implementation": "owner/repo",
        "experts_implementation": "owner/repo",
        "quantization_config": {"quant_method": "custom"},
        "text_config": {"auto_map": {}, "_attn_implementation_internal": "owner/repo", "hidden_size": 8},
        "hidden_size": 64,
    }
    clean = clean_config(evil, "test")
    assert clean == {"model_type": "llama", "text_config": {"hidden_size": 8}, "hidden_size": 64}


def test_a_configuration_of_over_a_mebibyte_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert", "x": "' + "y" * (1 << 20) + '"}', "utf-8")
    with pytest.raises(InputError, match="larger than 1048576 bytes"):
        load_workload(tmp_path)


def test_the_open_step_limit_of_published_state_space_models_is_read_and_no_other_infinity(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "mamba2", "time_step_limit": [0.0, Infinity]}', "utf-8")
    assert isinstance(load_workload(path, overrides={"sequence_length": 8}).model, HuggingFaceModel)
    path.write_text('{"model_type": "mamba2", "hidden_size": Infinity}', "utf-8")
    with pytest.raises(InputError, match="Infinity is no number"):
        load_workload(path)


def test_a_linked_folder_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").symlink_to(tmp_path / "config.json")
    with pytest.raises(InputError):
        load_workload(tmp_path)


PRODUCTS: dict[str, dict[str, Any]] = {
    "deep and wide": {"num_hidden_layers": 1000, "hidden_size": 262_144},
    "wide experts": {"num_local_experts": 65_536, "intermediate_size": 1_000_000},
    "nested": {"text_config": {"num_hidden_layers": 1000, "hidden_size": 262_144}},
    "words": {"vocab_size": 16_000_000, "hidden_size": 200_000, "num_hidden_layers": 100},
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_sizes_that_are_a_bomb_only_together_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({**(bundled_config("llama-3-8b") or {}), **PRODUCTS[name]}), "utf-8"
    )
    with pytest.raises(InputError, match="together make some"):
        load_workload(tmp_path)


def test_a_model_ten_times_the_largest_real_one_is_read(tmp_path: Path) -> None:
    large = {"num_hidden_layers": 200, "hidden_size": 16_384, "intermediate_size": 8192, "num_local_experts": 128}
    (tmp_path / "config.json").write_text(json.dumps({**(bundled_config("llama-3-8b") or {}), **large}), "utf-8")
    assert load_workload(tmp_path).model
