"""A workload becomes a real module that takes a real step, from every source and with every setting."""

from __future__ import annotations

import math
import resource
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from advisor.core.errors import InputError
from advisor.worker.models.load_model import LoadedModel, autocast, load
from advisor.worker.models.optimizers import MasterWeightOptimizer
from advisor.worker.models.trainable_parameters import LowRank
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload

TINY_BERT = {
    "model_type": "bert",
    "architectures": ["BertForMaskedLM"],
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "vocab_size": 100,
    "max_position_embeddings": 64,
}


def tiny(task: str = "sequence-classification", config: dict[str, Any] | None = None, **training: object) -> Workload:
    data = {"samples": 100, "sequence_length": 16}
    model = {"source": "huggingface", "config": config or TINY_BERT, "task": task}
    settings = {"precision": "fp32", "batch_size": 4, **training}
    return load_workload({"name": "tiny", "model": model, "data": data, "training": settings})


def template(name: str, layers: list[int], **data: int) -> Workload:
    model = {"source": "template", "template": name, "layers": layers, "vocabulary_size": 50, "classes": 3}
    return load_workload(
        {
            "name": name,
            "model": model,
            "data": {"samples": 100, **data},
            "training": {"precision": "fp32", "batch_size": 2, "optimizer": "adam"},
        }
    )


def step(workload: Workload, model: LoadedModel, batch_size: int = 2) -> float:
    optimizer = model.make_optimizer()
    batch = model.make_batch(batch_size)
    with autocast(workload.training.precision, "cpu"):
        loss = model.loss(model.module, batch)
    torch.autograd.backward([loss])
    if optimizer is not None:
        optimizer.step()
    return float(loss.detach())


@pytest.mark.parametrize("name", ["iris_mlp", "rnn_characters", "lstm_classifier"])
def test_a_small_bundled_workload_takes_a_real_step_that_changes_its_weights(name: str) -> None:
    workload = load_workload(name)
    model = load(workload)
    before = [parameter.detach().clone() for parameter in model.module.parameters()]
    loss = step(workload, model, workload.training.batch_size)
    assert math.isfinite(loss)
    assert any(not torch.equal(old, new) for old, new in zip(before, model.module.parameters(), strict=True))


def test_a_bundled_convolutional_workload_takes_a_real_step() -> None:
    workload = load_workload("resnet50", overrides={"image_size": 64, "precision": "fp32"})
    model = load(workload)
    assert math.isfinite(step(workload, model))
    assert model.full_block_count == 16


def test_a_bundled_python_workload_takes_a_real_step_without_consent_since_it_is_ours() -> None:
    workload = load_workload("unet_vgg16", overrides={"image_size": 32})
    assert math.isfinite(step(workload, load(workload), 1))


@pytest.mark.parametrize(
    "task", ["sequence-classification", "token-classification", "question-answering", "masked-lm", "causal-lm", "base"]
)
def test_every_text_task_gives_a_finite_loss_with_gradients(task: str) -> None:
    workload = tiny(task)
    assert math.isfinite(step(workload, load(workload)))


@pytest.mark.parametrize(
    ("name", "layers", "data"),
    [
        ("mlp", [8, 16, 3], {}),
        ("rnn", [16, 16], {"sequence_length": 5}),
        ("gru", [16], {"sequence_length": 5}),
        ("lstm", [16, 16], {"sequence_length": 5}),
        ("cnn", [8, 16], {"image_size": 16}),
        ("transformer", [16, 16], {"sequence_length": 5}),
    ],
)
def test_every_template_takes_a_real_step(name: str, layers: list[int], data: dict[str, int]) -> None:
    workload = template(name, layers, **data)
    assert math.isfinite(step(workload, load(workload)))


@pytest.mark.parametrize("optimizer", ["adamw", "adam", "sgd", "sgd_momentum", "adafactor"])
def test_every_optimizer_that_torch_has_steps(optimizer: str) -> None:
    workload = tiny(optimizer=optimizer)
    model = load(workload)
    step(workload, model)
    assert model.make_optimizer() is not None


def test_an_optimizer_that_is_only_predicted_says_so() -> None:
    with pytest.raises(InputError, match=r"`training.optimizer` is `lamb`"):
        load(tiny(optimizer="lamb")).make_optimizer()


@pytest.mark.parametrize("mode", ["inference", "forward_backward"])
def test_no_optimizer_is_made_where_no_step_is_taken(mode: str) -> None:
    model = load(tiny(mode=mode))
    assert model.make_optimizer() is None
    assert model.module.training is (mode != "inference")


def test_a_fused_optimizer_is_fused() -> None:
    optimizer = load(tiny(fused_optimizer=True)).make_optimizer()
    assert optimizer is not None
    assert optimizer.defaults["fused"] is True


