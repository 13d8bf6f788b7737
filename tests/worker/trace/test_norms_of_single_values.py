"""A trace tells whether a batch norm would see one value of each channel at one sample: torch then refuses to train."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace


class PointsNet(nn.Module):
    """Normalises all points of a cloud together: one sample has many values of each channel."""

    def __init__(self) -> None:
        super().__init__()
        self.each, self.norm = nn.Linear(3, 8), nn.BatchNorm1d(8)

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        values: torch.Tensor = self.norm(self.each(points).flatten(0, 1))
        return values


class TwoViews(nn.Module):
    """Normalises both views of a sample together."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(6)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        values: torch.Tensor = self.norm(torch.cat([rows, -rows]))
        return values


class FrozenNorm(nn.BatchNorm1d):
    """Stays with its running statistics, as detection models keep their backbone's."""

    def train(self, mode: bool = True) -> FrozenNorm:  # noqa: FBT002 - as torch has it
        del mode
        super().train(mode=False)
        return self


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "perceptron": (lambda: nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)), (6,)),
    "1 x 1 maps": (
        lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.BatchNorm2d(8), nn.Flatten()),
        (3, 9, 9),
    ),
    "maps": (lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten()), (3, 9, 9)),
    "sequences": (lambda: nn.Sequential(nn.Conv1d(3, 8, 3), nn.BatchNorm1d(8), nn.Flatten()), (3, 9)),
    "points": (PointsNet, (20, 3)),
    "views": (TwoViews, (6,)),
    "frozen": (lambda: nn.Sequential(nn.Linear(6, 8), FrozenNorm(8)), (6,)),
    "layer norm": (lambda: nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8)), (6,)),
}


def refuses_one(module: nn.Module, shape: tuple[int, ...]) -> bool:
    """What torch itself says of a batch of one sample."""
    module.train()
    try:
        module(torch.zeros(1, *shape))
    except ValueError as error:
        return "more than 1 value per channel" in str(error)
    return False


@pytest.mark.parametrize("name", MODELS)
def test_a_table_says_of_one_sample_what_torch_says_when_it_trains_on_one(name: str) -> None:
    build, shape = MODELS[name]
    subject = Subject(
        build=build,
        make_batch=lambda batch: torch.zeros(batch, *shape),
        step=lambda model, batch: model(batch).sum(),
    )
    assert trace(subject, "fp32").norms_single_values is refuses_one(build(), shape)


def test_torch_refuses_some_of_these_models_and_trains_others() -> None:
    assert {refuses_one(build(), shape) for build, shape in MODELS.values()} == {True, False}
