"""A model whose router decides what runs is traced with each expert given as much as any other, and says so."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from advisor.optable.op_table import at
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import Way, trace
from advisor.worker.trace.values.kept_values import evenly_chosen
from advisor.worker.trace.values.known import Fakes

EXPERTS, CHOSEN, WIDTH, WORDS = 4, 2, 16, 8


class Routed(nn.Module):
    """Words go to the best two of four experts; too large to be run for real."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(1 << 23, WIDTH)
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.named = nn.ModuleDict({f"expert_{place}": nn.Linear(WIDTH, WIDTH, bias=False) for place in range(EXPERTS)})

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        states = self.words(words).flatten(0, 1)
        weights, best = self.router(states).topk(CHOSEN, dim=-1)
        mask = nn.functional.one_hot(best, EXPERTS).permute(2, 1, 0)
        out = torch.zeros_like(states)
        for expert in mask.sum(dim=(-1, -2)).greater(0).nonzero():
            slot, place = torch.where(mask[expert].squeeze(0))
            worked = self.named[f"expert_{expert[0]}"](states[place]) * weights[place, slot, None]
            out = out.index_add(0, place, worked)
        return out.sum()


def words(batch_size: int) -> tuple[torch.Tensor, ...]:
    return (torch.zeros(batch_size, WORDS, dtype=torch.long),)


def test_every_expert_gets_an_equal_share_of_the_words_and_the_table_says_so() -> None:
    table = trace(Subject(build=Routed, make_batch=words, step=lambda m, b: m(*b)), "fp32")
    assert "trace-even-routing" in [caveat.code for caveat in table.caveats]
    products = [op for op in table.ops if op.kind == "matmul" and op.phase == "forward"]
    experts = sum(op.count * at(op.flop, 8) for op in products if at(op.flop, 8) == at(products[-1].flop, 8))
    assert experts == 2 * 8 * WORDS * CHOSEN * WIDTH * WIDTH
    assert sum(op.count for op in products) == 1 + EXPERTS


def chosen(func: object, *args: object) -> list[int]:
    mode = Fakes(values="even")
    with mode:
        out = func(torch.empty(3, 4), *args)  # type: ignore[operator]
    made = evenly_chosen(mode, func, (torch.empty(3, 4), *args), {}, out)
    places: FakeTensor = made if isinstance(made, FakeTensor) else made[1]
    assert places.constant is not None
    return [int(place) for place in places.constant.flatten()]


def test_places_are_chosen_in_turn_along_their_dimension() -> None:
    aten = torch.ops.aten
    assert chosen(aten.topk.default, 2) == [0, 1, 2, 3, 0, 1]
    assert chosen(aten.topk.default, 2, 0) == [0, 2, 1, 0, 1, 0, 2, 1]
    assert chosen(aten.argmax.default, 1) == [0, 1, 2]
    assert chosen(aten.max.dim, 0) == [0, 1, 2, 0]
    assert chosen(aten.argmax.default) == [0]


def test_where_choices_are_too_large_at_a_third_batch_size_two_sizes_do_and_the_table_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    way, subject = Way(), Subject(build=Routed, make_batch=words, step=lambda m, b: m(*b))
    whole = trace(subject, "fp32")
    monkeypatch.setattr("advisor.worker.trace.values.kept_values._MOST_OF_INPUTS", 20 * WORDS * CHOSEN * EXPERTS)
    table = trace(subject, "fp32", way=way)
    assert [caveat.code for caveat in table.caveats] == ["trace-even-routing", "trace-at-two-sizes"]
    assert [at(op.flop, 8) for op in table.ops] == [at(op.flop, 8) for op in whole.ops]
    assert way.too_large_to_check
    further = trace(subject, "half", way=way)
    assert "trace-at-two-sizes" in [caveat.code for caveat in further.caveats]
