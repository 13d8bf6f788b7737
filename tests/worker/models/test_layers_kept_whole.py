"""Layers that a model of transformers keeps whole stay so where bitsandbytes packs the others."""

from __future__ import annotations

import pytest
import torch
from transformers import T5Config, T5ForConditionalGeneration

from advisor.core.bundled import resource
from advisor.worker.models.quantised import QuantisedLinear, quantise_frozen
from advisor.workload.workload import Quantization, Training

FEED_FORWARD = "encoder.block.0.layer.1.DenseReluDense"


@pytest.mark.parametrize(("scheme", "packed"), [("nf4", False), ("int8", False), ("gptq", True)])
def test_the_layer_of_t5_that_casts_to_its_weights_type_is_packed_by_gptq_alone(
    scheme: Quantization, *, packed: bool
) -> None:
    model = T5ForConditionalGeneration(
        T5Config(d_model=128, d_ff=256, d_kv=16, num_layers=1, num_heads=2, vocab_size=64)
    ).requires_grad_(requires_grad=False)
    training = Training(precision="bf16_amp", batch_size=1, trainable="lora", quantization=scheme)
    quantise_frozen(model, training, torch.float32, model.lm_head)
    assert isinstance(model.get_submodule(f"{FEED_FORWARD}.wi"), QuantisedLinear)
    assert isinstance(model.get_submodule(f"{FEED_FORWARD}.wo"), QuantisedLinear) is packed


@pytest.mark.parametrize("scheme", ["nf4", "int8"])
def test_the_launch_script_packs_what_the_trace_packs_of_t5(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (resource("launch") / "parts" / f"quantise_{scheme}.py.txt").read_text(encoding="utf-8")
    monkeypatch.setitem(__import__("sys").modules, "bitsandbytes", _Library)
    names: dict[str, object] = {"torch": torch, "nn": torch.nn, "NEW_HEADS": ()}
    exec(text, names)
    model = T5ForConditionalGeneration(
        T5Config(d_model=128, d_ff=256, d_kv=16, num_layers=1, num_heads=2, vocab_size=64)
    )
    names["quantise"](model)  # type: ignore[operator]
    assert isinstance(model.get_submodule(f"{FEED_FORWARD}.wi"), _Packed)
    assert not isinstance(model.get_submodule(f"{FEED_FORWARD}.wo"), _Packed)
    assert not isinstance(model.lm_head, _Packed)


class _Packed(torch.nn.Linear):
    """Stands for a layer of bitsandbytes, which needs a GPU: as large, and made by the same arguments."""

    def __init__(self, inputs: int, outputs: int, *, bias: bool, **_: object) -> None:
        super().__init__(inputs, outputs, bias=bias)


def _packed_weight(data: torch.Tensor, **_: object) -> torch.nn.Parameter:
    return torch.nn.Parameter(data, requires_grad=False)


class _Library:
    class nn:  # noqa: N801 - the library's own name
        Linear4bit = _Packed
        Linear8bitLt = _Packed
        Params4bit = _packed_weight
        Int8Params = _packed_weight
