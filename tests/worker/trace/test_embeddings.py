"""Bags of embeddings read the rows that are asked for, not their table; sparse tensors are refused by name."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from advisor.optable.op_table import at
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace

ROWS, WIDTH, WORDS, BATCH = 100_000, 16, 20, 64


def bags(*, sparse: bool) -> Subject:
    return Subject(
        build=lambda: nn.EmbeddingBag(ROWS, WIDTH, mode="sum", sparse=sparse),
        make_batch=lambda batch: torch.randint(0, ROWS, (batch, WORDS)),
        step=lambda model, batch: model(batch).sum(),
    )


def test_a_bag_reads_its_rows_and_its_gradient_is_the_table_zeroed() -> None:
    table = trace(bags(sparse=False), "fp32")
    (forward,) = (op for op in table.ops if op.name == "_embedding_bag")
    (backward,) = (op for op in table.ops if op.name == "_embedding_bag_backward")
    rows = BATCH * WORDS * WIDTH * 4
    places = BATCH * WORDS * 8
    assert at(forward.read_bytes, BATCH) == rows + places
    assert at(forward.written_bytes, BATCH) == BATCH * WIDTH * 4 + places
    assert at(backward.read_bytes, BATCH) == 2 * rows
    assert at(backward.written_bytes, BATCH) == ROWS * WIDTH * 4
    assert "trace-unknown-operators" not in {caveat.code for caveat in table.caveats}


def test_sparse_gradients_are_refused_by_what_makes_them() -> None:
    with pytest.raises(TraceFailed, match="_embedding_bag_backward"):
        trace(bags(sparse=True), "fp32")


def test_sparse_inputs_are_refused() -> None:
    product = Subject(
        build=lambda: nn.Linear(8, 4),
        make_batch=lambda batch: (torch.eye(batch).to_sparse(), torch.randn(batch, 8)),
        step=lambda model, batch: torch.sparse.mm(batch[0], model(batch[1])).sum(),
    )
    with pytest.raises(TraceFailed, match="make_batch"):
        trace(product, "fp32")