@pytest.mark.parametrize("precision", ["fp16_amp", "bf16_amp", "bf16"])
def test_a_mixed_or_half_precision_step_is_real(precision: str) -> None:
    workload = tiny(precision=precision)
    assert math.isfinite(step(workload, load(workload)))


def test_half_weights_have_full_master_copies_in_the_optimizer() -> None:
    model = load(tiny(precision="bf16"))
    optimizer = model.make_optimizer()
    assert {parameter.dtype for parameter in model.module.parameters()} == {torch.bfloat16}
    assert isinstance(optimizer, MasterWeightOptimizer)
    assert {master.dtype for master in optimizer.masters} == {torch.float32}


def test_lora_trains_small_matrices_beside_query_and_value_and_the_new_head() -> None:
    workload = tiny(trainable="lora", lora_rank=4)
    model = load(workload)
    adapters = [name for name, module in model.module.named_modules() if isinstance(module, LowRank)]
    assert len(adapters) == 2 * 3
    trained = {name for name, parameter in model.module.named_parameters() if parameter.requires_grad}
    assert all(".down." in name or ".up." in name or name.startswith("classifier") for name in trained)
    assert sum(model.module.get_parameter(name).numel() for name in trained if "layer" in name) == 6 * 4 * (32 + 32)
    assert math.isfinite(step(workload, model))


@pytest.mark.parametrize("task", ["sequence-classification", "question-answering"])
def test_adapters_of_all_layers_leave_out_a_new_head_which_is_trained_whole(task: str) -> None:
    module = load(tiny(task, trainable="lora", lora_targets="all_linear")).module
    adapters = {name for name, child in module.named_modules() if isinstance(child, LowRank)}
    assert adapters
    assert not any(name.startswith(("classifier", "qa_outputs")) for name in adapters)
    head = module.get_parameter("classifier.weight" if task == "sequence-classification" else "qa_outputs.weight")
    assert head.requires_grad


@pytest.mark.parametrize("bits", [4, 8, 16])
def test_frozen_weights_of_few_bits_stand_in_half_beside_trained_full_ones(bits: int) -> None:
    workload = tiny(trainable="lora", precision="bf16_amp", weights_bits=bits)
    model = load(workload)
    types = {(parameter.requires_grad, parameter.dtype) for parameter in model.module.parameters()}
    assert types == {(True, torch.float32), (False, torch.bfloat16)}
    assert math.isfinite(step(workload, model))


