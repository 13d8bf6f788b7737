"""What a model decides by its values is found out by one real pass, and its trace asks the same in the same order."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers.utils import import_utils

import advisor.worker.trace.trace as tracing
from advisor.core.sentences import say
from advisor.core.system import this_system
from advisor.optable.dispatches import synchronisations
from advisor.optable.op_table import OpTable, at
from advisor.recommend.switches import Change, applies
from advisor.worker.trace import real_pass
from advisor.worker.trace.affine import StreamsDiffer, TracedOp, by_chance, folded
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.ops.raw_op import RawOp
from advisor.worker.trace.real_pass import RealPasses, TakesTooLong
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import Way, trace
from advisor.worker.trace.values.decisions import Differs, Noting, Told, drawn_alike
from advisor.worker.trace.values.known import Fakes
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.catalogue.precisions import TracePrecision

Tensor = torch.Tensor
WIDTH, SIDE, CELLS = 16, 16, 64


def suppressed(boxes: Tensor, scores: Tensor) -> Tensor:
    """Places of boxes that no better one covers, as torchvision's own operator tells them."""
    order = scores.argsort(descending=True)
    kept: list[Tensor] = []
    while order.numel() and len(kept) < 12:
        best = order[0]
        kept.append(best)
        far = (boxes[order] - boxes[best]).abs().amax(1) > 0.05
        order = order[far]
    return torch.stack(kept)


class Detector(nn.Module):
    """Proposes boxes, keeps what overlaps little, trains a head on those that match: like Faster R-CNN in small."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Conv2d(3, WIDTH, 3, stride=2, padding=1)
        self.score, self.box = nn.Conv2d(WIDTH, 1, 1), nn.Conv2d(WIDTH, 4, 1)
        self.head = nn.Linear(WIDTH, 5)
        self.scale: float | None = None

    def forward(self, images: list[Tensor], targets: list[dict[str, Tensor]]) -> dict[str, Tensor]:
        if any(bool((target["boxes"][:, 2:] <= target["boxes"][:, :2]).any()) for target in targets):
            raise ValueError("no box")
        if self.scale is None:  # looked up once, as poolers do
            self.scale = float(torch.tensor(4.0).log2())
        features = functional.relu(self.body(torch.stack(images)))
        scores = self.score(features).flatten(1).detach()
        boxes = self.box(features).flatten(2).transpose(1, 2).unbind()
        cells = features.flatten(2).transpose(1, 2).unbind()
        rows, labels, moved = [], [], []
        for place, target in enumerate(targets):
            kept = suppressed(boxes[place].detach(), scores[place])
            near = torch.cdist(boxes[place].detach()[kept], target["boxes"]).argmin(1)
            found = target["labels"][near]
            rows.append(cells[place][kept])
            labels.append(found)
            places = torch.where(found > 1)[0]
            moved.append(boxes[place][kept][places].abs().sum() / max(1, places.numel()))
        together, wanted = torch.cat(rows), torch.cat(labels)
        certain = functional.cross_entropy(self.head(together), wanted)
        loud = features[features > 0.1]
        return {"classes": certain, "boxes": torch.stack(moved).mean(), "quiet": loud.square().mean() * self.scale}


def scenes(batch_size: int) -> tuple[list[Tensor], list[dict[str, Tensor]]]:
    images = [torch.rand(3, SIDE, SIDE) for _ in range(batch_size)]
    targets = []
    for _ in range(batch_size):
        count = random.randint(1, 4)
        corner = torch.rand(count, 2)
        targets.append({"boxes": torch.cat([corner, corner + 1], 1), "labels": torch.randint(0, 5, (count,))})
    return images, targets


def loss_of(model: nn.Module, batch: Any) -> Tensor:
    return torch.stack(list(model(*batch).values())).sum()


def subject(build: Callable[[], nn.Module] = Detector, make_batch: Callable[[int], Any] = scenes) -> Subject:
    return Subject(build=build, make_batch=make_batch, step=loss_of)


def codes(table: OpTable) -> set[str]:
    return {caveat.code for caveat in table.caveats}


class Counted(Noting):  # type: ignore[no-untyped-call]
    """How many rows the head of a real pass works on."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: int = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten.addmm.default:
            self.rows += len(args[1])
        return super().__torch_dispatch__(func, types, args, kwargs)


