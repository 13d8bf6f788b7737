"""A number that a model draws to decide by is drawn in its trace too."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from advisor.worker.trace.trace import trace
from advisor.worker.trace.values.known import Fakes
from tests.worker.trace.test_kept_values import subject


class Drawn(nn.Module):
    """Takes one of three sizes by a number that it draws, as detectors choose theirs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        place = int(torch.empty(1).uniform_(0.0, 1.0).item())
        for _ in range((3, 5, 7)[place]):
            inputs = self.layer(inputs)
        return inputs.sum()


@pytest.mark.parametrize("values", ["whole", "all"])
def test_a_number_that_the_model_draws_to_decide_by_is_drawn(values: str) -> None:
    mode = Fakes(values=values)  # type: ignore[arg-type]
    with mode:
        drawn = torch.empty(4).uniform_(2.0, 3.0)
        assert isinstance(drawn, FakeTensor)
        assert all(2.0 <= number.item() <= 3.0 for number in drawn)
        drawn.mul_(2.0)
        assert all(4.0 <= number.item() <= 6.0 for number in drawn)
    table = trace(subject(Drawn), "fp32")
    forward = [op for op in table.ops if op.kind == "matmul" and op.phase == "forward"]
    assert sum(op.count for op in forward) == 3
