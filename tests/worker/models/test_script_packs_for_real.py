"""What launch scripts do with packed weights, by the library itself, which packs on a processor too."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from advisor.core.bundled import resource

pytestmark = pytest.mark.with_frameworks


@pytest.fixture
def bitsandbytes() -> Any:
    return pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")


def packed_llama(scheme: str) -> tuple[torch.nn.Module, dict[str, torch.Tensor]]:
    """A small Llama with its layers packed by the script, adapters beside them, and the weights that it had before."""
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
        vocab_size=100,
    )  # fmt: skip
    factory: Any = AutoModelForCausalLM
    model = factory.from_config(config)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    names: dict[str, Any] = {"torch": torch, "nn": torch.nn, "NEW_HEADS": ()}
    for part in (f"quantise_{scheme}", "adapters"):
        exec((resource("launch") / "parts" / f"{part}.py.txt").read_text(encoding="utf-8"), names)
    names["quantise"](model)
    model = model.to("cpu", torch.bfloat16)
    names["add_adapters"](model, 4, (), torch.float32, torch.float32)
    return model, before


def test_a_packed_model_keeps_its_weights_to_four_bits_and_trains_its_adapters(bitsandbytes: Any) -> None:
    model, before = packed_llama("nf4")
    layers = {name: layer for name, layer in model.named_modules() if isinstance(layer, bitsandbytes.nn.Linear4bit)}
    assert len(layers) == 2 * 7
    for name, layer in layers.items():
        weight = before[f"{name.removesuffix('.base')}.weight"]
        unpacked = bitsandbytes.functional.dequantize_4bit(layer.weight.data, layer.weight.quant_state)
        assert layer.weight.data.numel() == weight.numel() / 2
        assert (unpacked.float() - weight).abs().max() < 0.2 * weight.abs().max()
    ids = torch.randint(0, 100, (2, 16))
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert len(trained) == 2 * len(layers)
    assert all(model.get_parameter(name).grad is not None for name in trained)


def test_eight_bits_take_the_weights_that_there_are(bitsandbytes: Any) -> None:
    model, before = packed_llama("int8")
    layers = {name: layer for name, layer in model.named_modules() if isinstance(layer, bitsandbytes.nn.Linear8bitLt)}
    assert len(layers) == 2 * 7
    for name, layer in layers.items():
        weight = before[f"{name.removesuffix('.base')}.weight"]
        unpacked = layer.weight.data.float() * layer.weight.SCB.reshape(-1, 1) / 127.0
        assert (unpacked - weight).abs().max() < 0.02 * weight.abs().max()
