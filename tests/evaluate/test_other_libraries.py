"""GPT-2's configuration of transformers, silent of the activation: whose model it describes, and what is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.units import Estimate
from advisor.evaluate import evaluate_file
from advisor.evaluate.other_libraries import as_transformers_runs
from advisor.evaluate.row_answer import RowAnswer, RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader
from tests.evaluate.test_run_rows import rows_of

HEADER = "workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms,n_gpus,tp,compile,peak_gb,max_batch_that_ran"
SMALL = "run,a100-sxm4-80,training,bf16_amp,8,256,10,1,,,0.5,8"


def write(folder: Path, config: str) -> None:
    (folder / "run.toml").write_text(
        f"""
name = "small"
[model]
source = "huggingface"
task = "causal-lm"
config = {{ model_type = "gpt2", n_embd = 256, n_layer = 2, n_head = 4, {config} }}
[data]
samples = 1000
sequence_length = 256
[training]
batch_size = 1
precision = "bf16_amp"
""",
        encoding="utf-8",
    )


def asked(folder: Path, config: str, cells: str = SMALL) -> RowQuestion:
    write(folder, config)
    (row,) = rows_of(folder, HEADER, cells)
    question = WorkloadReader(folder).question(row, spec_table())
    assert isinstance(question, RowQuestion)
    return question


def answered(folder: Path, config: str) -> RowAnswer:
    write(folder, config)
    (folder / "runs.csv").write_text(f"{HEADER}\n{SMALL}\n", encoding="utf-8")
    (answer,) = evaluate_file(folder / "runs.csv").answers
    return answer


def estimate_of(answer: RowAnswer, name: str) -> Estimate:
    estimate = getattr(answer, name)
    assert isinstance(estimate, Estimate), answer.reason
    return estimate


@pytest.mark.parametrize(
    ("config", "cells", "taken"),
    [
        ("vocab_size = 50304", SMALL, True),
        ("vocab_size = 51200", SMALL, True),
        ("vocab_size = 50257", SMALL, False),
        ("vocab_size = 32000", SMALL, False),
        ("vocab_size = 50300", SMALL, False),
        ("vocab_size = 50257", SMALL.replace(",1,,", ",2,2,"), True),
        ("vocab_size = 50304", SMALL.replace(",1,,,", ",1,,yes,"), False),
        ('vocab_size = 50304, activation_function = "gelu_new"', SMALL, False),
    ],
)
def test_a_padded_vocabulary_or_split_layers_name_another_library(
    tmp_path: Path, config: str, cells: str, taken: bool
) -> None:
    question = asked(tmp_path, config, cells)
    assert question.activation_taken is taken
    assert (as_transformers_runs(question) is not None) is taken


def test_the_answer_is_of_one_kernel_and_its_ranges_reach_to_transformers_own(tmp_path: Path) -> None:
    silent = answered(tmp_path, "vocab_size = 50304")
    one = answered(tmp_path, 'vocab_size = 50304, activation_function = "gelu"')
    own = answered(tmp_path, 'vocab_size = 50304, activation_function = "gelu_new"')
    for name in ("step_s", "peak_bytes"):
        told, single, eight = (estimate_of(answer, name) for answer in (silent, one, own))
        assert told.value == single.value < eight.value
        assert told.low == pytest.approx(min(single.low, eight.low))
        assert told.high == pytest.approx(max(single.high, eight.high))
    batches = [answer.largest_batch or 0 for answer in (silent, own, one)]
    assert batches[0] == batches[1] < batches[2]
    codes = [[reason.code for reason in answer.caveats] for answer in (silent, one)]
    assert ["evaluate-activation-taken" in each for each in codes] == [True, False]
