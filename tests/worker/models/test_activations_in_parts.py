"""GPT-2's activation, which transformers runs in parts."""

from __future__ import annotations

import pytest

from advisor import advise
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload_file import load_workload

IN_PARTS = "workload-activation-in-parts"


@pytest.mark.parametrize(("activation", "told"), [("gelu_new", True), ("gelu_pytorch_tanh", False), ("gelu", False)])
def test_an_activation_of_eight_kernels_is_told(activation: str, told: bool) -> None:
    config = {"model_type": "gpt2", "n_embd": 32, "n_layer": 1, "n_head": 2, "activation_function": activation}
    workload = load_workload(
        {
            "name": "gpt2",
            "model": {"source": "huggingface", "config": config, "task": "causal-lm"},
            "data": {"samples": 100, "sequence_length": 16},
            "training": {"batch_size": 1, "precision": "fp32"},
        }
    )
    asked = subject_of(workload, "fp32", allow_code=False)
    table = trace(asked, "fp32")
    assert (IN_PARTS in {note.code for note in asked.notes or ()}) is told
    kernels = sum(op.count for op in table.ops if op.name in {"pow", "tanh", "gelu"} and op.phase == "forward")
    assert kernels == (2 if activation == "gelu_new" else 1)


@pytest.mark.parametrize("compiled", [False, True])
def test_where_a_compiler_fuses_them_the_answer_is_silent_of_them(compiled: bool) -> None:
    workload = load_workload("gpt2_small", overrides={"compile": compiled})
    answered = advise(workload, measure=False, gpus="T4", counts=(1,))
    assert (IN_PARTS in {caveat.code for caveat in answered.caveats}) is not compiled
