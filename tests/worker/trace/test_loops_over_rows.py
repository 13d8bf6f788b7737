"""Of a loop over a tensor's rows a few of each kind run, and the table is the one that all of them give."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from advisor.optable.op_table import has_long_loop
from tests.worker.trace.looped import assert_same, rounds_and_tables

EXPERTS = 96
IDLE = 40
"""Of these, at the end, that give back what they are given."""


class Experts(nn.Module):
    """A layer whose experts are gone through one by one, each with the places that chose it."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(EXPERTS, 8, 8))
        self.head = nn.Linear(8, 4)
        self.rounds = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros_like(x)
        chosen = torch.arange(EXPERTS).unsqueeze(1)
        for row in chosen:
            self.rounds += 1
            expert = int(row.item())
            total = total + self.of_expert(x[:, expert], expert).unsqueeze(1)
        made: torch.Tensor = self.head(total)
        return made

    def of_expert(self, x: torch.Tensor, expert: int) -> torch.Tensor:
        return x @ self.weight[expert]


class Written(Experts):
    """The same as one function, and with experts that do nothing."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros_like(x)
        chosen = torch.arange(EXPERTS).unsqueeze(1)
        for row in chosen:
            self.rounds += 1
            expert = int(row.item())
            current = x[:, expert]
            if expert < EXPERTS - IDLE:
                current = torch.relu(current @ self.weight[expert])
            total[:, expert] += current
        made: torch.Tensor = self.head(total)
        return made


class FillsAList(Experts):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        outputs = []
        for row in torch.arange(EXPERTS):
            self.rounds += 1
            outputs.append(x[:, row] @ self.weight[row])
        made: torch.Tensor = self.head(torch.stack(outputs, 1))
        return made


class TakesTurns(Experts):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros_like(x)
        for row in torch.arange(EXPERTS):
            self.rounds += 1
            expert = int(row.item())
            current = x[:, expert] @ self.weight[expert]
            total[:, expert] += torch.relu(current) if expert % 3 else current
        made: torch.Tensor = self.head(total)
        return made


class LooksUp(Experts):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros_like(x)
        kinds = [torch.relu] * EXPERTS
        kinds[17] = torch.tanh
        for row in torch.arange(EXPERTS):
            self.rounds += 1
            expert = int(row.item())
            total[:, expert] += kinds[expert](x[:, expert] @ self.weight[expert])
        made: torch.Tensor = self.head(total)
        return made


class CountsItsRows(Experts):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total, count = torch.zeros_like(x), 0
        for row in torch.arange(EXPERTS):
            self.rounds += 1
            expert = int(row.item())
            total[:, expert] += x[:, expert] @ self.weight[expert]
            count += 1
        made: torch.Tensor = self.head(total.repeat(1, count, 1))
        return made


class GoesThroughWeights(Experts):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros_like(x)
        for weight in self.weight:
            self.rounds += 1
            total = total + x @ weight
        made: torch.Tensor = self.head(total)
        return made


@pytest.mark.parametrize(("kind", "most"), [(Written, 40), (FillsAList, 24)])
def test_of_rows_that_do_alike_a_few_run(kind: type[Experts], most: int) -> None:
    rounds, (counted, whole) = rounds_and_tables(kind, EXPERTS)
    assert rounds[0] <= most
    assert rounds[-1] == EXPERTS
    assert [caveat.numbers for caveat in counted.caveats if caveat.code == "trace-long-loop"] == [{"count": EXPERTS}]
    assert not has_long_loop(whole)
    assert_same(counted, whole)


@pytest.mark.parametrize("kind", [Experts, TakesTurns, LooksUp, CountsItsRows, GoesThroughWeights])
def test_a_loop_over_rows_that_are_not_known_to_do_alike_runs_whole(kind: type[Experts]) -> None:
    rounds, (counted, whole) = rounds_and_tables(kind, EXPERTS)
    assert rounds[-1] == max(rounds) == EXPERTS
    assert not has_long_loop(counted)
    assert counted == whole


def test_rows_that_no_statement_goes_through_are_all_there() -> None:
    class Listed(Experts):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            places = torch.arange(EXPERTS)
            assert len(list(places)) == len([place for place in places]) == EXPERTS  # noqa: C416
            assert sum(1 for _ in places) == sum(1 for _, _ in zip(places, x[0], strict=True)) == EXPERTS
            first, *others = places
            assert len(others) == EXPERTS - 1
            return super().forward(x[:, first:])

    _rounds, (counted, whole) = rounds_and_tables(Listed, EXPERTS)
    assert counted == whole
