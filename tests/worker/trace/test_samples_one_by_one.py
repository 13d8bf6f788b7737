"""A model that takes samples one by one at one precision is known to at another, where fewer passes make its table."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from advisor.optable.dispatches import dispatches
from advisor.optable.op_table import OpTable
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import Way, trace
from advisor.workload.workload import Attention


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


def traced(kind: type[OneByOne], way: Way | None, calls: list[int], attention: Attention = "sdpa") -> OpTable:
    def step(model: nn.Module, states: torch.Tensor) -> torch.Tensor:
        calls.append(len(states))
        loss: torch.Tensor = model(states)
        return loss

    subject = Subject(kind, lambda batch_size: torch.zeros(batch_size, 8), step, attention=attention)
    return trace(subject, "fp32", checked=False, way=way)


def twice(kind: type[OneByOne]) -> tuple[Way, list[int], list[int], bool]:
    """What the first trace showed, the batches of both, and whether the second gives what it gives by itself."""
    way, first, second, alone = Way(), list[int](), list[int](), list[int]()
    traced(kind, way, first)
    table = traced(kind, way, second)
    return way, first, second, table == traced(kind, None, alone)


@pytest.mark.parametrize("kind", [OneByOne, KeepsPlaces])
def test_it_is_traced_at_smaller_batches_and_two_of_the_passes_run_forward_alone(kind: type[OneByOne]) -> None:
    way, first, second, is_same = twice(kind)
    assert way.learnt.samples_apart
    assert first == [8, 16, 8, 8, *second]
    assert second == [4, 8, 8, 4]
    assert is_same


def test_the_host_calls_once_more_for_each_sample_that_is_taken_by_itself() -> None:
    table, of_whole = traced(OneByOne, None, []), traced(AtOnce, None, [])
    for phase in ("forward", "backward"):
        assert table.sample_dispatch_count[phase] > 1
        at_three = dispatches(table, phase, 3) - dispatches(table, phase, 2)
        assert at_three == table.sample_dispatch_count[phase]
    assert of_whole.sample_dispatch_count == {}
    assert dispatches(of_whole, "forward", 64) == of_whole.dispatch_count["forward"]


@pytest.mark.parametrize("batch_size", [1, 3, 5])
def test_the_calls_of_any_batch_are_those_that_a_pass_of_it_makes(batch_size: int) -> None:
    table = traced(OneByOne, None, [])
    calls: list[str] = []
    model, states = OneByOne(), torch.zeros(batch_size, 8)

    class Counting(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(str(func))
            return func(*args, **(kwargs or {}))

    with Counting():  # type: ignore[no-untyped-call]
        model(states)
    assert len(calls) == dispatches(table, "forward", batch_size)


def test_kernels_for_packed_samples_are_called_for_all_at_once() -> None:
    packed = traced(OneByOne, None, [], attention="flash")
    looped = traced(OneByOne, None, [])
    assert packed.sample_dispatch_count == {}
    assert dispatches(packed, "forward", 64) == dispatches(looped, "forward", 1)


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