def rows_of_the_head(batch_size: int) -> int:
    with drawn_alike():
        batch = scenes(batch_size)
    torch.manual_seed(0)
    with torch.no_grad(), Counted() as counted:
        loss_of(Detector(), batch)
    rows: int = counted.rows
    return rows


def seeded() -> nn.Module:
    torch.manual_seed(0)
    return Detector()


@pytest.fixture(scope="module")
def way() -> Way:
    return Way()


@pytest.mark.parametrize("precision", ["fp32", "amp", "half"])
def test_a_detector_is_traced_with_as_many_boxes_as_a_real_pass_kept(precision: TracePrecision, way: Way) -> None:
    table = trace(subject(seeded), precision, way=way)
    assert "trace-sizes-by-values" in codes(table)
    assert "trace-even-routing" not in codes(table)
    head = [op for op in table.ops if op.kind == "matmul" and op.phase == "forward" and op.name == "addmm"]
    for batch_size in (2, 4):
        rows = sum(op.count * at(op.flop, batch_size) for op in head) / (2 * WIDTH * 5)
        assert rows == pytest.approx(rows_of_the_head(batch_size), rel=1e-6)
    convolutions = [op for op in table.ops if op.kind == "convolution" and op.phase == "forward"]
    first = max(convolutions, key=lambda op: at(op.flop, 1))
    assert at(first.flop, 32) == pytest.approx(32 * 2 * CELLS * WIDTH * 27, rel=1e-6)
    assert sum(op.count for op in table.ops if op.kind == "convolution" and op.phase == "backward") > 0
    assert synchronisations(table, 2) > 10


def test_what_a_model_asks_once_is_no_part_of_a_steady_pass() -> None:
    decisions = RealPasses(subject(seeded)).decisions
    assert set(decisions.steady) == {2, 4}
    once = len(decisions.first) - len(decisions.steady[2])
    assert once == 1


def test_a_third_batch_checks_the_table_where_there_is_time() -> None:
    passes = RealPasses(subject(seeded))
    assert set(passes.decisions.steady) == {2, 4}
    passes.look_further()
    assert set(passes.decisions.steady) == {2, 4, 6}


@pytest.mark.parametrize("makes_one", [True, False])
def test_a_long_third_pass_runs_only_where_two_make_a_table(monkeypatch: pytest.MonkeyPatch, makes_one: bool) -> None:
    seen: list[int] = []

    def counted(batch_size: int) -> Any:
        seen.append(batch_size)
        return scenes(batch_size)

    def differing(*_: object, decisions: object = None, **__: object) -> OpTable:
        raise TraceFailed("trace-depends-on-batch" if decisions else "trace-depends-on-data", "")

    monkeypatch.setattr(real_pass, "_TABLE_S", 0.0)
    way = Way()
    if makes_one:
        trace(subject(seeded, counted), "fp32", way=way)
    else:
        monkeypatch.setattr(tracing, "_traced", differing)
        with pytest.raises(TraceFailed):
            trace(subject(seeded, counted), "fp32", way=way)
    assert way.ran is not None
    assert (6 in seen) == (6 in way.ran.decisions.steady) == makes_one


def test_a_model_that_takes_too_long_is_not_run_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def counted(batch_size: int) -> Any:
        seen.append(batch_size)
        return scenes(batch_size)

    monkeypatch.setattr(real_pass, "_MOST_S", 0.0)
    with pytest.raises(TakesTooLong):
        RealPasses(subject(seeded, counted))
    assert seen == [2]


def test_a_model_that_would_run_for_too_long_is_refused_by_that_and_not_by_how_it_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_values(*_: object, **__: object) -> OpTable:
        raise TraceFailed("trace-depends-on-data", "aten.item")

    monkeypatch.setattr(tracing, "_traced", without_values)
    monkeypatch.setattr(real_pass, "_MOST_S", 0.0)
    with pytest.raises(TraceFailed) as ended:
        trace(subject(seeded), "fp32")
    assert ended.value.fault == "trace-runs-too-long"


