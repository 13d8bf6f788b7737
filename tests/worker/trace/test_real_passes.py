"""A model that decides by its values runs for real as seldom as its table needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

import advisor.worker.trace.trace as tracing
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.real_pass import RealPasses
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import Way, trace

if TYPE_CHECKING:
    from advisor.optable.op_table import OpTable

Tensor = torch.Tensor
WIDTH = 16


class Decoder(nn.Module):
    """Goes on until all samples have ended, which those of a new model never do."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(WIDTH, WIDTH)

    def forward(self, rows: Tensor) -> Tensor:
        for _ in range(8):
            rows = self.layer(rows)
            if (rows > 1e9).all():
                break
        return rows.sum()


def rows(batch_size: int) -> Tensor:
    return torch.rand(batch_size, WIDTH)


def loss_of(model: nn.Module, batch: Tensor) -> Tensor:
    loss: Tensor = model(batch)
    return loss


def test_what_is_decided_alike_at_two_batch_sizes_is_checked_at_a_third_without_running_it() -> None:
    ran: list[int] = []

    def step(model: nn.Module, batch: Tensor) -> Tensor:
        if type(batch) is Tensor:
            ran.append(len(batch))
        return loss_of(model, batch)

    decoder = Subject(build=Decoder, make_batch=rows, step=step)
    decided = RealPasses(decoder)
    decided.look_further()
    assert ran == [2, 2, 4]
    assert decided.decisions.steady[6] == decided.decisions.steady[4]
    way = Way()
    table = trace(decoder, "fp32", way=way)
    assert way.checked
    assert sum(op.count for op in table.ops if op.name == "addmm") == 8


@pytest.mark.parametrize("runs", [True, False])
def test_what_ran_for_real_for_no_table_is_not_run_anew_for_another_precision(
    monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    ran: list[Subject] = []

    def passes(of: Subject) -> RealPasses:
        ran.append(of)
        if not runs:
            raise RuntimeError("no kernel of this processor")
        return RealPasses(of)

    def no_table(*_: object, **__: object) -> OpTable:
        raise TraceFailed("trace-depends-on-data", "aten.item")

    monkeypatch.setattr(tracing, "RealPasses", passes)
    monkeypatch.setattr(tracing, "_traced", no_table)
    decoder, way = Subject(build=Decoder, make_batch=rows, step=loss_of), Way()
    for precision in ("amp", "fp32"):
        with pytest.raises(TraceFailed):
            trace(decoder, precision, way=way)
    assert len(ran) == 1
