"""A layer that its model converts in the first step is traced as all later steps find it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from advisor.optable.op_table import OpTable
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace

COUNT = 8
"""Enough layers that a few of them stand for the others."""


class Routed(nn.Module):
    """Decides in FP32, as routers of experts do, whatever type the model was given."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.router = nn.Linear(16, 16), nn.Linear(16, 4)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        self.router = self.router.to(torch.float32)
        chances = self.router(hidden.float()).softmax(-1).to(hidden.dtype)
        return torch.mul(self.body(hidden), chances.amax(-1, keepdim=True))


class RoutedModel(nn.Module):
    def __init__(self, *, converted: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Routed() for _ in range(COUNT))
        self.half()
        for layer in self.layers if converted else ():
            layer.router.float()

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            hidden = layer(hidden)
        return hidden


def traced(*, converted: bool, alike: bool) -> OpTable:
    def made(batch_size: int) -> tuple[torch.Tensor]:
        return (torch.randn(batch_size, 4, 16, dtype=torch.float16),)

    def step(model: nn.Module, batch: Any) -> Any:
        return model(*batch).float().mean()

    build = lambda: RoutedModel(converted=converted)  # noqa: E731 - a subject takes a function
    return trace(Subject(build=build, make_batch=made, step=step, alike_layers=alike), "half")


@pytest.mark.parametrize("alike", [False, True], ids=["all layers", "a few layers"])
def test_a_layer_converted_in_forward_gives_the_table_of_one_built_so(*, alike: bool) -> None:
    table, built_so = traced(converted=False, alike=alike), traced(converted=True, alike=alike)
    assert table == built_so
    assert sum(op.count for op in table.ops if op.kind == "matmul" and op.element_bytes == 4) == 3 * COUNT - 1, (
        "the first layer is given what needs no gradient"
    )
