"""Of a long loop in a model's Python a few rounds run, and the table is the one that all of them give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.optable.op_table import has_long_loop
from advisor.recommend.switches import Change, applies
from advisor.worker.trace.loops.loop_run import KEPT_ROUNDS
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.worker.trace.looped import ROUNDS, Recurrent, assert_same, in_both_ways, rounds_and_tables

SMALL = {"hidden_size": 64, "intermediate_size": 128, "vocab_size": 320}
MAMBA = {**SMALL, "model_type": "mamba", "num_hidden_layers": 7, "architectures": ["MambaForCausalLM"]}
RWKV = {**SMALL, "model_type": "rwkv", "num_hidden_layers": 1, "context_length": 128}
RWKV["architectures"] = ["RwkvForCausalLM"]
JAMBA = {
    **SMALL,
    "model_type": "jamba",
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_experts": 4,
    "mamba_d_state": 4,
    "mamba_dt_rank": 4,
    "architectures": ["JambaForCausalLM"],
}
RECURRENT_GEMMA = {
    **SMALL,
    "model_type": "recurrent_gemma",
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "head_dim": 16,
    "architectures": ["RecurrentGemmaForCausalLM"],
}


def small(config: dict[str, Any], **training: Any) -> Workload:
    return load_workload(
        {
            "name": "small",
            "model": {"source": "huggingface", "config": dict(config)},
            "data": {"samples": 1000, "sequence_length": ROUNDS},
            "training": {"precision": "bf16_amp", "batch_size": 2, **training},
        }
    )


@pytest.mark.parametrize(
    ("config", "training"),
    [
        (MAMBA, {}),
        (MAMBA, {"activation_checkpointing": "full"}),
        (MAMBA, {"mode": "inference", "precision": "fp32"}),
        (RWKV, {"precision": "fp32"}),
        (JAMBA, {}),
        (RECURRENT_GEMMA, {"precision": "bf16_true"}),
    ],
    ids=lambda value: value.get("model_type", " ".join(map(str, value.values()))),
)
def test_the_table_is_that_of_all_rounds(config: dict[str, Any], training: dict[str, Any]) -> None:
    workload = small(config, **training)
    precision = TRACE_PRECISIONS[workload.training.precision]
    counted, whole = in_both_ways(lambda: trace(subject_of(workload, precision), precision))
    assert has_long_loop(counted)
    assert not has_long_loop(whole)
    assert_same(counted, whole)
    assert len(counted.memory.kind) < 0.7 * len(whole.memory.kind)  # type: ignore[union-attr]


def test_compiling_is_not_offered_where_each_round_would_be_compiled_for_itself() -> None:
    workload = small(MAMBA)
    counted, whole = in_both_ways(lambda: trace(subject_of(workload, "amp"), "amp"))
    change = Change(kind="compile", workload=with_training(workload, compile=True))
    assert not applies(change, counted)
    assert applies(change, whole)


class GrowsWithItsRounds(Recurrent):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        outputs = []
        for place in range(x.shape[1]):
            self.rounds += 1
            outputs.append(self.cell(x[:, : place + 1].mean(1)))
        return torch.stack(outputs, 1)


class ChangesInItsMiddle(Recurrent):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, outputs = x.new_zeros(len(x), 16), []
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            outputs.append(self.cell(x[:, place], state) if place > 9 else state)
        return torch.stack(outputs, 1)


class ChangesAtItsEnd(Recurrent):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, outputs = x.new_zeros(len(x), 16), []
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            outputs.append(self.cell(x[:, place], state) if place > x.shape[1] - 6 else state)
        return torch.stack(outputs, 1)


class CountsItsRounds(Recurrent):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, count = x.new_zeros(len(x), 16), 0
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            count += 1
        return state.repeat(1, count)


class FillsADictionary(Recurrent):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, outputs = x.new_zeros(len(x), 16), {}
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            outputs[place] = state
        return torch.stack(tuple(outputs.values()), 1)


class FillsAListElsewhere(Recurrent):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = x.new_zeros(len(x), 16)
        self.outputs: list[torch.Tensor] = []
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            self.outputs.append(state)
        made, self.outputs = torch.stack(self.outputs, 1), []
        after: torch.Tensor = made + x.mean(2, keepdim=True)
        return after


class IsLeftEarly(Recurrent):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = x.new_zeros(len(x), 16)
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            if place == x.shape[1] - 2:
                break
        return state


def test_few_rounds_of_a_cell_run() -> None:
    rounds, tables = rounds_and_tables(Recurrent)
    assert rounds[:3] == [KEPT_ROUNDS] * 3
    assert_same(*tables)
    assert tables[0].caveats[0].code == "trace-long-loop"


@pytest.mark.parametrize(
    "kind",
    [
        GrowsWithItsRounds,
        ChangesInItsMiddle,
        ChangesAtItsEnd,
        CountsItsRounds,
        FillsADictionary,
        FillsAListElsewhere,
        IsLeftEarly,
    ],
)
def test_a_loop_with_rounds_that_are_not_alike_runs_whole(kind: type[Recurrent]) -> None:
    rounds, (counted, whole) = rounds_and_tables(kind)
    assert rounds[-1] == max(rounds) >= ROUNDS - 1
    assert not has_long_loop(counted)
    assert counted == whole


def test_numbers_that_no_loop_goes_through_are_a_range() -> None:
    class Indexes(Recurrent):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            places = range(ROUNDS)
            assert isinstance(places, range)
            assert len([place for place in range(ROUNDS)]) == len(list(range(ROUNDS))) == ROUNDS  # noqa: C416
            return super().forward(x[:, list(places)])

    _rounds, tables = rounds_and_tables(Indexes)
    assert_same(*tables)


FILE = """
import torch
from torch import nn


class Scan(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(8, 16)
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        state = x.new_zeros(len(x), 16), x.new_zeros(len(x), 16)
        outputs = []
        for place in range(x.shape[1]):
            state = self.cell(x[:, place], state)
            outputs.append(state[0])
        return self.head(torch.stack(outputs, 1).mean(1))


def build_model():
    return Scan()


def make_batch(batch_size):
    return torch.randn(batch_size, 24, 8), torch.randint(0, 4, (batch_size,))
"""


def test_the_loop_of_a_users_own_file_is_counted_too(tmp_path: Path) -> None:
    path = tmp_path / "scan.py"
    path.write_text(FILE, encoding="utf-8")
    model = {"source": "python", "file": str(path)}
    training = {"precision": "bf16_amp", "batch_size": 2}
    workload = load_workload({"name": "scan", "model": model, "data": {"samples": 1000}, "training": training})
    counted, whole = in_both_ways(lambda: trace(subject_of(workload, "amp", allow_code=True), "amp"))
    assert has_long_loop(counted)
    assert not has_long_loop(whole)
    assert_same(counted, whole)
