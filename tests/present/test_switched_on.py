"""What is switched on in a workload is told beside the figures that rest on it."""

from __future__ import annotations

from typing import Any

import pytest

from advisor import advise
from advisor.core.sentences import Language
from advisor.present.one_screen import one_screen
from advisor.present.summary import summarise
from advisor.present.switched_on import switched_on
from advisor.workload.workload_file import load_workload


def names(workload: str, **settings: Any) -> str:
    return switched_on(load_workload(workload, overrides=settings).training, "en")


def test_what_trains_as_torch_does_by_itself_has_no_word() -> None:
    assert names("iris_mlp") == ""


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"compile": True}, "torch.compile"),
        ({"attention": "flash", "chunked_loss": True}, "loss in chunks, flash attention"),
        ({"activation_checkpointing": "full", "trainable": "lora"}, "LoRA, activation checkpointing"),
        ({"activation_checkpointing": "selective"}, "selective activation checkpointing"),
        ({"optimizer_bits": 8, "fused_optimizer": True}, "8-bit optimizer states, fused optimizer"),
        ({"trainable": "lora", "quantization": "nf4"}, "QLoRA"),
        ({"trainable": "lora", "weights_bits": 4}, "QLoRA"),
        ({"trainable": "lora", "quantization": "int8"}, "LoRA, weights in INT8"),
        ({"offload": "activations"}, "activations kept in host memory"),
    ],
)
def test_each_switch_is_named(settings: dict[str, Any], told: str) -> None:
    assert names("gpt2_small", **settings) == told


def test_what_is_told_elsewhere_is_not_told_twice() -> None:
    training = load_workload("gpt2_small", overrides={"activation_checkpointing": "full", "trainable": "lora"}).training
    assert switched_on(training, "en", but=["activation checkpointing"]) == "LoRA"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_answer_names_them_in_each_language_beside_its_figures(language: Language) -> None:
    workload = load_workload("gpt2_small", overrides={"compile": True})
    advice = advise(workload, measure=False, gpus="T4", counts=(1,))
    for summary in (one_screen(advice, language), summarise(advice, language)):
        assert "torch.compile" in dict(summary.figures).values()
