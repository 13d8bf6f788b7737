"""A configuration whose weights are published packed is trained by adapters, unless somebody says otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.core.sentences import say
from advisor.worker.models.load_model import load
from advisor.workload.assumptions import assumed_reason
from advisor.workload.model_config import STORED_QUANTIZATION, clean_config
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

SMALL: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 32, "num_hidden_layers": 1,
    "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 64, "vocab_size": 64,
}  # fmt: skip
IN_FOUR_BITS = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}


def described(folder: Path, packed: object, **overrides: object) -> Workload:
    path = folder / "config.json"
    path.write_text(json.dumps({**SMALL, "quantization_config": packed}), "utf-8")
    return load_workload(path, overrides={"sequence_length": 8, **overrides})


@pytest.mark.parametrize(
    ("packed", "expected"),
    [
        (IN_FOUR_BITS, "nf4"),
        ({"_load_in_8bit": True, "_load_in_4bit": False}, "int8"),
        ({"quant_method": "gptq", "bits": 4}, "gptq"),
    ],
)
def test_packed_weights_are_trained_by_adapters_which_is_told(tmp_path: Path, packed: object, expected: str) -> None:
    workload = described(tmp_path, packed)
    assert (workload.training.trainable, workload.training.quantization) == ("lora", expected)
    assumed = assumed_reason(workload)
    assert assumed is not None
    for language in ("en", "zh"):
        assert "training.trainable = lora" in say(assumed, language)
        assert f"training.quantization = {expected}" in say(assumed, language)


def test_who_says_what_is_trained_is_followed_and_told_that_weights_are_unpacked(tmp_path: Path) -> None:
    workload = described(tmp_path, IN_FOUR_BITS, trainable="all")
    assert (workload.training.trainable, workload.training.quantization) == ("all", None)
    (note,) = load(workload, traced=True).notes
    assert note.code == "workload-stored-packed"
    assert '`quantization = "nf4"`' in say(note, "en")


@pytest.mark.parametrize("method", ["awq", "mxfp4", "compressed-tensors"])
def test_a_packing_that_is_not_predicted_is_told_to_be_left_out(tmp_path: Path, method: str) -> None:
    workload = described(tmp_path, {"quant_method": method})
    assert (workload.training.trainable, workload.training.quantization) == ("all", None)
    (note,) = load(workload, traced=True).notes
    for language in ("en", "zh"):
        assert method in say(note, language)
    assert "not predicted" in say(note, "en")


@pytest.mark.parametrize("packed", [None, "nf4", {}, {"quant_method": ["awq"]}, {"quant_method": "evil"}])
def test_what_tells_of_no_packing_leaves_nothing(packed: object) -> None:
    assert STORED_QUANTIZATION not in clean_config({**SMALL, "quantization_config": packed}, "test")
