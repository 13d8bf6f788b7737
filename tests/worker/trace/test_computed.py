"""Known values are worked out for real; a trace begins where another precision ended, and is of a steady step."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from advisor.protocol.messages import Progress, Traced, TraceRequest, WorkerEvent
from advisor.worker.event_box import EventBox
from advisor.worker.trace.answer import answer
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import Way, trace
from advisor.worker.trace.values import kept_values
from advisor.worker.trace.values.computed import NOT_COMPUTED, computed
from advisor.worker.trace.values.kept_values import with_values
from advisor.worker.trace.values.known import Fakes
from advisor.workload.workload_file import load_workload

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


DECIDES = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 5)

    def forward(self, rows):
        rounds = ROUNDS if float(self.layer.weight.abs().sum()) > 0 else 0
        if OTHERWISE:
            rounds += int(self.layer.bias.sum() > 1e9)
        out = self.layer(rows)
        for _ in range(rounds):
            out = torch.relu(out)
        return out

def build_model(): return Net()
def make_batch(batch_size): return torch.randn(batch_size, 6), torch.randint(0, 5, (batch_size,))
"""
DECIDING = """
name = "deciding"
[model]
source = "python"
file = "net.py"
[data]
samples = 100
[training]
batch_size = 2
precision = "bf16_amp"
"""


def asked_for(
    folder: Path, rounds: str, otherwise: str = "False"
) -> tuple[list[tuple[str, str]], BaseException | None]:
    """What a worker says of a model that reads its own weights: phases and tables in order, and how it ended.

    `otherwise`: when it asks one question more.
    """
    (folder / "net.py").write_text(DECIDES.replace("ROUNDS", rounds).replace("OTHERWISE", otherwise), "utf-8")
    (folder / "w.toml").write_text(DECIDING, "utf-8")
    sent = io.BytesIO()
    request = TraceRequest(workload=load_workload(folder / "w.toml"), precisions=("amp", "fp32"), allow_code=True)
    ended: BaseException | None = None
    try:
        answer(request, EventBox(sent, io.BytesIO()))
    except TraceFailed as error:
        ended = error
    events = [msgspec.json.decode(line, type=WorkerEvent) for line in sent.getvalue().splitlines()]
    said = [("began", event.detail) for event in events if isinstance(event, Progress)]
    return said + [("table", event.table.precision) for event in events if isinstance(event, Traced)], ended


def test_what_a_real_pass_decides_holds_at_every_precision(tmp_path: Path) -> None:
    said, ended = asked_for(tmp_path, "3")
    assert said == [("began", "amp"), ("began", "fp32"), ("table", "amp"), ("table", "fp32")]
    assert ended is None


def test_a_model_that_is_run_for_real_beside_its_trace_is_traced_in_fp32_first(tmp_path: Path) -> None:
    said, ended = asked_for(tmp_path, "3", "torch.is_grad_enabled()")
    assert said == [("began", "amp"), ("began", "fp32"), ("began", "amp"), ("table", "fp32"), ("table", "amp")]
    assert ended is None


def test_what_stops_fp32_is_not_tried_in_half(tmp_path: Path) -> None:
    said, ended = asked_for(tmp_path, "len(rows) ** 2")
    assert said == [("began", "amp"), ("began", "fp32")]
    assert isinstance(ended, TraceFailed)
    assert ended.fault == "trace-depends-on-data"


class Remembering(nn.Module):
    """Reads a value, makes a mask once for all, and the places of its words for the last batch size alone."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.layer = nn.Embedding(10, 8), nn.Linear(8, 8)
        self.mask: torch.Tensor | None = None
        self.places = dict[torch.Size, torch.Tensor]()

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        states = self.words(words)
        if self.mask is None:
            self.mask = self.layer.bias.detach().exp()
        if states.shape not in self.places:
            self.places = {states.shape: self.layer.bias.detach().sin() * torch.ones_like(states)}
        for _ in range(int(words.max())):
            states = torch.relu(self.layer(states))
        loss: torch.Tensor = (states * self.mask + self.places[states.shape]).sum()
        return loss


def same_words(size: int) -> tuple[torch.Tensor, ...]:
    return (torch.full((size, 16), 7),)


def test_a_cache_that_forgets_one_batch_size_for_the_other_is_none_of_a_steady_step() -> None:
    asked = Subject(build=Remembering, make_batch=same_words, step=lambda model, batch: model(*batch))
    table = trace(asked, "fp32")
    assert [op.name for op in table.ops if op.name in {"exp", "sin"}] == []
    assert [caveat.code for caveat in table.caveats] == []


def test_what_is_too_large_to_be_known_at_the_largest_batch_is_known_at_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_values, "_MOST_OF_INPUTS", 24 * 16 - 1)
    with pytest.raises(TraceFailed, match="decides by the values"):
        trace(Subject(build=Picking, make_batch=same_words, step=lambda model, batch: model(*batch)), "fp32")
    monkeypatch.setattr(kept_values, "_MOST_OF_INPUTS", 24 * 16)
    table = trace(Subject(build=Picking, make_batch=same_words, step=lambda model, batch: model(*batch)), "fp32")
    assert table.caveats == ()


class Picking(nn.Module):
    """Takes as many rounds as its largest word says; too large to be run for real."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(1 << 23, 16)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        states = self.words(words)
        for _ in range(int(words.max())):
            states = torch.relu(states)
        loss: torch.Tensor = states.sum()
        return loss


def test_what_is_picked_from_known_values_at_unknown_places_is_unknown() -> None:
    mode = Fakes(values="whole")
    points = with_values(mode, torch.randn(2, 8, 3))
    with mode:
        places = torch.randn(2, 4).argsort(1)  # of what was computed: nobody knows it
        picked = points[torch.arange(2)[:, None], places]
    assert picked.shape == (2, 4, 3)
    assert isinstance(picked, FakeTensor)
    assert picked.constant is None
