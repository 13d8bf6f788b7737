"""The launch script is whole for every method: it lints clean, runs on a processor, and bears its file's name."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load_file

from advisor.present.script import launch_script
from advisor.store.advice_record import AdviceRecord
from advisor.workload.model_config import resolve_config
from advisor.workload.workload import HuggingFaceModel, PythonModel, Workload, with_training
from advisor.workload.workload_file import bundled_names, load_workload
from tests.present.test_launch_script import advised, run_script, run_text

STRATEGIES = ("single", "ddp", "zero2", "fsdp", "fsdp_offload")
METHODS: dict[str, dict[str, object]] = {
    "adapters": {"trainable": "lora", "lora_targets": "all_linear"},
    "packed adapters": {"trainable": "lora", "quantization": "nf4", "weights_bits": 4},
    "packed adapters, prepared": {"trainable": "lora", "quantization": "nf4", "unpacked_bits": 32},
    "packed adapters, autocast": {"trainable": "lora", "quantization": "nf4", "precision": "bf16_amp"},
    "eight bits": {"optimizer_bits": 8},
    "in backward": {"optimizer_in_backward": True, "clip_gradient_norm": None},
    "full checkpointing": {"activation_checkpointing": "full"},
    "selective checkpointing": {"activation_checkpointing": "selective"},
    "kept on the host": {"offload": "activations"},
    "stepped on the host": {"offload": "optimizer", "clip_gradient_norm": 1.0},
    "at rest on the host": {"offload": "parameters"},
    "adapters beside half weights": {"trainable": "lora", "weights_bits": 16, "precision": "bf16_amp"},
    "fused layers": {"fused_layers": True},
    "loss in chunks": {"chunked_loss": True},
    "compiled": {"compile": True},
}
SHRUNK = {
    "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 16,
    "num_hidden_layers": 2, "vocab_size": 200, "n_embd": 32, "n_head": 2, "n_layer": 2, "d_model": 32,
    "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
    "encoder_attention_heads": 2, "decoder_attention_heads": 2, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "decoder_start_token_id": 1, "max_source_positions": 50, "embedding_size": 16,
    "hidden_sizes": [16, 16, 32, 64], "depths": [1, 1, 1, 1], "suppress_tokens": [], "begin_suppress_tokens": [],
}  # fmt: skip
"""A bundled model's own kind and data, with fewer and narrower layers: a processor is to train it in a test."""


def shrunk(name: str) -> Workload:
    workload = load_workload(name)
    model = workload.model
    if isinstance(model, HuggingFaceModel):
        known: dict[str, Any] = resolve_config(model.config)
        config = {key: SHRUNK.get(key, value) for key, value in known.items()}
        model = msgspec.structs.replace(model, config=config)
    elif isinstance(model, PythonModel) and "depth" in model.arguments:
        model = msgspec.structs.replace(model, arguments={**model.arguments, "depth": 1})
    data = msgspec.structs.replace(workload.data, samples=8, loader_workers=0)
    if data.sequence_length is not None:
        data = msgspec.structs.replace(data, sequence_length=16)
    return with_training(msgspec.structs.replace(workload, model=model, data=data), epochs=3)


def advice_for(workload: Workload, strategy: str = "single", count: int = 1, precision: str = "fp32") -> AdviceRecord:
    made = advised(
        strategy=strategy,
        count=count,
        precision=precision,
        batch_size_per_device=2,
        gradient_accumulation_steps=1,
        thread_count=1,
    )
    return msgspec.structs.replace(made, workload=workload)