@pytest.mark.parametrize(
    ("large", "long_s", "further"),
    [(1, 0.0, 2), (1 << 40, 0.0, 0), (1, 1e6, 0)],
    ids=["long, of large tensors", "of small ones", "short"],
)
def test_long_real_passes_take_several_threads_for_large_tensors_and_leave_the_trace_its_one(
    monkeypatch: pytest.MonkeyPatch, large: int, long_s: float, further: int
) -> None:
    before, seen = torch.get_num_threads(), list[int]()

    class Looking(Detector):
        def forward(self, images: list[Tensor], targets: list[dict[str, Tensor]]) -> dict[str, Tensor]:
            losses = super().forward(images, targets)
            images[0].add(1)
            seen.append(torch.get_num_threads())
            return losses

    monkeypatch.setattr(real_pass, "_LARGE_ELEMENTS", large)
    monkeypatch.setattr(real_pass, "_LONG_S", long_s)
    monkeypatch.setattr(this_system, "affinity_core_count", lambda: before + 2)
    RealPasses(subject(Looking))
    assert seen == [before, *[min(before + further, 8)] * 2]
    assert torch.get_num_threads() == before


class WithoutExtension(Detector):
    """Asks for boxes that no other covers as torchvision does whose compiled operators do not load."""

    def forward(self, images: list[Tensor], targets: list[dict[str, Tensor]]) -> dict[str, Tensor]:
        losses = super().forward(images, targets)
        raise RuntimeError(f"Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision {losses}")


def test_a_torchvision_built_for_another_torch_is_what_is_told() -> None:
    with pytest.raises(TraceFailed) as ended:
        trace(subject(WithoutExtension), "fp32")
    assert ended.value.fault == "trace-torchvision-unfit"
    assert torch.__version__ in str(ended.value)


def test_another_question_than_the_real_pass_had_ends_the_trace() -> None:
    with Noting() as noting:
        torch.rand(4, 4).nonzero()
    (noted,) = noting.decisions
    with Fakes():
        mask = torch.empty(4, 4)
        told = Told(noting.decisions)
        assert told.answer(torch.ops.aten.relu.default, (mask,), {}, forward=True) is not noted
        assert told.answer(torch.ops.aten.nonzero.default, (mask,), {}, forward=True).shape == noted.answer.shape
        with pytest.raises(Differs, match="nonzero"):
            told.answer(torch.ops.aten.nonzero.default, (mask,), {}, forward=True)
        with pytest.raises(Differs, match="nonzero"):
            Told(noting.decisions).answer(torch.ops.aten.nonzero.default, (mask[:2],), {}, forward=True)
        with pytest.raises(Differs, match="nonzero"):
            Told(noting.decisions).end()


