"""Operators on known values are worked out for real, and a trace at another precision begins where the first ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from advisor.worker.trace.computed import NOT_COMPUTED, computed
from advisor.worker.trace.kept_values import with_values
from advisor.worker.trace.known import Fakes
from advisor.worker.trace.step_pass import Subject
from advisor.worker.trace.trace import Way, trace

if TYPE_CHECKING:
    from collections.abc import Callable

ATEN = torch.ops.aten
GRID = torch.arange(12).reshape(3, 4)
MASK = GRID > 4
CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (ATEN.select.int, (GRID, 0, 1)),
    (ATEN.t.default, (GRID,)),
    (ATEN.unbind.int, (GRID,)),
    (ATEN.nonzero.default, (MASK,)),
    (ATEN.index.Tensor, (GRID, [torch.tensor([0, 2])])),
    (ATEN.cat.default, ([GRID, GRID + 1],)),
    (ATEN.add.Tensor, (GRID, 1)),
    (ATEN.max.dim, (GRID, 1)),
    (ATEN.cumsum.default, (GRID, 0)),
]


def fakes(mode: Fakes, values: Any) -> Any:
    if isinstance(values, torch.Tensor):
        return with_values(mode, values)
    if isinstance(values, (list, tuple)):
        return type(values)(fakes(mode, value) for value in values)
    return values


def described(result: Any, given: list[Any]) -> list[tuple[Any, ...]]:
    """Shape, strides, place in its storage, values, and which argument lies in the same storage."""
    tensors: list[Any] = [result] if isinstance(result, torch.Tensor) else list(result)
    owners = [tensor for tensor in given if isinstance(tensor, FakeTensor)]
    return [
        (
            tuple(tensor.shape),
            tensor.stride(),
            tensor.storage_offset(),
            tensor.dtype,
            tensor.untyped_storage().nbytes(),
            tensor.constant.tolist(),
            [owner.untyped_storage()._cdata == tensor.untyped_storage()._cdata for owner in owners],
        )
        for tensor in tensors
    ]


@pytest.mark.parametrize(("func", "args"), CASES, ids=[str(func) for func, _ in CASES])
def test_a_result_is_that_of_torchs_own_rule_with_its_values(func: Any, args: tuple[Any, ...]) -> None:
    mode = Fakes(values="whole")
    given = fakes(mode, args)
    own = mode._dispatched(func, (), given, {})
    ours = computed(mode, func, given, {})
    assert described(ours, list(given)) == described(own, list(given))


def test_what_is_written_into_a_view_is_read_from_what_it_is_a_view_of() -> None:
    mode = Fakes(values="whole")
    with mode:
        grid = torch.arange(12).reshape(3, 4)
        grid[1].fill_(7)
        assert [int(value) for value in grid.sum(1)] == [6, 28, 38]


def test_a_tensor_without_values_leaves_the_call_to_torch() -> None:
    mode = Fakes(values="whole")
    known, unknown = with_values(mode, GRID), mode.from_tensor(torch.ones(3, 4))
    assert computed(mode, ATEN.add.Tensor, (known, unknown), {}) is NOT_COMPUTED
    assert computed(mode, ATEN.ones_like.default, (unknown,), {}) is NOT_COMPUTED
    assert computed(mode, ATEN.zeros.default, ([2],), {}) is NOT_COMPUTED


class Counted(nn.Module):
    """Says how many rounds it takes by a value of its input."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.layer = nn.Embedding(1 << 23, 16), nn.Linear(16, 16)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        states = self.words(words)
        for _ in range(int(words.max())):
            states = torch.relu(self.layer(states))
        loss: torch.Tensor = states.sum()
        return loss


def counted_subject(calls: list[str]) -> Subject:
    def build() -> nn.Module:
        calls.append("build")
        return Counted()

    def step(model: nn.Module, batch: Any) -> Any:
        calls.append("step")
        return model(*batch)

    make_batch: Callable[[int], Any] = lambda size: (torch.full((size, 4), 3),)  # noqa: E731 - as short as a lambda
    return Subject(build=build, make_batch=make_batch, step=step)


def test_a_second_precision_keeps_the_values_that_the_first_needed_and_is_not_checked_again() -> None:
    way, first, second, alone = Way(), list[str](), list[str](), list[str]()
    trace(counted_subject(first), "fp32", way=way)
    table = trace(counted_subject(second), "amp", way=way)
    plain = trace(counted_subject(alone), "amp")
    assert (way.values, way.checked) == ("whole", True)
    assert first == ["build", "step", "build", "step", "step", "step"]
    assert second == ["build", "step", "step"]
    assert alone == first
    assert table == plain


def test_what_the_second_precision_cannot_do_in_the_same_way_is_found_out_from_the_start() -> None:
    way, calls = Way(values="even", checked=True), list[str]()
    subject = counted_subject(calls)

    def fails_at_first() -> nn.Module:
        if not calls:
            calls.append("failed")
            raise ValueError
        return subject.build()

    trace(subject._replace(build=fails_at_first), "amp", way=way)
    assert way.values == "whole"
    assert calls == ["failed", "build", "step", "build", "step", "step"]
