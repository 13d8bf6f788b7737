"""Models that read values while they run are traced with those values, and count the operators that they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from advisor.optable.op_table import ALLOCATE, FREE, OpTable, at
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.fake_model import build_fake
from advisor.worker.trace.step_pass import Passes
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace
from advisor.worker.trace.values.kept_values import with_values
from advisor.worker.trace.values.known import Fakes

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.catalogue.precisions import TracePrecision
    from advisor.workload.workload import Mode

Batch = tuple[torch.Tensor, ...]


def subject(build: Callable[[], nn.Module], *, sizes: tuple[int, ...] = (8,)) -> Subject:
    return Subject(
        build=build,
        make_batch=lambda batch_size: (torch.randn(batch_size, *sizes),),
        step=lambda model, batch: model(*batch),
    )


class Picked(nn.Module):
    """Marks the words that are pictures, and takes as many rounds as the largest word says."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(10, 8), nn.Linear(8, 4)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        marked = words > 3
        assert int(marked.sum().item()) == 5 * len(words)
        states = self.words(words)
        pictures = states[marked]
        for _ in range(int(words.max())):
            pictures = torch.relu(pictures)
        loss: torch.Tensor = self.head(states.masked_scatter(marked.unsqueeze(-1), pictures)).sum()
        return loss


def words_with_pictures(batch_size: int) -> Batch:
    words = torch.zeros(batch_size, 16, dtype=torch.long)
    words[:, :5] = 7
    return (words,)


def test_a_model_that_counts_its_marked_words_is_traced_with_their_values() -> None:
    table = trace(Subject(build=Picked, make_batch=words_with_pictures, step=lambda m, b: m(*b)), "fp32")
    rounds = [op for op in table.ops if op.name == "relu" and op.phase == "forward"]
    assert sum(op.count for op in rounds) == 7
    assert table.parameter_count == 10 * 8 + 8 * 4 + 4
    assert table.caveats == ()


