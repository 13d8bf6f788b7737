"""What torch.compile leaves of a pass: counted by hand for models small enough to count."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import Op, OpTable, Phase, at
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Mode

WIDTH = 4096
BATCH = 8
ROW = 4.0 * WIDTH * BATCH
"""Bytes of one activation in FP32."""


class Model(nn.Module):
    """A product, then `function` of its output and of the input."""

    def __init__(self, function: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, WIDTH, bias=False)
        self.function = function

    def forward(self, given: Tensor) -> Tensor:
        made: Tensor = self.function(self.first(given), given)
        return made


def traced(model: Callable[[], nn.Module], mode: Mode = "inference", shape: tuple[int, ...] = (WIDTH,)) -> OpTable:
    """The table of a model on one FP32 input."""
    subject = Subject(
        build=model,
        make_batch=lambda size: (torch.zeros(size, *shape),),
        step=lambda module, batch: module(batch[0]) if mode == "inference" else module(batch[0]).sum(),
        mode=mode,
        attention="sdpa",
    )
    return trace(subject, "fp32")


def fused_ops(table: OpTable, phase: Phase = "forward") -> list[Op]:
    """The kernels that the compiler made, those of no size left out."""
    assert table.compiled is not None
    return [op for op in table.compiled.ops if op.phase == phase and at(op.read_bytes, BATCH) >= ROW / 2]


def moved(ops: list[Op]) -> tuple[float, float]:
    """Rows read and written."""
    read = sum(op.count * at(op.read_bytes, BATCH) for op in ops)
    return read / ROW, sum(op.count * at(op.written_bytes, BATCH) for op in ops) / ROW


def second_product(function: Callable[[Tensor], Tensor]) -> Callable[[], nn.Module]:
    """Two products with `function` between them, so that its result must be written."""

    def build() -> nn.Module:
        last = nn.Linear(WIDTH, WIDTH, bias=False)
        model = Model(lambda made, _given: last(function(made)))
        model.last = last
        return model

    return build


def test_a_chain_of_element_wise_operators_reads_once_and_writes_once() -> None:
    table = traced(second_product(lambda x: torch.tanh(F.gelu(x * 2) + 1)))
    assert moved(fused_ops(table)) == pytest.approx((1, 1), abs=0.01)
    assert sum(op.count for op in fused_ops(table)) == 1


def test_a_norm_and_its_neighbours_are_one_pass() -> None:
    table = traced(second_product(lambda x: F.gelu(F.layer_norm(x + 1, (WIDTH,)))))
    assert moved(fused_ops(table)) == pytest.approx((1, 1), abs=0.01)


def test_a_product_between_two_chains_keeps_them_apart() -> None:
    def build() -> nn.Module:
        last, middle = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
        model = Model(lambda made, _given: last(torch.tanh(middle(torch.tanh(made)))))
        model.last, model.middle = last, middle
        return model

    assert sum(op.count for op in fused_ops(traced(build))) == 2


def test_a_value_that_a_later_kernel_needs_is_written_beside_the_result() -> None:
    def build() -> nn.Module:
        middle, last = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))

        def function(made: Tensor, given: Tensor) -> Tensor:
            stream = made + given
            result: Tensor = last(stream + middle(F.layer_norm(stream, (WIDTH,))))
            return result

        model = Model(function)
        model.middle, model.last = middle, last
        return model

    # The first kernel reads both and writes the stream and its norm; the second reads the stream and the product.
    assert moved(fused_ops(traced(build))) == pytest.approx((4, 3), abs=0.01)


def test_backward_works_element_wise_results_out_again() -> None:
    table = traced(second_product(lambda x: F.gelu(F.gelu(x * 2))), "training")
    # Forward writes its result alone (the loss reads one row more); backward reads the gradient and the product.
    assert moved(fused_ops(table)) == pytest.approx((2, 1), abs=0.01)
    read, written = moved(fused_ops(table, "backward"))
    assert (read, written) == pytest.approx((2, 1), abs=0.01)


def test_a_dropout_mask_is_never_kept() -> None:
    table = traced(second_product(lambda x: F.dropout(x, 0.1, training=True)), "training")
    assert moved(fused_ops(table)) == pytest.approx((2, 1), abs=0.01)
    assert moved(fused_ops(table, "backward")) == pytest.approx((1, 1), abs=0.01)


class Convolutions(nn.Module):
    """Convolution, norm, rectifier, convolution."""

    def __init__(self, channels: int, groups: int = 1) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.last = nn.Conv2d(channels, channels, 3, padding=1, bias=False, groups=groups)

    def forward(self, given: Tensor) -> Tensor:
        made: Tensor = self.last(torch.relu(self.norm(self.first(given))))
        return made


IMAGE = (128, 8, 8)


def test_an_evaluated_batch_norm_and_its_rectifier_are_one_pass() -> None:
    table = traced(lambda: Convolutions(128), shape=IMAGE)
    size = 4.0 * BATCH * 128 * 64
    read, written = (each * ROW / size for each in moved(fused_ops(table)))
    assert (read, written) == pytest.approx((1, 1), abs=0.05)


def test_the_statistics_of_a_batch_norm_read_their_input_once_more() -> None:
    table = traced(lambda: Convolutions(128), "training", IMAGE)
    size = 4.0 * BATCH * 128 * 64
    read, written = (each * ROW / size for each in moved(fused_ops(table)[:1]))
    assert (read, written) == pytest.approx((2, 1), abs=0.05)


def test_what_is_fused_is_affine_in_the_batch() -> None:
    table = traced(second_product(lambda x: F.gelu(x * 2)))
    op = fused_ops(table)[0]
    assert at(op.read_bytes, 40) == pytest.approx(5 * at(op.read_bytes, 8))


def test_launches_are_the_fused_kernels_and_the_products() -> None:
    table = traced(second_product(lambda x: torch.tanh(F.gelu(x * 2))))
    assert table.compiled is not None
    assert table.compiled.dispatch_count == {"forward": 3, "backward": 0}


@pytest.mark.parametrize(
    ("channels", "groups", "mode", "turned"),
    [
        (128, 1, "inference", True),
        (128, 1, "training", True),
        (64, 1, "training", False),
        (128, 4, "training", False),
        (128, 128, "training", True),
    ],
)
def test_the_compiler_turns_convolutions_as_its_rule_says(
    channels: int, groups: int, mode: Mode, *, turned: bool
) -> None:
    table = traced(lambda: Convolutions(channels, groups), mode, (channels, 8, 8))
    assert compile_table(table).turned_by_compiler is turned


class Stack(nn.Module):
    """Many layers alike."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(64, 4, 128, batch_first=True) for _ in range(12)])

    def forward(self, given: Tensor) -> Tensor:
        for layer in self.layers:
            given = layer(given)
        return given


@pytest.mark.parametrize("mode", ["inference", "training"])
def test_layers_that_stand_for_others_are_counted_as_often(mode: Mode) -> None:
    def subject(*, alike: bool) -> Subject:
        return Subject(
            build=Stack,
            make_batch=lambda size: (torch.zeros(size, 16, 64),),
            step=lambda module, batch: module(batch[0]) if mode == "inference" else module(batch[0]).sum(),
            mode=mode,
            attention="sdpa",
            alike_layers=alike,
        )

    short, whole = (trace(subject(alike=alike), "fp32").compiled for alike in (True, False))
    assert short is not None
    assert whole is not None
    assert short.dispatch_count == whole.dispatch_count
    assert min(whole.dispatch_count["forward"], 1) == 1
    for name in ("read_bytes", "written_bytes"):
        each = (sum(op.count * at(getattr(op, name), BATCH) for op in one.ops) for one in (short, whole))
        assert next(each) == pytest.approx(next(each), rel=1e-9)