@pytest.mark.parametrize(
    ("task", "stated", "bits", "stored"),
    [
        ("causal-lm", {}, None, torch.bfloat16),
        ("causal-lm", {"dtype": "float32"}, None, torch.float32),
        ("causal-lm", {}, 32, torch.float32),
        ("sequence-classification", {}, None, torch.float32),
        ("sequence-classification", {"dtype": "bfloat16"}, None, torch.bfloat16),
        ("sequence-classification", {"torch_dtype": "bfloat16"}, 32, torch.float32),
    ],
)
def test_frozen_weights_beside_adapters_are_as_the_model_is_published_unless_their_bits_are_said(
    task: str, stated: dict[str, str], bits: int | None, stored: torch.dtype
) -> None:
    config = {"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 50, "n_positions": 32}
    workload = tiny(task, config | stated, trainable="lora", precision="bf16_amp", weights_bits=bits)
    model = load(workload)
    frozen = {parameter.dtype for parameter in model.module.parameters() if not parameter.requires_grad}
    assert frozen == {stored}
    assert math.isfinite(step(workload, model))


def test_lora_finds_the_fused_projection_of_gpt2() -> None:
    config = {"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 50, "n_positions": 32}
    workload = tiny("causal-lm", config, trainable="lora", lora_rank=2)
    model = load(workload)
    adapters = [name for name, module in model.module.named_modules() if isinstance(module, LowRank)]
    assert [name.rpartition(".")[2] for name in adapters] == ["c_attn", "c_attn"]
    assert math.isfinite(step(workload, model))


def test_tied_weights_stay_tied_when_they_change_their_type_or_layout() -> None:
    config = {"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 50, "n_positions": 32}
    halved = tiny("causal-lm", config, trainable="lora", precision="bf16_amp", weights_bits=16)
    for workload in (tiny("causal-lm", config, channels_last=True), halved):
        module = load(workload).module
        assert module.get_parameter("lm_head.weight") is module.get_parameter("transformer.wte.weight")


def test_training_the_head_freezes_the_body() -> None:
    model = load(tiny(trainable="head"))
    trained = {name for name, parameter in model.module.named_parameters() if parameter.requires_grad}
    assert trained == {"classifier.weight", "classifier.bias"}


def test_bits_that_are_only_predicted_are_noted() -> None:
    model = load(tiny(trainable="lora", weights_bits=4, optimizer_bits=8))
    assert {note.code for note in model.notes} == {
        "workload-weights-bits-predicted-only",
        "workload-optimizer-bits-predicted-only",
    }


@pytest.mark.parametrize("workload", [tiny(), template("transformer", [16, 16], sequence_length=5)])
def test_checkpointing_computes_the_same_gradients(workload: Workload) -> None:
    gradients = []
    for checkpointing in (False, True):
        model = load(with_training(workload, activation_checkpointing=checkpointing))
        for module in model.module.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        torch.manual_seed(1)
        step(workload, model)
        gradients.append([parameter.grad for parameter in model.module.parameters() if parameter.grad is not None])
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(*gradients, strict=True))


def test_a_layer_limit_builds_only_so_many_blocks() -> None:
    model = load(tiny(), layer_limit=1)
    assert (model.block_count, model.full_block_count) == (1, 3)
    limited = load(load_workload("resnet50"), layer_limit=4)
    assert limited.block_count == 4
    assert limited.full_block_count == 16


def test_channels_last_reaches_weights_and_images() -> None:
    workload = load_workload("resnet50", overrides={"image_size": 32})
    model = load(workload)
    batch = model.make_batch(2)
    assert isinstance(batch, dict)
    assert batch["pixel_values"].is_contiguous(memory_format=torch.channels_last)
    weights = [parameter for parameter in model.module.parameters() if parameter.dim() == 4 and parameter.shape[-1] > 1]
    assert all(weight.is_contiguous(memory_format=torch.channels_last) for weight in weights)


def test_batches_are_random_data_of_the_real_type() -> None:
    model = load(tiny(precision="bf16"))
    first, second = model.make_batch(8), model.make_batch(8)
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert first["input_ids"].shape == (8, 16)
    assert not torch.equal(first["input_ids"], second["input_ids"])
    assert first["input_ids"].dtype == torch.int64
    images = load(load_workload("resnet50", overrides={"precision": "bf16"})).make_batch(1)
    assert isinstance(images, dict)
    assert images["pixel_values"].dtype == torch.bfloat16
    assert 0.9 < float(images["pixel_values"].float().std()) < 1.1


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_the_attention_that_is_asked_for_is_the_one_that_is_built(attention: str) -> None:
    model: Any = load(tiny(attention=attention))
    assert model.module.config._attn_implementation == attention


def test_llama_8b_is_built_under_fakes_without_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with FakeTensorMode():
        model = load(load_workload("llama_8b"))
        batch = model.make_batch(2)
    assert all(isinstance(parameter, FakeTensor) for parameter in model.module.parameters())
    assert {parameter.dtype for parameter in model.module.parameters()} == {torch.bfloat16}
    assert isinstance(batch, dict)
    assert batch["input_ids"].shape == (2, 2048)
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 1 << 20


def test_a_model_can_be_built_on_the_meta_device() -> None:
    model = load(tiny(), device="meta")
    assert {parameter.device.type for parameter in model.module.parameters()} == {"meta"}


def test_a_model_given_by_numbers_is_refused_with_a_reason() -> None:
    numbers = {"source": "numbers", "parameters": 1e6, "flop_per_sample": 1e9, "activation_bytes_per_sample": 1e6}
    table = {"name": "n", "model": numbers, "data": {"samples": 10}, "training": {"precision": "fp32", "batch_size": 1}}
    with pytest.raises(InputError, match="given by numbers"):
        load(load_workload(table))


def test_a_head_that_shares_its_weight_with_the_body_is_still_trained() -> None:
    config = {"model_type": "gpt2", "n_layer": 2, "n_embd": 32, "n_head": 2, "vocab_size": 100}
    model = load(tiny("causal-lm", config, trainable="head"))
    trained = {name for name, parameter in model.module.named_parameters() if parameter.requires_grad}
    assert trained == {"transformer.wte.weight"}
    (told,) = [note for note in model.notes if note.code == "workload-head-tied"]
    assert told.numbers["weight"] == "transformer.wte.weight"
    assert not [note for note in load(tiny(trainable="head")).notes if note.code == "workload-head-tied"]


def test_a_model_that_reads_a_projections_weight_itself_trains_by_adapters() -> None:
    config = {
        "model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": 100, "d_model": 32,
        "d_ff": 64, "d_kv": 16, "num_layers": 1, "num_heads": 2,
    }  # fmt: skip
    workload = tiny("seq2seq-lm", config, trainable="lora", lora_targets="all_linear")
    model = load(workload)
    assert [name for name, module in model.module.named_modules() if isinstance(module, LowRank) and "wo" in name]
    assert math.isfinite(step(workload, model))
