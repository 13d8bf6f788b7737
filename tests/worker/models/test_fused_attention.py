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


def test_alibi_is_as_long_as_the_samples_are() -> None:
    table, _ = traced(MPT, "eager")
    assert {op.matmul.m[1] for op in table.ops if op.matmul is not None and op.name == "mm"} >= {LENGTH}
    assert not any(op.matmul.n[0] == LIMIT for op in table.ops if op.matmul is not None and op.name == "bmm")