@torch.library.custom_op("advisor_tests::shared_out", mutates_args=())
def shared_out(rows: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return rows @ weights


@shared_out.register_fake
def _(rows: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return torch.empty(rows.shape[0], weights.shape[1], dtype=rows.dtype)


class FromElsewhere(Picked):
    """Goes through the samples, and runs an operator of another library, whose shape rule makes an empty tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(8, 8), requires_grad=False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        assert all(int((sample > 3).sum()) == 5 for sample in words)
        states = torch.tanh(shared_out(self.words(words).flatten(0, 1).detach(), self.weights))
        loss: torch.Tensor = super().forward(words) + states.sum()
        return loss


def test_what_the_shape_rule_of_a_foreign_operator_makes_is_no_value() -> None:
    table = trace(Subject(build=FromElsewhere, make_batch=words_with_pictures, step=lambda m, b: m(*b)), "fp32")
    names = [op.name for op in table.ops]
    assert "shared_out" in names
    assert "tanh" in names


class Doubting(nn.Module):
    """Looks at its own activations before each round."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.drop, self.head = nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 1)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        for _ in range(5):
            states = self.drop(torch.relu(self.inner(states)))
            if states.mean().item() > 1e9:
                break
        loss: torch.Tensor = self.head(states).mean()
        return loss


def test_a_small_model_that_reads_its_activations_is_traced_by_running() -> None:
    table = trace(subject(Doubting), "fp32")
    assert sum(op.count for op in table.ops if op.kind == "matmul" and op.phase == "forward") == 6


def value_of(tensor: object) -> torch.Tensor | None:
    assert isinstance(tensor, FakeTensor)
    return tensor.constant


def test_gradients_of_known_values_are_not_computed_and_the_values_stay_known() -> None:
    mode = Fakes(values="all")
    model = build_fake(lambda: nn.Linear(8, 8, bias=False), mode, real=True)
    (weight,) = model.parameters()
    rows = with_values(mode, torch.randn(2, 8))
    with mode:
        out = model(rows)
        before = value_of(out)
        assert before is not None
        with mode.deciding_no_more():
            out.sum().backward()
        assert value_of(weight.grad) is None
        again = value_of(model(rows))
    assert again is not None
    assert torch.equal(again, before)


def test_memory_that_nobody_filled_is_no_value() -> None:
    with Fakes(values="whole"):
        assert value_of(torch.empty(2, 2)) is None
        assert value_of(torch.zeros(2, 2)) is not None
        places = torch.empty(3, dtype=torch.int64)  # filled one by one, and read
        places[0] = 0
        places[1:] = torch.tensor([4, 9])
        assert [int(place) for place in places] == [0, 4, 9]


class Sure(nn.Module):
    """Goes on for as long as it is not sure, in whatever type it computes."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            states = self.inner(states)
            if states.log_softmax(-1).amax().item() > 0:
                break
        query = states.view(len(states), 2, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(query, query, query, is_causal=True)
        assert seen.amax().item() < 1e9  # still known: of one word to look at it is the word itself
        return seen.mean()


@pytest.mark.parametrize("precision", ["fp32", "amp", "half"])
def test_a_model_that_decides_by_values_is_traced_in_every_precision(precision: TracePrecision) -> None:
    table = trace(subject(Sure), precision)
    assert sum(op.count for op in table.ops if op.kind == "matmul" and op.phase == "forward") == 3
    assert any(op.kind == "attention" for op in table.ops)


class Wandering(nn.Module):
    """Takes as many rounds as chance has it: no two batches run the same operators."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        for _ in range(2 * len(states) + int(states.mean().item() > 1e9)):
            states = self.inner(states)
        return states.mean()


def test_a_model_whose_rounds_follow_the_batch_is_refused() -> None:
    with pytest.raises(TraceFailed, match="at another batch size"):
        trace(subject(Wandering), "fp32")


class OneByOne(nn.Module):
    """Takes the samples one by one, as many models do with pictures of unlike sizes."""

    def __init__(self, inputs: int = 8, width: int = 8) -> None:
        super().__init__()
        self.inner, self.head = nn.Linear(inputs, width), nn.Linear(width, 1)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        parts = [self.inner(sample.unsqueeze(0)) for sample in states]
        loss: torch.Tensor = self.head(torch.cat(parts)).mean()
        return loss


def test_samples_taken_one_by_one_are_counted_as_taken_together_and_said_so() -> None:
    table = trace(subject(lambda: OneByOne(12, 20), sizes=(12,)), "fp32")
    assert [caveat.code for caveat in table.caveats] == ["trace-loops-over-samples"]
    assert table.compiled is None
    for batch_size in (1, 8, 100):
        products = sum(op.count * at(op.flop, batch_size) for op in table.ops if op.name == "addmm")
        assert products == pytest.approx(2 * batch_size * (12 * 20 + 20))


def peak_bytes(table: OpTable, batch_size: int) -> float:
    """The most bytes alive at once."""
    memory, alive, most = table.memory, 0.0, 0.0
    assert memory is not None
    for kind, *size in zip(memory.kind, memory.size0_bytes, memory.size1_bytes, strict=True):
        alive += {ALLOCATE: 1, FREE: -1}.get(kind, 0) * at((size[0], size[1]), batch_size)
        most = max(most, alive)
    return most


@pytest.mark.parametrize("mode", ["training", "inference"])
@pytest.mark.parametrize("batch_size", [8, 24, 40])
def test_memory_of_samples_taken_one_by_one_is_that_of_a_pass_over_them(mode: Mode, batch_size: int) -> None:
    asked = subject(lambda: OneByOne(12, 4096), sizes=(12,))._replace(mode=mode)
    fakes = Fakes()
    there = Passes(asked, "fp32", fakes, build_fake(asked.build, fakes)).at(batch_size).recorder.tracker
    assert peak_bytes(trace(asked, "fp32"), batch_size) == pytest.approx(there.peak_bytes, rel=0.001)


class InTens(OneByOne):
    """Takes the samples one by one and puts them together by tens: no more than ten are ever held."""

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        parts: list[torch.Tensor] = []
        total = states.new_zeros(())
        for place, sample in enumerate(states):
            parts.append(self.inner(sample.unsqueeze(0)))
            if len(parts) == 10 or place == len(states) - 1:
                total = total + torch.cat(parts).sum()
                parts.clear()
        return total


def test_memory_that_does_not_grow_as_the_batch_does_is_not_predicted() -> None:
    table = trace(subject(lambda: InTens(8, 4096))._replace(mode="inference"), "fp32")
    assert table.memory is None
    assert "trace-memory-streams-differ" in [caveat.code for caveat in table.caveats]


class Compiled(nn.Module):
    """Compiles a part of itself."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.compile(nn.Linear(8, 8))
        self.head = nn.Linear(8, 1)
        self.head.compile()

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        loss: torch.Tensor = self.head(self.inner(states)).mean()
        return loss


def test_a_model_that_compiles_itself_is_traced_as_it_is_written() -> None:
    table = trace(subject(Compiled), "fp32")
    assert sum(op.count for op in table.ops if op.kind == "matmul" and op.phase == "forward") == 2


class Packed(nn.Module):
    """Packs its sequences by their lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.cell, self.head = nn.Embedding(10, 8), nn.LSTM(8, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, words: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(self.words(words), lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.cell(packed)[0], batch_first=True)
        loss: torch.Tensor = self.head(states).mean()
        return loss


def test_packed_sequences_are_traced_by_their_lengths() -> None:
    def batch(batch_size: int) -> Batch:
        return torch.randint(0, 10, (batch_size, 12)), torch.full((batch_size,), 12)

    table = trace(Subject(build=Packed, make_batch=batch, step=lambda m, b: m(*b)), "fp32")
    assert table.parameter_count == sum(parameter.numel() for parameter in Packed().parameters())


def test_lengths_that_are_others_at_another_batch_size_are_the_cause_that_is_told() -> None:
    def unlike(batch_size: int) -> Batch:
        lengths = torch.tensor([3, 12, 7, 1, 5]).repeat(batch_size)[:batch_size] - batch_size % 3
        return torch.randint(0, 10, (batch_size, 12)), lengths.clamp(min=1)

    def steady(batch_size: int) -> Batch:
        return torch.randint(0, 10, (batch_size, 12)), torch.tensor([12, 6]).repeat(batch_size // 2)

    with pytest.raises(TraceFailed) as caught:
        trace(Subject(build=Packed, make_batch=unlike, step=lambda m, b: m(*b)), "fp32")
    assert caught.value.fault == "trace-packed-lengths"
    assert "mean length" in caught.value.text
    assert trace(Subject(build=Packed, make_batch=steady, step=lambda m, b: m(*b)), "fp32").parameter_count > 0


class Sampled(nn.Module):
    """Counts its words, and samples its table at known places: torch works that out channel by channel of each."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 64, 8, 8))

    def forward(self, places: torch.Tensor) -> torch.Tensor:
        count = int(places.sum().item())
        assert count == 3.5 * places.numel()
        grid = places.view(1, -1, 1, 2).float() / 8
        found = nn.functional.grid_sample(self.table, grid, mode="bicubic", align_corners=False)
        assert int(places.sum().item()) == count  # what was known before is known after
        return found.square().mean()


def test_what_an_operator_is_worked_out_of_is_not_computed_for_a_result_that_nobody_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    largest = [0]
    original = Fakes.may_turn_const

    def watched(mode: Fakes, tensor: torch.Tensor) -> bool:
        largest.append(tensor.numel())
        return original(mode, tensor)

    monkeypatch.setattr(Fakes, "may_turn_const", watched)
    places = Subject(
        build=Sampled,
        make_batch=lambda size: (torch.arange(32 * size).view(size, 16, 2) % 8,),
        step=lambda model, batch: model(*batch),
    )
    table = trace(places, "fp32")
    assert any(op.name.startswith("grid_sampler") for op in table.ops)
    assert sum(count > 24 * 16 * 2 for count in largest) < 200  # else every step for each of the table's channels


def test_a_model_whose_values_are_all_known_is_run_on_few_samples() -> None:
    seen: set[int] = set()

    def step(model: nn.Module, batch: Batch) -> torch.Tensor:
        seen.add(len(batch[0]))
        loss: torch.Tensor = model(*batch)
        return loss

    table = trace(Subject(build=Doubting, make_batch=lambda size: (torch.randn(size, 8),), step=step), "fp32")
    assert seen == {8, 2, 4, 6}
    assert table.caveats == ()


class Mismatched(nn.Module):
    """Puts fewer rows than it marked words, which torch refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(10, 8)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        states = self.words(words) * 1
        states[words > 3] = self.words(words[:, :3]).flatten(0, 1)
        loss: torch.Tensor = states.square().mean()
        return loss


def test_rows_that_are_fewer_than_their_places_are_refused_as_torch_refuses_them() -> None:
    with pytest.raises(RuntimeError, match="expand"):
        trace(Subject(build=Mismatched, make_batch=words_with_pictures, step=lambda m, b: m(*b)), "fp32")


class OverTheBatch(nn.Module):
    """Lets the samples of a batch attend to each other."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        states = self.layer(rows).view(1, 1, len(rows), 8)
        loss: torch.Tensor = nn.functional.scaled_dot_product_attention(states, states, states).square().mean()
        return loss


def test_sizes_that_follow_the_batch_are_told_by_what_differs() -> None:
    with pytest.raises(TraceFailed, match=r"has sizes that follow the batch: 4 at 4 samples, 8 at 8\)"):
        trace(subject(OverTheBatch), "fp32")
