"""Layers as single kernels: what a traced step runs, moves and keeps with them, by arithmetic on the model's sizes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import torch

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.cost.memory.need import answered, memory_question
from advisor.optable.op_table import Op, OpTable, at
from advisor.worker.models.load_model import load
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

LAYERS, HIDDEN, INNER, WORDS, LENGTH, BATCH = 2, 128, 384, 32000, 64, 4
ROWS = BATCH * LENGTH
LLAMA = {
    "model_type": "llama",
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": WORDS,
}


def workload(config: dict[str, Any] = LLAMA, **training: Any) -> Workload:
    settings = {"precision": "bf16_true", "batch_size": BATCH, **training}
    return load_workload(
        {
            "name": "small",
            "model": {"source": "huggingface", "task": "causal-lm", "config": dict(config)},
            "data": {"samples": 1000, "sequence_length": LENGTH},
            "training": settings,
        }
    )


def traced(asked: Workload) -> OpTable:
    precision = TRACE_PRECISIONS[asked.training.precision]
    return trace(subject_of(asked, precision), precision)


def counts(table: OpTable, phase: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for op in table.ops:
        if op.phase == phase:
            found[op.name] += op.count
    return found


def named(table: OpTable, name: str, phase: str = "forward") -> Op:
    (op,) = {op.name: op for op in table.ops if op.phase == phase and op.name == name}.values()
    return op


def peak_bytes(asked: Workload) -> float:
    table, training = traced(asked), asked.training
    question = memory_question(table, training, training.precision, compute_capability="8.0")
    assert question is not None
    return answered(question, training.batch_size).allocated_bytes


def test_each_layer_runs_one_kernel_for_what_took_many() -> None:
    fused = traced(workload(fused_layers=True))
    forward, backward = counts(fused, "forward"), counts(fused, "backward")
    assert forward["fused_rms_norm"] == backward["fused_rms_norm_backward"] == 2 * LAYERS + 1
    assert forward["fused_gate"] == backward["fused_gate_backward"] == LAYERS
    assert forward["fused_rotary"] == backward["fused_rotary"] == LAYERS
    assert forward["fused_cross_entropy"] == 1
    for replaced in ("rsqrt", "silu", "_log_softmax"):
        assert counts(traced(workload()), "forward")[replaced] > 0
        assert forward[replaced] == 0


def test_the_gate_is_left_as_it_is_where_it_is_not_among_them() -> None:
    left = traced(workload(fused_layers=True, fused_gate=False))
    forward = counts(left, "forward")
    assert forward["fused_gate"] == 0
    assert forward["silu"] == counts(traced(workload()), "forward")["silu"] == LAYERS
    assert forward["fused_rms_norm"] == 2 * LAYERS + 1
    assert forward["fused_cross_entropy"] == 1


def test_their_kernels_move_what_they_read_and_write_once() -> None:
    fused = traced(workload(fused_layers=True))
    norm, gate, loss = (named(fused, f"fused_{name}") for name in ("rms_norm", "gate", "cross_entropy"))
    half, whole = 2, 4
    assert at(norm.read_bytes, BATCH) == ROWS * HIDDEN * half + HIDDEN * half
    assert at(norm.written_bytes, BATCH) == ROWS * HIDDEN * half + ROWS * whole
    assert at(gate.read_bytes, BATCH) == 2 * ROWS * INNER * half
    assert at(gate.written_bytes, BATCH) == ROWS * INNER * half
    assert at(loss.read_bytes, BATCH) == ROWS * WORDS * whole + ROWS * 8


def test_the_gradient_of_the_logits_takes_their_place() -> None:
    """Log-softmax and its gradient are two tensors of FP32 beside the logits' own; fused there is the logits' alone.

    The peak with all of them is one tensor of 4 bytes a logit in backward and two more of log-softmax; without them
    the logits in FP32 and their gradient cast to 16 bit.
    """
    logits = ROWS * WORDS
    saved = peak_bytes(workload()) - peak_bytes(workload(fused_layers=True))
    assert saved == pytest.approx(logits * (4 + 4 + 4 - 4 - 2), rel=0.03)


def test_products_and_attention_and_all_gradients_are_those_of_the_plain_model() -> None:
    plain, fused = traced(workload()), traced(workload(fused_layers=True))
    for kind in ("matmul", "attention"):
        assert [op for op in plain.ops if op.kind == kind] == [op for op in fused.ops if op.kind == kind]
    assert fused.gradient_bytes == plain.gradient_bytes
    assert fused.trainable_tensor_bytes == plain.trainable_tensor_bytes


@pytest.mark.parametrize("checkpointing", ["full", "selective"])
def test_backward_computes_fused_layers_again_under_checkpointing(checkpointing: str) -> None:
    table = traced(workload(fused_layers=True, activation_checkpointing=checkpointing))
    again = counts(table, "backward")
    assert again["fused_gate"] == again["fused_rotary"] // 2 == LAYERS
    assert again["fused_rms_norm"] == 2 * LAYERS


def test_a_loss_in_chunks_stays_one() -> None:
    table = traced(workload(fused_layers=True, chunked_loss=True))
    forward = counts(table, "forward")
    assert forward["fused_cross_entropy"] == 0
    assert forward["_log_softmax"] > 1
    assert forward["fused_gate"] == LAYERS


@pytest.mark.parametrize(
    ("config", "kernels"),
    [
        ({**LLAMA, "model_type": "qwen3", "head_dim": 32}, {"fused_rms_norm": 4 * LAYERS + 1, "fused_gate": LAYERS}),
        ({**LLAMA, "model_type": "gemma2", "head_dim": 32}, {"fused_rms_norm": 4 * LAYERS + 1, "fused_gate": LAYERS}),
        ({**LLAMA, "model_type": "mixtral", "num_local_experts": 4}, {"fused_rms_norm": 2 * LAYERS + 1}),
        ({"model_type": "gpt2", "n_embd": 128, "n_layer": 2, "n_head": 4, "vocab_size": WORDS}, {}),
    ],
)
def test_other_models_have_those_layers_that_are_like_theirs(config: dict[str, Any], kernels: dict[str, int]) -> None:
    forward = counts(traced(workload(config, fused_layers=True)), "forward")
    assert {name: forward[name] for name in kernels} == kernels
    assert forward["fused_cross_entropy"] == 1


@pytest.mark.parametrize("quantization", ["nf4", "gptq", "int8"])
def test_adapters_on_packed_weights_have_them_too(quantization: str) -> None:
    table = traced(workload(fused_layers=True, trainable="lora", quantization=quantization, lora_targets="all_linear"))
    assert counts(table, "forward")["fused_gate"] == LAYERS


def test_a_measured_step_runs_the_models_own_layers_and_says_so() -> None:
    loaded = load(workload(fused_layers=True, precision="fp32"))
    assert [note.code for note in loaded.notes] == ["workload-fused-layers-predicted-only"]
    loss = loaded.loss(loaded.module, loaded.make_batch(2))
    assert torch.isfinite(loss)