class Sorted(nn.Module):
    """Chooses by numbers alone: no size follows from them."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, rows: Tensor) -> Tensor:
        states: Tensor = self.layer(rows)
        return states.mean() if float(states.detach().abs().amax()) < 1e6 else states.sum()


def test_a_model_whose_sizes_follow_from_shapes_is_said_nothing_of() -> None:
    rows = Subject(build=Sorted, make_batch=lambda size: (torch.randn(size, 8),), step=lambda m, b: m(*b))
    assert trace(rows, "fp32").caveats == ()


def test_draws_inside_are_alike_and_leave_those_outside_as_they_were() -> None:
    random.seed(5)
    torch.manual_seed(5)
    expected = random.random(), torch.rand(1).item()
    random.seed(5)
    torch.manual_seed(5)
    with drawn_alike():
        inside = random.random(), torch.rand(1).item()
    with drawn_alike():
        assert (random.random(), torch.rand(1).item()) == inside
    assert (random.random(), torch.rand(1).item()) == expected


def test_a_line_through_samples_that_happened_to_differ_is_never_below_nothing() -> None:
    assert by_chance((2, 4), 4.0, 8.0) == (0.0, 2.0)
    assert by_chance((2, 4), 10.0, 21.0) == (-1.0, 5.5)
    assert by_chance((2, 4), 9.0, 5.0) == (7.0, 0.0)
    for low, high in ((1.0, 100.0), (0.0, 3.0), (3.0, 0.0)):
        line = by_chance((2, 4), low, high)
        assert all(at(line, batch_size) >= 0.0 for batch_size in (1, 2, 4, 1000))
        assert at(line, 2) + at(line, 4) == pytest.approx(low + high)


def call(name: str, written_bytes: float) -> TracedOp:
    return ("forward", "", RawOp("elementwise", name, 4, 1, "", (), (0.0, written_bytes, written_bytes)))


def test_little_work_may_grow_by_chance_where_samples_differ_and_much_may_not() -> None:
    first = [call("relu", 1e6)] * 2 + [call("nonzero", 10.0)] * 2
    second = [call("relu", 1e6)] * 4 + [call("nonzero", 40.0)] * 4
    with pytest.raises(StreamsDiffer, match="nonzero runs 2 times"):
        folded(first, second, (2, 4))
    assert len(folded(first, second, (2, 4), by_values=True)[0]) == 2
    much = [call("relu", 1e6)] * 4 + [call("nonzero", 1e5)] * 4
    with pytest.raises(StreamsDiffer, match="nonzero runs 2 times"):
        folded(first, much, (2, 4), by_values=True)


def test_compiling_is_not_advised_where_sizes_follow_from_values() -> None:
    table = trace(subject(seeded), "fp32", checked=False)
    workload = load_workload("resnet50")
    compiled = Change(kind="compile", workload=with_training(workload, compile=True))
    assert not applies(compiled, table)
    assert applies(compiled, msgspec.structs.replace(table, caveats=()))


class Coding(nn.Module):
    """Writes a sign as a one-hot code, and stops where its values say so."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 6)

    def forward(self, x: Tensor) -> Tensor:
        code = functional.one_hot(self.layer(x).argmax(1), 6).float()
        return code @ self.layer.weight if bool((code.sum(1) == 1).all()) else x


def test_one_hot_codes_of_known_classes_ask_a_real_pass_nothing_that_a_trace_does_not_ask() -> None:
    subject = Subject(Coding, lambda batch: torch.zeros(batch, 4), lambda model, x: model(x).sum())
    told = RealPasses(subject).decisions
    assert [len(decisions) for decisions in told.steady.values()] == [1, 1, 1]
    way = Way()
    assert trace(subject, "fp32", checked=False, way=way).ops
    assert way.decisions == told


def test_a_ctc_loss_says_that_its_size_follows_the_longest_target_and_nothing_of_boxes() -> None:
    def step(model: nn.Module, batch: Tensor) -> Tensor:
        scores = model(batch).log_softmax(-1).transpose(0, 1)
        samples = batch.shape[0]
        targets = torch.ones(samples, 7, dtype=torch.long)
        lengths = torch.full((samples,), 30), torch.full((samples,), 7)
        return nn.functional.ctc_loss(scores, targets, *lengths)

    speech = Subject(
        build=lambda: nn.Linear(20, 11), make_batch=lambda samples: torch.randn(samples, 30, 20), step=step
    )
    (told,) = (caveat for caveat in trace(speech, "fp32").caveats if caveat.code == "trace-sizes-by-values")
    assert "longest target" in say(told, "en")
    assert "最长的目标" in say(told, "zh")
    assert "boxes" not in say(told, "en")


def test_a_real_pass_asks_as_little_of_a_padding_mask_as_a_trace_does() -> None:
    """transformers asks whether anything is masked of real values alone: a trace would meet another question first."""
    mask = torch.ones(2, 4)
    assert not import_utils.is_tracing(mask)
    with real_pass._masks_unasked():
        assert import_utils.is_tracing(mask)
        assert not import_utils.is_tracing()
    assert not import_utils.is_tracing(mask)
