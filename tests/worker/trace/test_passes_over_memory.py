"""How often group norms, softmaxes and fills go over their input, and what group norms make of channels-last."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from advisor.optable.op_table import Op, OpTable, at
from advisor.worker.trace.ops.op_figures import COPY_TO_FILL, GROUP_NORM_LAYOUT, SOFTMAX_ROW_BYTES
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace

CHANNELS, SIDE = 32, 16
TENSOR_BYTES = 4.0 * CHANNELS * SIDE * SIDE


def traced(module: nn.Module, make_batch: Callable[[int], Tensor]) -> OpTable:
    """A training step, its loss the sum of the output."""
    return trace(
        Subject(build=lambda: module, make_batch=make_batch, step=lambda model, batch: model(batch).sum()), "fp32"
    )


def normed(*, channels_last: bool) -> OpTable:
    """A group norm between two convolutions."""
    layout = torch.channels_last if channels_last else torch.contiguous_format
    layers = (nn.Conv2d(3, CHANNELS, 1), nn.GroupNorm(4, CHANNELS), nn.SiLU(), nn.Conv2d(CHANNELS, 8, 1))
    module = nn.Sequential(*layers).to(memory_format=layout)  # type: ignore[call-overload]
    return traced(module, lambda batch: torch.zeros(batch, 3, SIDE, SIDE).contiguous(memory_format=layout))


def per_sample(op: Op) -> float:
    """Bytes that one more sample makes it read."""
    return at(op.read_bytes, 3) - at(op.read_bytes, 2)


def test_a_group_norm_reads_its_input_for_the_statistics_and_once_more_to_apply_them() -> None:
    (norm,) = (op for op in normed(channels_last=False).ops if op.name == "native_group_norm")
    assert per_sample(norm) == pytest.approx(2 * TENSOR_BYTES, rel=0.01)
    assert norm.kernel_count == 3


@pytest.mark.parametrize("phase", ["forward", "backward"])
def test_group_norms_of_channels_last_tensors_copy_them_there_and_back(phase: str) -> None:
    def copies(*, channels_last: bool) -> list[Op]:
        table = normed(channels_last=channels_last)
        return [op for op in table.ops if op.name == GROUP_NORM_LAYOUT and op.phase == phase]

    (copy,) = copies(channels_last=True)
    assert copy.kind == "copy"
    assert per_sample(copy) == pytest.approx(2 * TENSOR_BYTES)
    assert copies(channels_last=False) == []


def test_a_compiled_group_norm_takes_any_layout() -> None:
    def moved(*, channels_last: bool) -> float:
        table = normed(channels_last=channels_last)
        assert table.compiled is not None
        return sum(op.count * (at(op.read_bytes, 8) + at(op.written_bytes, 8)) for op in table.compiled.ops)

    assert moved(channels_last=True) == pytest.approx(moved(channels_last=False), rel=0.01)


@pytest.mark.parametrize(("length", "passes"), [(SOFTMAX_ROW_BYTES // 4, 1), (SOFTMAX_ROW_BYTES // 4 + 64, 2)])
def test_a_softmax_reads_its_row_again_where_shared_memory_does_not_hold_it(length: int, passes: int) -> None:
    class Weighs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, scores: Tensor) -> Tensor:
            return torch.softmax(scores * self.scale, -1)

    (softmax,) = (op for op in traced(Weighs(), lambda batch: torch.zeros(batch, length)).ops if op.name == "_softmax")
    assert per_sample(softmax) == passes * 4 * length


class Masked(nn.Module):
    """Hides the later half of each row, as attention written by hand hides what comes later."""

    def __init__(self, *, in_place: bool) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.in_place = in_place

    def forward(self, scores: Tensor) -> Tensor:
        scores = scores * self.scale
        hidden = torch.arange(scores.shape[-1]) > scores.shape[-1] // 2
        return (scores.masked_fill_ if self.in_place else scores.masked_fill)(hidden, 0.0)


@pytest.mark.parametrize(("in_place", "copied"), [(False, ["forward", "backward"]), (True, ["backward"])])
def test_a_fill_out_of_place_copies_first_what_it_fills(*, in_place: bool, copied: list[str]) -> None:
    table = traced(Masked(in_place=in_place), lambda batch: torch.zeros(batch, 1024))
    copies = [op for op in table.ops if op.name == COPY_TO_FILL]
    assert [op.phase for op in copies] == copied
    assert [per_sample(op) for op in copies] == [4 * 1024] * len(copies)
    assert not [caveat for caveat in table.caveats if caveat.code == "trace-unknown-operators"]


def test_a_compiled_fill_copies_nothing() -> None:
    def moved(*, in_place: bool) -> float:
        table = traced(Masked(in_place=in_place), lambda batch: torch.zeros(batch, 1024))
        assert table.compiled is not None
        return sum(op.count * (at(op.read_bytes, 8) + at(op.written_bytes, 8)) for op in table.compiled.ops)

    assert moved(in_place=False) == moved(in_place=True)
