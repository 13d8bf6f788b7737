"""The kernels of torch's multi-tensor optimizers, counted on tiny tensors: what their cost is reckoned from."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from advisor.catalogue.optimizers import OPTIMIZER_FACTS, Optimizer


class _Counted(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts multi-tensor calls over the parameters (not those over the step counters)."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if "_foreach_" in func.name() and args[0][0].numel() > 1:
            self.count += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("adamw", lambda weights: torch.optim.AdamW(weights, foreach=True)),
        ("sgd_momentum", lambda weights: torch.optim.SGD(weights, momentum=0.9, weight_decay=0.1, foreach=True)),
    ],
)
def test_an_update_launches_as_many_kernels_as_its_facts_say(name: Optimizer, made: Any) -> None:
    weights = [torch.nn.Parameter(torch.ones(4)) for _ in range(3)]
    optimizer = made(weights)
    for _ in range(2):
        for weight in weights:
            weight.grad = torch.ones(4)
        with _Counted() as counted:
            optimizer.step()
    assert counted.count == OPTIMIZER_FACTS[name].kernel_count
