"""Models that transformers computes product by product: what a description that names flash attention means of them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.optable.op_table import OpTable
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload_file import load_workload

LENGTH, LIMIT = 48, 32
MPT = {
    "model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "max_seq_len": LIMIT,
}  # fmt: skip
GEMMA2 = {
    "model_type": "gemma2", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 100,
}  # fmt: skip
GPT_OSS = {
    "model_type": "gpt_oss", "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_local_experts": 4,
    "num_experts_per_tok": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 100,
}  # fmt: skip
BLOOM = {"model_type": "bloom", "hidden_size": 64, "n_layer": 2, "n_head": 2, "vocab_size": 100}


def traced(config: dict[str, Any], attention: str, **more: Any) -> tuple[OpTable, list[str]]:
    workload = load_workload(
        {
            "name": "small",
            "model": {"source": "huggingface", "config": config, "task": "causal-lm"},
            "data": {"samples": 100, "sequence_length": LENGTH},
            "training": {"batch_size": 1, "precision": "bf16_true", "attention": attention, **more},
        }
    )
    asked = subject_of(workload, "half", allow_code=False)
    table = trace(asked, "half")
    return table, [note.code for note in asked.notes or ()]


@pytest.mark.parametrize("checkpointing", ["none", "full"])
def test_mpt_with_flash_attention_runs_the_kernel_that_its_makers_library_calls(checkpointing: str) -> None:
    table, notes = traced(MPT, "flash", activation_checkpointing=checkpointing)
    kernels = [op.count for op in table.ops if op.kind == "attention" and op.phase == "forward"]
    assert sum(kernels) == MPT["n_layers"]
    assert not any("softmax" in op.name for op in table.ops if op.kind != "attention" and "log" not in op.name)
    assert notes == ["workload-attention-fused-elsewhere"]


@pytest.mark.parametrize(("config", "attention"), [(MPT, "sdpa"), (MPT, "eager"), (BLOOM, "flash"), (BLOOM, "sdpa")])
def test_what_no_library_fuses_runs_eagerly_and_says_so_where_more_was_asked(
    config: dict[str, Any], attention: str
) -> None:
    table, notes = traced(config, attention)
    assert not any(op.kind == "attention" for op in table.ops)
    assert ("workload-attention-eager-only" in notes) is (attention != "eager")


@pytest.mark.parametrize("config", [GEMMA2, GPT_OSS], ids=["capped scores", "sinks"])
def test_flash_kernels_without_sdpa_are_predicted_where_they_are_named_and_told_of_where_not(
    config: dict[str, Any],
) -> None:
    table, notes = traced(config, "flash")
    assert sum(op.count for op in table.ops if op.kind == "attention" and op.phase == "forward") == 2
    assert notes == ["workload-attention-flash-alone"]
    table, notes = traced(config, "sdpa")
    assert not any(op.kind == "attention" for op in table.ops)
    assert notes == ["workload-attention-eager-unless-flash"]


def test_alibi_is_as_long_as_the_samples_are() -> None:
    table, _ = traced(MPT, "eager")
    assert {op.matmul.m[1] for op in table.ops if op.matmul is not None and op.name == "mm"} >= {LENGTH}
    assert not any(op.matmul.n[0] == LIMIT for op in table.ops if op.matmul is not None and op.name == "bmm")
