"""Of a long loop in a model's Python a few rounds run, and the table is the one that all of them give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.cost.memory.fragmentation import needed_bytes
from advisor.cost.memory.replay import StepSetup, Stream, live_peak
from advisor.optable.op_table import OpTable, has_long_loop
from advisor.recommend.switches import Change, applies
from advisor.worker.trace.loops import long_loops
from advisor.worker.trace.step_pass import Subject
from advisor.worker.trace.trace import subject_of, trace
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload

ROUNDS = 24
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


def in_both_ways(traced: Callable[[], OpTable]) -> tuple[OpTable, OpTable]:
    """With the rounds of long loops counted, and with all of them run."""
    tables = []
    for fewest in (ROUNDS, ROUNDS + 1):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(long_loops, "FEWEST_ROUNDS", fewest)
            tables.append(traced())
    return tables[0], tables[1]


def assert_same(counted: OpTable, whole: OpTable) -> None:
    """All but the timeline, which is shorter, and what a compiler makes of so many kernels."""
    same = {"memory": None, "compiled": None, "caveats": ()}
    assert replace(counted, **same) == replace(whole, **same)
    assert counted.memory is not None
    assert whole.memory is not None
    short, long = Stream(counted.memory), Stream(whole.memory)
    setup = StepSetup(states=tuple(2 * size for size in whole.trainable_tensor_bytes))
    for batch_size in (1, 7, 60):
        assert live_peak(short, setup, batch_size) == live_peak(long, setup, batch_size)
        needed = needed_bytes(long, setup, batch_size)
        assert needed_bytes(short, setup, batch_size) == pytest.approx(needed, rel=0.005, abs=4 << 20)
    assert short.kept_bytes == pytest.approx(long.kept_bytes)


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


class Recurrent(nn.Module):
    """A cell of the user's own, gone through for each place of a sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(8, 16)
        self.head = nn.Linear(16, 4)
        self.rounds = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, outputs = x.new_zeros(len(x), 16), []
        for place in range(x.shape[1]):
            state = self.cell(x[:, place], state)
            outputs.append(self.head(state))
            self.rounds += 1
        return torch.stack(outputs, 1)


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


def rounds_and_tables(kind: type[Recurrent]) -> tuple[list[int], tuple[OpTable, OpTable]]:
    models: list[Recurrent] = []
    rounds: list[int] = []

    def build() -> nn.Module:
        models.append(kind())
        return models[-1]

    def step(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
        models[-1].rounds = 0
        outputs: torch.Tensor = model(x)
        rounds.append(models[-1].rounds)
        return outputs.square().mean()

    subject = Subject(build, lambda batch: torch.zeros(batch, ROUNDS, 8), step, alike_layers=True)
    tables = in_both_ways(lambda: trace(subject, "fp32"))
    return rounds, tables


def test_few_rounds_of_a_cell_run() -> None:
    rounds, tables = rounds_and_tables(Recurrent)
    assert rounds[:3] == [long_loops.KEPT_ROUNDS] * 3
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
