"""What a model reads into an array of NumPy, or draws to leave out a layer by, does not keep it from being traced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from torch import nn

from advisor.catalogue.precisions import FP32_BYTES
from advisor.optable.op_table import at
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace
from tests.worker.trace.test_kept_values import subject

if TYPE_CHECKING:
    from advisor.optable.op_table import OpTable

LARGE = 1 << 23
"""Rows of a table that is too large to be run for real."""


class Weighted(nn.Module):
    """Its loss weighs the samples by numbers that NumPy works out of the outputs."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(rows, 16), nn.Linear(16, 4)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self.head(self.table(words))
        weights = np.exp(-outputs.detach().cpu().numpy().max(axis=1))
        return (outputs.sum(dim=1) * torch.from_numpy(weights).to(outputs.device)).mean()


def traced(rows: int) -> OpTable:
    def batch_of(count: int) -> tuple[torch.Tensor, ...]:
        return (torch.zeros(count, dtype=torch.long),)

    return trace(Subject(build=lambda: Weighted(rows), make_batch=batch_of, step=lambda m, b: m(*b)), "fp32")


@pytest.mark.parametrize("rows", [10, LARGE])
def test_a_loss_that_numpy_weighs_is_traced_and_waits_for_the_device_once(rows: int) -> None:
    table = traced(rows)
    assert table.parameter_count == rows * 16 + 16 * 4 + 4
    assert sum(op.count for op in table.ops if op.kind == "matmul") == 3  # one forward, two backward
    assert table.synchronisation_count == 1


class Heard(nn.Module):
    """A recogniser of speech with the CTC loss of its own, too large to be run for real."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(LARGE, 16), nn.Linear(16, 32)

    def forward(self, words: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        frames = self.head(self.table(words)).log_softmax(-1).transpose(0, 1)
        lengths = torch.full((len(words),), words.shape[1]), (targets > 0).sum(dim=1)
        return nn.functional.ctc_loss(frames, targets, *lengths)


def test_a_large_model_with_the_ctc_loss_is_traced_with_its_longest_targets() -> None:
    def batch_of(count: int) -> tuple[torch.Tensor, ...]:
        return torch.zeros(count, 50, dtype=torch.long), torch.ones(count, 10, dtype=torch.long)

    table = trace(Subject(build=Heard, make_batch=batch_of, step=lambda m, b: m(*b)), "fp32")
    losses = [op for op in table.ops if "ctc" in op.name]
    assert [op.phase for op in losses] == ["forward", "backward"]
    probabilities = 50 * (2 * 10 + 1) * FP32_BYTES
    assert at(losses[0].written_bytes, 3) == pytest.approx(3 * (probabilities + FP32_BYTES))


class LayersDropped(nn.Module):
    """Leaves layers out as models of transformers do that are pre-trained so."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(6))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            if not torch.rand([]) < 0.9:
                inputs = layer(inputs)
        return inputs.sum()


def test_a_model_of_ones_own_that_drops_layers_as_transformers_does_is_traced_with_all_of_them() -> None:
    table = trace(subject(LayersDropped), "fp32")
    assert sum(op.count for op in table.ops if op.kind == "matmul" and op.phase == "forward") == 6


class Thinned(nn.Module):
    """Runs its layer only where a number that it draws says so."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        for _ in range(int(torch.randint(3, 4, (1,)))):
            inputs = self.layer(inputs)
        return self.layer(inputs).sum() if torch.rand(1) < 2 else inputs.sum()


def test_numbers_drawn_by_the_usual_functions_decide() -> None:
    table = trace(subject(Thinned), "fp32")
    assert sum(op.count for op in table.ops if op.kind == "matmul" and op.phase == "forward") == 4