def complaints(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--extend-select", "W,I,B,UP"]
    ended = subprocess.run([*command, "-"], input=text, capture_output=True, text=True, check=False)
    return ended.stdout if ended.returncode else ""


@pytest.mark.parametrize("name", bundled_names())
def test_the_script_of_every_bundled_workload_lints_clean(name: str) -> None:
    workload = load_workload(name)
    text = launch_script.render(advice_for(workload, "ddp", 2, workload.training.precision))
    assert complaints(text) == ""


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_lints_clean_with_every_strategy(strategy: str, method: str) -> None:
    workload = with_training(load_workload("gpt2_small"), **METHODS[method])
    text = launch_script.render(advice_for(workload, strategy, 1 if strategy == "single" else 2))
    ast.parse(text)
    assert complaints(text) == ""


@pytest.mark.parametrize("method", [name for name in METHODS if name != "compiled"])
def test_every_method_trains_on_a_processor(tmp_path: Path, method: str) -> None:
    workload = with_training(shrunk("gpt2_small"), **METHODS[method])
    made = advice_for(workload, precision=str(METHODS[method].get("precision", "fp32")))
    assert run_script(tmp_path, made, "--steps", "4")["steps"] == 4


@pytest.mark.parametrize(
    ("strategy", "precision", "method"),
    [
        ("zero2", "fp32", {}),
        ("fsdp", "bf16", {}),
        ("fsdp", "bf16_amp", {"chunked_loss": True, "activation_checkpointing": "full"}),
        ("fsdp_offload", "bf16_amp", {}),
    ],
)
def test_sharded_ranks_train_on_a_processor(
    tmp_path: Path, strategy: str, precision: str, method: dict[str, object]
) -> None:
    made = advice_for(with_training(shrunk("gpt2_small"), **method), strategy, 2, precision)
    folder = tmp_path / "checkpoint"
    assert run_script(tmp_path, made, "--steps", "2", "--save", str(folder), ranks=2)["steps"] == 2
    assert (folder / "model.safetensors").stat().st_size > 0


@pytest.mark.parametrize(("precision", "clip"), [("bf16", None), ("bf16_amp", 1.0)])
def test_a_split_model_trains_on_a_processor(tmp_path: Path, precision: str, clip: float | None) -> None:
    made = advice_for(with_training(shrunk("llama_8b"), clip_gradient_norm=clip), "tp", 2, precision)
    text = launch_script.render(made)
    assert "BATCH_SIZE = 2  # all devices together" in text
    assert "ACCUMULATION = 2  # micro-batches" in text
    assert complaints(text) == ""
    folder = tmp_path / "checkpoint"
    assert run_script(tmp_path, made, "--steps", "2", "--save", str(folder), ranks=2)["steps"] == 2
    assert (folder / "model.safetensors").stat().st_size > 0


@pytest.mark.parametrize(("strategy", "count", "precision"), [("single", 1, "fp32"), ("ddp", 2, "bf16_amp")])
def test_a_loss_in_chunks_trains_a_model_to_what_a_whole_one_does(
    tmp_path: Path, strategy: str, count: int, precision: str
) -> None:
    trained = {}
    for chunked in (True, False):
        # SGD: what a gradient errs by shows in the weights as it is.
        workload = with_training(shrunk("llama_8b"), trainable="all", optimizer="sgd", chunked_loss=chunked)
        text = launch_script.render(advice_for(workload, strategy, count, precision))
        assert ("ChunkedLoss" in text) is chunked
        assert "YOUR LOSS" not in text
        text = re.sub(r"^LEARNING_RATE = \S+", "LEARNING_RATE = 0.5", text, flags=re.MULTILINE)
        text = text.replace("    model = build_model()\n", "    torch.manual_seed(0)\n    model = build_model()\n")
        folder = tmp_path / str(chunked)
        folder.mkdir()
        run_text(folder, text, "--steps", "4", "--save", str(folder / "whole"), ranks=count)
        trained[chunked] = load_file(folder / "whole" / "model.safetensors")
    assert set(trained[True]) == set(trained[False])
    for name, weights in trained[False].items():
        tolerances = (1e-3, 1e-6) if precision == "fp32" else (0.05, 2e-3)
        np.testing.assert_allclose(trained[True][name], weights, *tolerances)


@pytest.mark.parametrize(("name", "strategy"), [("gemma2", "single"), ("llama_8b", "tp")])
def test_a_loss_that_the_script_cannot_put_in_chunks_is_left_to_the_user(name: str, strategy: str) -> None:
    """Logits that are capped, and a head that is split over cards."""
    capped = {"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "final_logit_softcapping": 30.0}
    workload = load_workload("llama_8b")
    if name == "gemma2":
        workload = msgspec.structs.replace(workload, model=msgspec.structs.replace(workload.model, config=capped))
    made = advice_for(with_training(workload, chunked_loss=True), strategy, 1 if strategy == "single" else 2, "bf16")
    text = launch_script.render(made)
    assert "YOUR LOSS" in text
    assert "ChunkedLoss" not in text


def test_adapters_of_a_split_model_are_trained_to_what_one_device_trains_them_to(tmp_path: Path) -> None:
    method: dict[str, object] = {"trainable": "lora", "lora_targets": "all_linear", "optimizer": "sgd"}
    workload = with_training(shrunk("llama_8b"), **method, clip_gradient_norm=0.5)
    assert complaints(launch_script.render(advice_for(workload, "tp", 2))) == ""
    trained = {}
    for strategy, count in (("tp", 2), ("single", 1)):
        text = launch_script.render(advice_for(workload, strategy, count))
        # Chance is taken out: no dropout, one seed, and batches of as many samples.
        text = text.replace("ADAPTER_DROPOUT = 16, 0.05", "ADAPTER_DROPOUT = 16, 0.0")
        text = text.replace("BATCH_SIZE = 2  # per device", "BATCH_SIZE = 4  # per device")
        text = re.sub(r"^LEARNING_RATE = \S+", "LEARNING_RATE = 10.0", text, flags=re.MULTILINE)
        seeded = "    torch.manual_seed(0)\n    model = build_model()\n" * (count == 1)
        text = text.replace("    model = build_model()\n", seeded or "    model = build_model()\n")
        folder = tmp_path / strategy
        folder.mkdir()
        run_text(folder, text, "--steps", "4", "--save", str(folder / "adapters"), ranks=count)
        trained[strategy] = load_file(folder / "adapters" / "adapter_model.safetensors")
    split, whole = trained["tp"], trained["single"]
    assert set(split) == set(whole)
    assert len(whole) == 2 * 2 * 7  # both matrices beside the seven projections of two layers
    for name, weights in whole.items():
        np.testing.assert_allclose(split[name], weights, rtol=1e-3, atol=1e-6)
        assert "lora_B" not in name or np.abs(weights).max() > 1e-4


def test_one_device_off_loads_as_several_do(tmp_path: Path) -> None:
    made = advice_for(shrunk("gpt2_small"), "fsdp_offload", 1, "bf16")
    assert "CPUOffloadPolicy" in launch_script.render(made)
    assert run_script(tmp_path, made, "--steps", "2")["steps"] == 2


def test_half_weights_with_full_copies_are_scaled_in_fp16() -> None:
    text = launch_script.render(
        advice_for(with_training(load_workload("gpt2_small"), clip_gradient_norm=1.0), precision="fp16")
    )
    assert (
        text.index("master.grad = ")
        < text.index("scaler.unscale_")
        < text.index("clip_grad_norm_(masters")
        < text.index("scaler.step")
    )


@pytest.mark.parametrize("name", [name for name in bundled_names() if name not in {"unet_vgg16", "dit_xl2"}])
def test_every_bundled_workload_trains_on_a_processor(tmp_path: Path, name: str) -> None:
    assert run_script(tmp_path, advice_for(shrunk(name)), "--steps", "4")["steps"] == 4


def test_a_script_names_the_file_that_it_is_saved_as() -> None:
    made = advice_for(load_workload("gpt2_small"))
    assert "# Launch:  python run.py" in launch_script.render(made, name="run.py")
    assert "# Launch:  python 'my run.py'\n" in launch_script.render(made, name="my run.py")


def test_each_optimizer_begins_with_its_usual_rate() -> None:
    fine_tuned = launch_script.render(advice_for(load_workload("bert_base_sst2")))
    adapted = launch_script.render(advice_for(load_workload("llama_1b_lora")))
    assert "LEARNING_RATE = 5e-5" in fine_tuned
    assert "LEARNING_RATE = 2e-4" in adapted


BARE = {
    "bert": {"architectures": ["BertForSequenceClassification"], "hidden_size": 32, "num_hidden_layers": 1,
             "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 100, "max_position_embeddings": 64},
    "llama": {"architectures": ["LlamaForCausalLM"], "hidden_size": 32, "num_hidden_layers": 1,
              "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 100, "torch_dtype": "bfloat16"},
}  # fmt: skip


def bare(tmp_path: Path, kind: str, **overrides: object) -> Workload:
    """A workload of which nothing but the `config.json` is given."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind, **BARE[kind]}), encoding="utf-8")
    return load_workload(tmp_path / "config.json", overrides={"sequence_length": 16, **overrides})


@pytest.mark.parametrize("kind", BARE)
def test_a_bare_configuration_trains_by_what_its_architecture_is_for(tmp_path: Path, kind: str) -> None:
    workload = bare(tmp_path, kind)
    assert run_script(tmp_path, advice_for(workload), "--steps", "2")["steps"] == 2


def test_weights_are_of_the_advised_precision_however_a_checkpoint_is_stored(tmp_path: Path) -> None:
    text = launch_script.render(advice_for(bare(tmp_path, "llama"), precision="bf16_amp"))
    assert "bfloat16'" not in text
    assert "model = model.to(device)\n" in text


def test_frozen_weights_of_16_bits_stand_in_half_beside_fp32_adapters(tmp_path: Path) -> None:
    workload = bare(tmp_path, "llama", trainable="lora")
    assert workload.training.weights_bits == 16
    made = advice_for(workload, precision="bf16_amp")
    text = launch_script.render(made)
    assert text.index("model = model.to(device, torch.bfloat16)\n") < text.index("    add_adapters(model")
    assert run_script(tmp_path, made, "--steps", "2")["steps"] == 2
