"""Long loops with few of their rounds run and with all, for tests of what is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from advisor.cost.memory.fragmentation import needed_bytes
from advisor.cost.memory.replay import StepSetup, Stream, live_peak
from advisor.optable.op_table import OpTable
from advisor.worker.trace.loops import long_loops
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace

ROUNDS = 24


def in_both_ways(traced: Callable[[], OpTable], rounds: int = ROUNDS) -> tuple[OpTable, OpTable]:
    """With the rounds of long loops counted, and with all of them run."""
    tables = []
    for fewest in (rounds, rounds + 1):
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


def rounds_and_tables(kind: Callable[[], Any], length: int = ROUNDS) -> tuple[list[int], tuple[OpTable, OpTable]]:
    """Rounds that each pass ran of a model that counts them (`rounds`), and its tables, shortened and whole."""
    models: list[Any] = []
    rounds: list[int] = []

    def build() -> nn.Module:
        models.append(kind())
        made: nn.Module = models[-1]
        return made

    def step(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
        models[-1].rounds = 0
        outputs: torch.Tensor = model(x)
        rounds.append(models[-1].rounds)
        return outputs.square().mean()

    subject = Subject(build, lambda batch: torch.zeros(batch, length, 8), step)
    tables = in_both_ways(lambda: trace(subject, "fp32"), length)
    return rounds, tables
