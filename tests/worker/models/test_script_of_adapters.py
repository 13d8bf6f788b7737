"""The launch script trains the adapters and heads that the worker counts, and saves them as PEFT reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors import torch as safetensors

from advisor.catalogue.adapters import ADAPTER_ALPHA, ADAPTER_DROPOUT
from advisor.present.script.parts import part
from advisor.worker.models.load_model import load
from advisor.worker.models.trainable_parameters import LowRank
from advisor.workload.workload import with_training
from tests.present.test_launch_script import run_script
from tests.present.test_script_of_partial_training import BERT, GPT2, advised, trained_by

LLAMA = {
    "model_type": "llama", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 2, "num_key_value_heads": 2, "vocab_size": 100, "pad_token_id": 0,
}  # fmt: skip
LORA = [
    (BERT, "sequence-classification", None),
    (BERT, "question-answering", "all_linear"),
    (BERT, "sequence-classification", "attention"),
    (GPT2, "causal-lm", None),
    (GPT2, "causal-lm", "attention"),
    (LLAMA, "sequence-classification", "all_linear"),
    (LLAMA, "causal-lm", ("q_proj", "mlp.up_proj")),
]


@pytest.mark.parametrize(("config", "task", "targets"), LORA)
def test_the_script_adapts_what_the_prediction_counts(
    tmp_path: Path, config: dict[str, object], task: str, targets: object
) -> None:
    made = advised(
        config, task, trainable="lora", lora_rank=4, **({} if targets is None else {"lora_targets": targets})
    )
    module = load(made.workload).module
    counted = {name for name, parameter in module.named_parameters() if parameter.requires_grad}
    assert trained_by(tmp_path, made) == counted


@pytest.mark.parametrize("precision", ["fp32", "bf16_true"])
def test_the_script_trains_copies_of_the_modules_to_save_and_saves_them_as_peft_does(
    tmp_path: Path, precision: str
) -> None:
    saved = ["embed_tokens", "lm_head", "up_proj"]
    made = advised(
        LLAMA, "causal-lm", trainable="lora", lora_targets="all_linear", modules_to_save=saved, precision=precision
    )
    module = load(made.workload).module
    counted = {name: parameter for name, parameter in module.named_parameters() if parameter.requires_grad}
    assert {name for name in counted if "up_proj" in name} == {f"model.layers.{i}.mlp.up_proj.weight" for i in (0, 1)}
    assert trained_by(tmp_path, made) == set(counted)
    folder = tmp_path / "adapters"
    assert run_script(tmp_path, made, "--steps", "2", "--save", str(folder))["steps"] == 2
    assert json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))["modules_to_save"] == saved
    weights = safetensors.load_file(folder / "adapter_model.safetensors")
    assert len(weights) == len(counted)
    for name in ("lm_head.weight", "model.layers.1.mlp.up_proj.weight"):
        assert weights[f"base_model.model.{name}"].dtype == counted[name].dtype


class Packed(torch.nn.Module):
    """Stands for a layer whose weight is packed: no linear layer, and of the library that packs."""

    in_features = out_features = 8

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(8, dtype=torch.uint8), requires_grad=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs


Packed.__module__ = "bitsandbytes.nn"


@pytest.mark.parametrize("autocast", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_the_script_casts_inputs_of_adapters_where_the_prediction_does(*, packed: bool, autocast: bool) -> None:
    """Beside packed weights autocast does it, as in PEFT; a cast of one's own would be paid for twice."""
    names: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    exec(part("adapters", alpha=ADAPTER_ALPHA, dropout=ADAPTER_DROPOUT), names)
    seen: list[torch.dtype] = []
    bases = [Packed() if packed else torch.nn.Linear(8, 8, dtype=torch.bfloat16) for _ in range(2)]
    for layer in (LowRank(bases[0], 8, 8, 4), names["Adapted"](bases[1], 4, torch.float32)):
        layer.dropout.register_forward_hook(lambda _, given, __: seen.append(given[0].dtype))
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            assert layer(torch.ones(2, 8, dtype=torch.bfloat16)).dtype == torch.bfloat16
    wanted = torch.bfloat16 if packed and autocast else torch.float32
    assert seen == [wanted, wanted]


def test_saved_adapters_hold_the_new_head_in_the_names_of_peft(tmp_path: Path) -> None:
    made = advised(BERT, "sequence-classification", trainable="lora", lora_rank=4)
    folder = tmp_path / "adapters"
    assert run_script(tmp_path, made, "--steps", "2", "--save", str(folder))["steps"] == 2
    settings = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
    assert (settings["peft_type"], settings["task_type"], settings["r"]) == ("LORA", "SEQ_CLS", 4)
    assert settings["modules_to_save"] == ["classifier"]
    weights = safetensors.load_file(folder / "adapter_model.safetensors")
    query = "base_model.model.bert.encoder.layer.0.attention.self.query"
    assert weights[f"{query}.lora_A.weight"].shape == (4, 32)
    assert weights[f"{query}.lora_B.weight"].abs().sum() > 0  # it began at zero
    assert "base_model.model.classifier.weight" in weights
    assert len(weights) == 2 * 2 * 2 + 2


def test_saved_weights_are_read_by_transformers(tmp_path: Path) -> None:
    made = advised(BERT, "sequence-classification", precision="fp32")
    folder = tmp_path / "checkpoint"
    run_script(tmp_path, made, "--steps", "2", "--save", str(folder))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    stored = safetensors.load_file(folder / "model.safetensors")
    assert torch.equal(model.classifier.weight, stored["classifier.weight"])


@pytest.mark.with_frameworks
@pytest.mark.parametrize("targets", [None, "all_linear"])
def test_peft_reads_saved_adapters_and_heads(tmp_path: Path, targets: str | None) -> None:
    peft = pytest.importorskip("peft", reason="PEFT is not installed")
    asked = {} if targets is None else {"lora_targets": targets}
    made = advised(LLAMA, "sequence-classification", trainable="lora", lora_rank=4, **asked)
    folder = tmp_path / "adapters"
    run_script(tmp_path, made, "--steps", "2", "--save", str(folder))
    model = peft.PeftModel.from_pretrained(load(with_training(made.workload, trainable="all")).module, folder)
    stored = safetensors.load_file(folder / "adapter_model.safetensors")
    found = peft.get_peft_model_state_dict(model)
    assert found.keys() == stored.keys()
    assert all(torch.equal(found[name], stored[name]) for name in stored)
