"""Adapters on named layers, losses in chunks and updates in backward do in a real step what they say."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import nn

from advisor.core.errors import InputError
from advisor.worker.models.fp8 import Fp8Linear, use_fp8
from advisor.worker.models.load_model import LoadedModel, autocast, load
from advisor.worker.models.trainable_parameters import LowRank, copied_parameters
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.training_step import TrainingStep
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 320,
    "architectures": ["LlamaForCausalLM"],
}
BERT = {
    "model_type": "bert",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 320,
    "architectures": ["BertForMaskedLM"],
}
T5 = {
    "model_type": "t5",
    "d_model": 64,
    "d_ff": 128,
    "num_layers": 2,
    "num_heads": 4,
    "d_kv": 16,
    "vocab_size": 320,
    "architectures": ["T5ForConditionalGeneration"],
}


def small(config: dict[str, Any], **training: Any) -> Workload:
    table = {
        "name": "small",
        "model": {"source": "huggingface", "config": dict(config)},
        "data": {"samples": 1000, "sequence_length": 48},
        "training": {"precision": "fp32", "batch_size": 2, **training},
    }
    return load_workload(table)


def adapters(loaded: LoadedModel) -> list[str]:
    return [name for name, module in loaded.module.named_modules() if isinstance(module, LowRank)]


def gradients(loaded: LoadedModel, batch: Any) -> tuple[float, dict[str, torch.Tensor]]:
    loss = loaded.loss(loaded.module, batch)
    loss.backward()  # type: ignore[no-untyped-call]
    found = {name: p.grad.clone() for name, p in loaded.module.named_parameters() if p.grad is not None}
    return float(loss), found


@pytest.mark.parametrize(("bits", "kept"), [(None, torch.float32), (32, torch.float32), (16, torch.bfloat16)])
def test_adapters_beside_half_weights_are_whole_unless_16_bits_are_asked_for(
    bits: int | None, kept: torch.dtype
) -> None:
    loaded = load(small(LLAMA, trainable="lora", precision="bf16_true", adapter_bits=bits))
    trained = [one for one in loaded.module.parameters() if one.requires_grad]
    assert {one.dtype for one in trained} == {kept}
    assert {one.dtype for one in loaded.module.parameters() if not one.requires_grad} == {torch.bfloat16}
    loss, grown = gradients(loaded, loaded.make_batch(2))
    assert math.isfinite(loss)
    assert {gradient.dtype for gradient in grown.values()} == {kept}


@pytest.mark.parametrize(
    ("precision", "bits", "kept"),
    [("bf16_amp", None, torch.float32), ("bf16_amp", 16, torch.bfloat16), ("fp16_amp", None, torch.float32)],
)
def test_under_autocast_adapters_are_in_half_only_where_16_bits_are_asked_for(
    precision: str, bits: int | None, kept: torch.dtype
) -> None:
    workload = small(LLAMA, trainable="lora", precision=precision, adapter_bits=bits)
    loaded = load(workload)
    trained = [one for one in loaded.module.parameters() if one.requires_grad]
    assert {one.dtype for one in trained} == {kept}
    assert not any(one.dtype == torch.float32 for one in loaded.module.parameters() if not one.requires_grad)
    optimizer = loaded.make_optimizer()
    assert optimizer is not None
    with autocast(workload.training.precision, "cpu"):
        loss = loaded.loss(loaded.module, loaded.make_batch(2))
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    assert math.isfinite(float(loss.detach()))


def test_adapters_sit_where_they_were_asked_for() -> None:
    def ends(targets: Any) -> set[str]:
        names = adapters(load(small(LLAMA, trainable="lora", lora_targets=targets)))
        assert len(names) % 3 == 0
        return {name.rpartition(".")[2] for name in names}

    assert ends(None) == {"q_proj", "v_proj"}  # as PEFT by itself
    assert ends("attention") == {"q_proj", "k_proj", "v_proj", "o_proj"}
    assert ends(["down_proj", "mlp.up_proj"]) == {"down_proj", "up_proj"}
    every = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
    assert ends("all_linear") == every  # the output head stays as it is


def test_a_copy_of_what_is_named_is_trained_beside_the_adapters_and_the_original_stays() -> None:
    plain = load(small(LLAMA, trainable="lora", lora_targets="all_linear"))
    saved = load(
        small(
            LLAMA, trainable="lora", lora_targets="all_linear", modules_to_save=["embed_tokens", "lm_head", "up_proj"]
        )
    )
    assert "up_proj" not in {name.rpartition(".")[2] for name in adapters(saved)}
    copies = copied_parameters(saved.module)
    own = dict(plain.module.named_parameters())
    named = [
        own[name] for name in own if name.endswith(("embed_tokens.weight", "lm_head.weight", "up_proj.base.weight"))
    ]
    assert sorted(map(torch.numel, copies)) == sorted(map(torch.numel, named))
    assert all(copy.requires_grad for copy in copies)
    frozen = [p for p in saved.module.parameters() if not p.requires_grad]
    assert sum(map(torch.numel, frozen)) == sum(p.numel() for p in own.values() if not p.requires_grad)
    loss = saved.loss(saved.module, saved.make_batch(2))
    loss.backward()  # type: ignore[no-untyped-call]
    assert all(copy.grad is not None for copy in copies)


def test_a_shared_weight_has_a_copy_in_every_module_that_is_named() -> None:
    tied = {**LLAMA, "tie_word_embeddings": True}
    saved = load(small(tied, trainable="lora", modules_to_save=["embed_tokens", "lm_head"])).module
    assert len({id(copy) for copy in copied_parameters(saved)}) == 2
    originals = [p for name, p in saved.named_parameters() if "original_" in name]
    assert len(originals) == 1


def test_copies_are_in_half_where_the_weights_are_but_under_a_gradient_scaler() -> None:
    def types(precision: str) -> set[torch.dtype]:
        loaded = load(small(LLAMA, precision=precision, trainable="lora", modules_to_save=["lm_head"]))
        return {copy.dtype for copy in copied_parameters(loaded.module)}

    assert types("bf16_amp") == types("bf16_true") == {torch.bfloat16}
    assert types("fp16_amp") == types("fp32") == {torch.float32}


def test_a_module_that_is_not_there_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError) as caught:
        load(small(LLAMA, trainable="lora", modules_to_save=["lm_heads"]))
    assert "training.modules_to_save" in str(caught.value)
    assert "lm_head" in caught.value.remedy


def test_a_layer_that_is_not_there_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError) as caught:
        load(small(LLAMA, trainable="lora", lora_targets=["q_prj"]))
    assert "q_prj" in str(caught.value)
    assert "q_proj" in caught.value.remedy


def test_a_model_whose_only_linear_layer_is_its_head_takes_no_adapters() -> None:
    picture = load_workload(
        {
            "name": "pictures",
            "model": {"source": "template", "template": "cnn", "layers": [8, 16], "classes": 10},
            "data": {"samples": 1000, "image_size": 32},
            "training": {"precision": "fp32", "batch_size": 2, "trainable": "lora"},
        }
    )
    with pytest.raises(InputError, match="no linear layer beside its head"):
        load(picture)


def test_a_layer_that_nothing_is_like_is_refused_with_the_names_of_the_models_own_layers() -> None:
    with pytest.raises(InputError) as caught:
        load(small(LLAMA, trainable="lora", lora_targets=["query_key_value"]))
    assert caught.value.remedy.startswith("Its linear layers: down_proj, gate_proj")


@pytest.mark.parametrize("config", [LLAMA, BERT, T5], ids=["llama", "bert", "t5"])
def test_a_loss_in_chunks_is_the_loss_and_so_are_its_gradients(config: dict[str, Any]) -> None:
    whole, chunked = load(small(config)), load(small(config, chunked_loss=True))
    for module in (whole.module, chunked.module):
        for child in module.modules():
            if isinstance(child, nn.Dropout):
                child.p = 0.0
        module.eval()
    torch.manual_seed(7)
    batch = whole.make_batch(2)
    assert isinstance(batch, dict)
    if config is T5:
        batch["decoder_input_ids"] = batch["labels"].roll(1, dims=-1)
    loss, of_whole = gradients(whole, batch)
    other, of_chunks = gradients(chunked, batch)
    assert other == pytest.approx(loss, rel=1e-5)
    assert of_chunks.keys() == of_whole.keys()
    for name, gradient in of_whole.items():
        torch.testing.assert_close(of_chunks[name], gradient, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", ["selective", "full"])
def test_checkpointing_changes_no_gradient(kind: str) -> None:
    plain, saving = load(small(LLAMA)), load(small(LLAMA, activation_checkpointing=kind))
    batch = plain.make_batch(2)
    loss, of_plain = gradients(plain, batch)
    other, of_saving = gradients(saving, batch)
    assert other == pytest.approx(loss, rel=1e-6)
    for name, gradient in of_plain.items():
        torch.testing.assert_close(of_saving[name], gradient)


def test_updates_in_backward_give_the_same_weights_and_leave_no_gradient() -> None:
    results = []
    for in_backward in (False, True):
        workload = small(LLAMA, optimizer_in_backward=in_backward, precision="bf16_true")
        loaded = load(workload)
        step = TrainingStep(loaded, workload, TorchDevice("cpu"))
        torch.manual_seed(5)
        step.set_batch_size(2)
        step()
        assert all(parameter.grad is None for parameter in loaded.module.parameters())
        assert all(parameter.dtype == torch.bfloat16 for parameter in loaded.module.parameters())
        results.append([parameter.detach().clone() for parameter in loaded.module.parameters()])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


def test_what_a_processor_cannot_run_is_said() -> None:
    codes = {note.code for note in load(small(LLAMA, precision="fp8", offload="optimizer")).notes}
    assert {"workload-fp8-predicted-only", "workload-offload-predicted-only"} <= codes
    quantised = load(small(LLAMA, trainable="lora", quantization="int8")).notes
    assert [note.numbers["bits"] for note in quantised if note.code == "workload-weights-bits-predicted-only"] == [8]


def test_gpt2s_form_of_a_linear_layer_is_cast_to_fp8_as_well() -> None:
    from transformers.pytorch_utils import Conv1D

    own = Conv1D(64, 32)  # type: ignore[no-untyped-call]
    module = nn.Sequential(own, nn.Linear(64, 30), nn.Linear(64, 32))
    use_fp8(module, "transformer_engine", None)
    assert [isinstance(child, Fp8Linear) for child in module] == [True, False, True]
    first = module[0]
    assert isinstance(first, Fp8Linear)
    assert (first.in_features, first.out_features) == (32, 64)
    assert first.weight.shape == (32, 64)
