"""What the suite runs on a card and how long each part may take; `record_gpu.py --plan` prints it."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalogue.precisions import Precision
from advisor.workload.workload_file import load_workload

WHOLE_S = 480.0
"""The suite ends within this; what no longer fits is left out by name."""
_LAYERS_OF_LARGE = 2
"""Of models that no single card trains whole, or that take long to build."""
_OTHERS: tuple[Precision, ...] = ("bf16_amp", "tf32", "fp16_amp", "fp32")
_START_S = 3.0
"""Of the steps themselves, in each run."""


@dataclass(frozen=True)
class StepRun:
    """One workload in one precision; `seconds` includes building the model."""

    workload: str
    precision: Precision
    seconds: float
    budget_s: float = _START_S
    layer_limit: int | None = None

    @property
    def name(self) -> str:
        """As pytest shows it."""
        return f"{self.workload}-{self.precision}"


_BUILD_S = {
    "iris_mlp": 0.5,
    "rnn_characters": 0.5,
    "lstm_classifier": 0.5,
    "resnet50": 0.5,
    "unet_vgg16": 0.5,
    "vit_base": 0.5,
    "bert_base_sst2": 0.5,
    "gpt2_small": 0.5,
    "whisper_small": 0.5,
    "bert_large_squad": 0.5,
    "roberta_large_classification": 0.5,
    "dit_xl2": 2.0,
}
"""Of workloads that are trained whole, in each precision that a card has."""
_LARGE_BUILD_S = {
    "llama_1b_lora": 2.0,
    "llama_1b_qlora": 2.0,
    "llama_7b_pretraining": 2.0,
    "llama_8b": 2.0,
    "llama_8b_lora": 2.0,
    "llama_8b_qlora": 2.0,
}
"""Of workloads of which a few layers stand for all, in their own precision."""
_WHOLE = {"llama_1b_lora", "llama_1b_qlora"}


def own_runs() -> list[StepRun]:
    """Every bundled workload in its own precision."""
    runs = [StepRun(name, _own(name), build_s + _START_S) for name, build_s in _BUILD_S.items()]
    for name, build_s in _LARGE_BUILD_S.items():
        limit = None if name in _WHOLE else _LAYERS_OF_LARGE
        runs.append(StepRun(name, _own(name), build_s + _START_S, layer_limit=limit))
    return runs


def other_runs() -> list[StepRun]:
    """The workloads that are trained whole in the other precisions of a card, the cheapest to build first."""
    order = sorted(_BUILD_S, key=_BUILD_S.__getitem__)
    runs = [
        StepRun(name, precision, _BUILD_S[name] + _START_S, budget_s=_START_S)
        for precision in _OTHERS
        for name in order
        if precision != _own(name)
    ]
    halves: tuple[Precision, ...] = ("fp16", "bf16", "fp16_true", "bf16_true")
    return runs + [StepRun("gpt2_small", half, 3.5, budget_s=_START_S) for half in halves]


CHANGES: dict[str, tuple[str, Precision, dict[str, object]]] = {
    "channels_last_off": ("resnet50", "fp16_amp", {"channels_last": False}),
    "attention_eager": ("gpt2_small", "bf16_amp", {"attention": "eager"}),
    "attention_flash": ("gpt2_small", "bf16_amp", {"attention": "flash"}),
    "checkpointing_full": ("gpt2_small", "bf16_amp", {"activation_checkpointing": "full"}),
    "checkpointing_selective": ("gpt2_small", "bf16_amp", {"activation_checkpointing": "selective"}),
    "fused_optimizer": ("gpt2_small", "bf16_amp", {"fused_optimizer": True}),
    "optimizer_in_backward": ("gpt2_small", "bf16_amp", {"optimizer_in_backward": True}),
    "chunked_loss": ("gpt2_small", "bf16_amp", {"chunked_loss": True}),
    "lora": ("gpt2_small", "bf16_amp", {"trainable": "lora", "lora_rank": 16}),
}
"""One setting changed, by name: (workload, precision, the change)."""
CHANGE_S = 4.5

SIZES_S = 6.0
"""Of one workload at a quarter of its own batch size and at four times it."""
_SIZED = ("resnet50", "vit_base", "bert_base_sst2", "gpt2_small", "bert_large_squad", "unet_vgg16")


def sized_runs() -> list[tuple[str, Precision, tuple[int, int]]]:
    """(workload, its own precision, other batch sizes): whether a step grows as predicted."""
    runs = []
    for name in _SIZED:
        own = load_workload(name).training
        runs.append((name, own.precision, (max(1, own.batch_size // 4), own.batch_size * 4)))
    return runs


@dataclass(frozen=True)
class ScriptRun:
    """A workload with changes (None takes a field out), advised for this card alone, and its script run on it."""

    workload: str
    changes: dict[str, object]
    words: tuple[str, ...] = ()
    seconds: float = 25.0
    """With the time to build and to compile."""


_FULL: dict[str, object] = {"trainable": "all", "lora_rank": None, "lora_targets": None, "batch_size": 8}
SCRIPTS: dict[str, ScriptRun] = {
    "llama_8b_lora": ScriptRun("llama_8b_lora", {}, ("--batch", "4"), 45.0),
    "llama_8b_qlora": ScriptRun("llama_8b_qlora", {}, ("--batch", "4"), 45.0),
    "gpt2_small_compiled": ScriptRun("gpt2_small", {}, ("--compile", "--batch", "8"), 60.0),
    "resnet50": ScriptRun("resnet50", {}),
    "resnet50_compiled": ScriptRun("resnet50", {}, ("--compile", "--batch", "128"), 60.0),
    "vit_base_compiled": ScriptRun("vit_base", {}, ("--compile", "--batch", "128"), 60.0),
    "llama_1b_full_compiled": ScriptRun("llama_1b_lora", _FULL, ("--compile",), 60.0),
    "llama_1b_full_fp8": ScriptRun("llama_1b_lora", _FULL, ("--compile", "--precision", "fp8"), 70.0),
    "llama_8b_in_backward": ScriptRun(
        "llama_8b",
        {
            "precision": "bf16_true",
            "optimizer_in_backward": True,
            "gradient_accumulation_steps": 1,
            "clip_gradient_norm": None,
        },
        ("--batch", "1"),
        45.0,
    ),
}
"""What the program tells people to run, by name."""


def _own(name: str) -> Precision:
    return load_workload(name).training.precision
