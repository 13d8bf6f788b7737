"""What a round decides by its number, or looks up by it, is the same in all rounds that one of them stands for."""

from __future__ import annotations

import pytest
import torch

from advisor.optable.op_table import has_long_loop
from advisor.worker.trace.loops.loop_run import KEPT_ROUNDS
from tests.worker.trace.looped import ROUNDS, Recurrent, assert_same, rounds_and_tables


class DecidesInItsMiddle(Recurrent):
    """Between the rounds that run: neither the first four, nor the one in the middle, nor the last three."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, outputs = x.new_zeros(len(x), 16), []
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            if self.is_special(place):
                state = self.cell(x[:, place], state)
            outputs.append(state)
        return torch.stack(outputs, 1)

    def is_special(self, place: int) -> bool:
        return place == ROUNDS // 2 - 2


class DecidesByTheLast(DecidesInItsMiddle):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, before = x.new_zeros(len(x), 16), 0
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            if before * 2 - 5 == 11:
                state = self.cell(x[:, place], state)
            before = place
        return state


class DecidesBySum(DecidesInItsMiddle):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, done = x.new_zeros(len(x), 16), 0
        for place in range(x.shape[1]):
            self.rounds += 1
            done = done + place
            state = self.cell(x[:, place], state)
            if done == 45:
                state = self.cell(x[:, place], state)
        return state


class DecidesByText(DecidesInItsMiddle):
    def is_special(self, place: int) -> bool:
        return f"{place}" in {"10", "x"}


class DecidesByFraction(DecidesInItsMiddle):
    def is_special(self, place: int) -> bool:
        return place / ROUNDS == 10 / ROUNDS


class DecidesByMembership(DecidesInItsMiddle):
    def is_special(self, place: int) -> bool:
        return place in {10, ROUNDS}


class LooksUpWhatItDoes(Recurrent):
    def __init__(self) -> None:
        super().__init__()
        self.flags = [place == ROUNDS // 2 - 2 for place in range(ROUNDS)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = x.new_zeros(len(x), 16)
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            if self.flags[place]:
                state = self.cell(x[:, place], state)
        return state


class LooksUpElsewhere(LooksUpWhatItDoes):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = x.new_zeros(len(x), 16)
        for place in range(x.shape[1]):
            self.rounds += 1
            state = self.cell(x[:, place], state)
            if self.flag(place):
                state = self.cell(x[:, place], state)
        return state

    def flag(self, place: int) -> bool:
        return self.flags[place]


class LooksUpByWhatFollows(LooksUpWhatItDoes):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = x.new_zeros(len(x), 16)
        for place in range(x.shape[1]):
            self.rounds += 1
            last = x.shape[1] - 1 - place
            state = self.cell(x[:, last], state)
            if self.flags[last]:
                state = self.cell(x[:, last], state)
        return state


@pytest.mark.parametrize(
    "kind",
    [
        DecidesInItsMiddle,
        DecidesByTheLast,
        DecidesBySum,
        DecidesByText,
        DecidesByFraction,
        DecidesByMembership,
        LooksUpWhatItDoes,
        LooksUpElsewhere,
        LooksUpByWhatFollows,
    ],
)
def test_a_loop_whose_number_decides_in_a_round_that_would_not_run_runs_whole(kind: type[Recurrent]) -> None:
    rounds, (counted, whole) = rounds_and_tables(kind)
    assert rounds[-1] == max(rounds) == ROUNDS
    assert not has_long_loop(counted)
    assert counted == whole


class DecidesAtItsEnds(Recurrent):
    """What all rounds left out decide alike keeps none of them from being counted."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state, outputs = x.new_zeros(len(x), 16), []
        steps = x.unbind(1)
        for place in range(x.shape[1]):
            self.rounds += 1
            if place > 0 and place + 1 < len(steps):
                state = self.cell(steps[place] + steps[max(place - 1, 0)], state)
            elif not place or place % ROUNDS == ROUNDS - 1:
                step = x.select(1, place) * place
                state = self.cell(step, state)
            outputs.append(state)
        return torch.stack(outputs, 1)


def test_what_the_first_and_last_rounds_decide_keeps_no_loop_whole() -> None:
    rounds, (counted, whole) = rounds_and_tables(DecidesAtItsEnds)
    assert rounds[0] == KEPT_ROUNDS
    assert has_long_loop(counted)
    assert_same(counted, whole)
