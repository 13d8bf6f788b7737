"""A model that takes samples one by one at one precision is known to at another, where fewer passes make its table."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from advisor.optable.op_table import OpTable
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import Way, trace


class OneByOne(nn.Module):
    """Takes the samples one by one, as many models do with pictures of unlike sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.head = nn.Linear(8, 8), nn.Linear(8, 1)
        self.places: torch.Tensor | None = None

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        parts = [self.inner(sample.unsqueeze(0)) for sample in states]
        loss: torch.Tensor = self.head(torch.cat(parts)).mean()
        return loss


class KeepsPlaces(OneByOne):
    """Makes what it needs of places once for all."""

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        if self.places is None:
            self.places = states.new_ones(8).cos()
        return super().forward(states * self.places)


class KeepsOneSize(OneByOne):
    """Reads its inputs, and keeps what it needs of the last batch size alone."""

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        assert states.sum().item() == 0
        if self.places is None or len(self.places) != len(states):
            self.places = self.head.weight.detach().cos().expand(len(states), -1).sin()
        return super().forward(states * self.places)


class AtOnce(OneByOne):
    def forward(self, states: torch.Tensor) -> torch.Tensor:
        loss: torch.Tensor = self.head(self.inner(states)).mean()
        return loss


def traced(kind: type[OneByOne], way: Way | None, calls: list[int]) -> OpTable:
    def step(model: nn.Module, states: torch.Tensor) -> torch.Tensor:
        calls.append(len(states))
        loss: torch.Tensor = model(states)
        return loss

    return trace(Subject(kind, lambda batch_size: torch.zeros(batch_size, 8), step), "fp32", checked=False, way=way)


def twice(kind: type[OneByOne]) -> tuple[Way, list[int], list[int], bool]:
    """What the first trace showed, the batches of both, and whether the second gives what it gives by itself."""
    way, first, second, alone = Way(), list[int](), list[int](), list[int]()
    traced(kind, way, first)
    table = traced(kind, way, second)
    return way, first, second, table == traced(kind, None, alone)


@pytest.mark.parametrize("kind", [OneByOne, KeepsPlaces])
def test_two_of_its_passes_run_forward_alone(kind: type[OneByOne]) -> None:
    way, first, second, is_same = twice(kind)
    assert way.learnt.samples_apart
    assert first == [8, 16, 8, 8]
    assert second == [8, 16, 16, 8]
    assert is_same


def test_what_is_kept_of_one_batch_size_alone_is_found_out_anew() -> None:
    way, first, second, is_same = twice(KeepsOneSize)
    assert way.values == "whole"
    assert not way.learnt.samples_apart
    assert first[1:] == second == [8, 16, 16, 8, 8]
    assert is_same


def test_a_model_of_whole_batches_takes_two_passes_each_time() -> None:
    way, first, second, is_same = twice(AtOnce)
    assert not way.learnt.samples_apart
    assert first == second == [8, 16]
    assert is_same
