"""Distances of all pairs of rows, as `torch.cdist` takes them by a product."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import at
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace


class Distances(nn.Module):
    """Distances of a layer's outputs to 300 centres."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Linear(16, 64)
        self.centres = nn.Parameter(torch.zeros(300, 64))

    def forward(self, batch: Tensor) -> Tensor:
        return torch.cdist(self.inside(batch), self.centres)


def test_distances_of_all_pairs_are_a_product_of_known_work() -> None:
    subject = Subject(
        build=Distances,
        make_batch=lambda samples: torch.zeros(samples, 50, 16),
        step=lambda model, batch: model(batch).sum(),
    )
    table = trace(subject, "fp32")
    (product,) = (op for op in table.ops if op.name == "_euclidean_dist" and op.phase == "forward")
    assert product.kind == "matmul"
    assert at(product.flop, 4) == 2 * 4 * 50 * 300 * 66
    assert compile_table(table).unknown_call_fraction == 0
