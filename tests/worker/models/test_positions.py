"""Samples that are longer than a model's table of positions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor, nn

from advisor.core.sentences import Reason, say
from advisor.optable.op_table import OpTable
from advisor.worker.models.huggingface.search import Search
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

SMALL: dict[str, dict[str, Any]] = {
    "bert": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64},
    "roberta": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64},
    "gpt2": {"n_embd": 32, "n_layer": 1, "n_head": 2},
    "opt": {
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "ffn_dim": 64,
        "word_embed_proj_dim": 32,
    },
    "llama": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64},
}


def traced(model_type: str, task: str, length: int, **more: Any) -> tuple[OpTable, tuple[Reason, ...]]:
    workload = described(model_type, task, length, **more)
    asked = subject_of(workload, "fp32", allow_code=False)
    table = trace(asked, "fp32")
    return table, tuple(asked.notes or ())


def described(model_type: str, task: str, length: int, **more: Any) -> Workload:
    return load_workload(
        {
            "name": model_type,
            "model": {
                "source": "huggingface",
                "config": {"model_type": model_type, **SMALL[model_type], **more},
                "task": task,
            },
            "data": {"samples": 100, "sequence_length": length},
            "training": {"batch_size": 1, "precision": "fp32", "attention": "eager"},
        }
    )


def rows_of_products(table: OpTable) -> set[float]:
    return {op.matmul.m[1] for op in table.ops if op.matmul is not None and op.phase == "forward"}


@pytest.mark.parametrize(
    ("model_type", "task", "limit"),
    [
        ("bert", "base", 512),
        ("bert", "masked-lm", 512),
        ("roberta", "base", 510),
        ("gpt2", "causal-lm", 1024),
        ("opt", "causal-lm", 2048),
    ],
)
def test_a_sample_longer_than_the_default_table_is_traced_whole_and_told(
    model_type: str, task: str, limit: int
) -> None:
    table, notes = traced(model_type, task, 2 * limit)
    (told,) = [note for note in notes if note.code == "workload-positions-lengthened"]
    assert told.numbers["limit"] == limit
    assert told.numbers["length"] == 2 * limit
    assert str(limit) in say(told, "en").replace(",", "")
    assert 2 * limit in rows_of_products(table)


def test_a_sample_that_the_table_holds_is_told_nothing_of() -> None:
    table, notes = traced("bert", "base", 512)
    assert not notes
    assert 512 in rows_of_products(table)


def test_positions_without_a_table_limit_no_sample() -> None:
    table, notes = traced("llama", "base", 256, max_position_embeddings=128)
    assert not notes
    assert 256 in rows_of_products(table)


def test_the_length_of_a_sound_is_no_count_of_positions() -> None:
    workload = load_workload(
        {
            "name": "sound",
            "model": {
                "source": "huggingface",
                "config": {"model_type": "sew-d", "num_hidden_layers": 1, "max_position_embeddings": 512},
                "task": "ctc",
            },
            "data": {"samples": 100, "sequence_length": 16000},
            "training": {"batch_size": 1, "precision": "fp32", "attention": "eager"},
        }
    )
    asked = subject_of(workload, "fp32", allow_code=False)
    trace(asked, "fp32")
    assert not asked.notes


class Short(nn.Module):
    """A module of the library's kind with eight places, whatever the samples are."""

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace()
        self.layer = nn.Linear(4, 4)

    def forward(self, input_ids: Tensor) -> Tensor:
        out: Tensor = self.layer(input_ids.unsqueeze(-1).expand(-1, -1, 4).float()) + torch.zeros(8, 1)
        return out


@pytest.mark.parametrize("assumed", [True, False])
def test_samples_are_cut_to_what_a_model_takes_where_nobody_said_how_long_they_are(*, assumed: bool) -> None:
    workload = replace(described("bert", "base", 12), assumed=("data.sequence_length",) if assumed else ())
    found = Search(Short(), workload).batch(
        [lambda batch_size: {"input_ids": torch.zeros(batch_size, 12, dtype=torch.long)}]
    )
    assert (None if found is None else found(1)["input_ids"].shape) == ((1, 8) if assumed else None)
