"""What `mode = "inference"` runs of a transformers model: its forward pass, and nothing that only a loss would need."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.optable.op_table import OpTable
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.cost.small_tables import need_of

LOSSES = ("nll_loss", "log_softmax", "cross_entropy", "mse_loss", "ctc_loss", "logsumexp")
SMALL_LLAMA = {
    "model_type": "llama",
    "vocab_size": 4096,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 6,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
SMALL_T5 = {"model_type": "t5", "vocab_size": 4096, "d_model": 64, "d_ff": 128, "d_kv": 16, "num_layers": 2}
SMALL_WHISPER = {
    "model_type": "whisper",
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
}
SMALL_BERT = {"model_type": "bert", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
SMALL_VIT = {"model_type": "vit", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
SMALL_WAV2VEC2 = {"model_type": "wav2vec2", "hidden_size": 96, "num_hidden_layers": 2, "num_attention_heads": 2}


def workload(config: dict[str, Any], task: str, mode: str, length: int = 32) -> Workload:
    inputs = {
        "vit": {"image_size": 224},
        "whisper": {"sequence_length": 480000},
        "wav2vec2": {"sequence_length": 16000},
    }
    data = {"samples": 1000, **inputs.get(config["model_type"], {"sequence_length": length})}
    training = {"mode": mode, "batch_size": 2, "precision": "bf16_true", "attention": "sdpa"}
    model = {"source": "huggingface", "task": task, "config": config}
    return load_workload({"name": "small", "model": model, "data": data, "training": training})


def traced(config: dict[str, Any], task: str, mode: str = "inference", length: int = 32) -> OpTable:
    return trace(subject_of(workload(config, task, mode, length), "half"), "half")


def losses(table: OpTable) -> list[str]:
    return [op.name for op in table.ops if any(loss in op.name for loss in LOSSES)]


@pytest.mark.parametrize(
    ("config", "task"),
    [
        (SMALL_LLAMA, "causal-lm"),
        (SMALL_T5, "seq2seq-lm"),
        (SMALL_WHISPER, "speech-seq2seq"),
        (SMALL_BERT, "masked-lm"),
        (SMALL_BERT, "question-answering"),
        (SMALL_BERT, "token-classification"),
        (SMALL_VIT, "image-classification"),
        (SMALL_WAV2VEC2, "ctc"),
        (SMALL_WAV2VEC2, "speech-classification"),
    ],
    ids=lambda given: given["model_type"] if isinstance(given, dict) else given,
)
def test_no_loss_is_computed_where_none_is_asked_for(config: dict[str, Any], task: str) -> None:
    assert losses(traced(config, task, "training"))
    assert losses(traced(config, task)) == []


def test_what_a_forward_pass_leaves_is_logits_and_keys_and_values() -> None:
    """By two lengths, both long enough for what lives at the end to be the peak."""

    def allocated(length: int) -> float:
        table = traced(SMALL_LLAMA, "causal-lm", length=length)
        training = workload(SMALL_LLAMA, "causal-lm", "inference", length).training
        return need_of(table, training, "bf16_true", 8).allocated_bytes

    words = 8 * (4096 - 2048)
    logits, keys_and_values = 4096 * 2, 6 * 2 * 2 * 16 * 2
    each = (allocated(4096) - allocated(2048)) / words
    hidden = 64 * 2
    assert logits + keys_and_values <= each <= logits + keys_and_values + 2 * hidden


def test_training_keeps_no_keys_and_values() -> None:
    names = [op.name for op in traced(SMALL_LLAMA, "causal-lm", "training").ops if op.phase == "forward"]
    cached = [op.name for op in traced(SMALL_LLAMA, "causal-lm").ops]
    assert sum("cat" in name for name in cached) > sum("cat" in name for name in names) - 1


def test_models_that_cannot_keep_keys_and_values_are_predicted_without() -> None:
    """Of the library's own configurations these two raise with `use_cache`, and run without."""
    bamba = {"model_type": "bamba", "hidden_size": 64, "num_hidden_layers": 2, "mamba_n_heads": 4, "mamba_d_head": 32}
    blenderbot = {"model_type": "blenderbot", "d_model": 64, "encoder_layers": 1, "decoder_layers": 3}
    for config in (bamba | {"vocab_size": 512}, blenderbot | {"vocab_size": 512}):
        assert traced(config, "causal-lm").parameter_count > 0
