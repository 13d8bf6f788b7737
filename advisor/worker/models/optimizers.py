"""The optimizers a workload can name, with FP32 master copies where weights and gradients are in half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.core.errors import InputError
from advisor.workload.workload import Workload

_LEARNING_RATE = 1e-5
"""Small, so that a measured model stays finite; no optimizer's speed depends on it."""
_MOMENTUM = 0.9


def make_optimizer(parameters: Sequence[nn.Parameter], workload: Workload) -> torch.optim.Optimizer | None:
    """The workload's optimizer over `parameters`; None for `none` and outside training.

    Raises InputError for `lamb`, which torch does not have: it is predicted only.
    """
    training = workload.training
    if training.optimizer == "none" or training.mode != "training" or not parameters:
        return None
    if PRECISION_FACTS[training.precision].master_copies:
        return MasterWeightOptimizer(parameters, lambda masters: _plain(masters, workload))
    return _plain(parameters, workload)


def _plain(parameters: Sequence[Tensor], workload: Workload) -> torch.optim.Optimizer:
    name = workload.training.optimizer
    fused = True if workload.training.fused_optimizer else None
    if name == "adamw":
        return torch.optim.AdamW(parameters, lr=_LEARNING_RATE, fused=fused)
    if name == "adam":
        return torch.optim.Adam(parameters, lr=_LEARNING_RATE, fused=fused)
    if name == "sgd":
        return torch.optim.SGD(parameters, lr=_LEARNING_RATE, fused=fused)
    if name == "sgd_momentum":
        return torch.optim.SGD(parameters, lr=_LEARNING_RATE, momentum=_MOMENTUM, fused=fused)
    if name == "adafactor":
        return torch.optim.Adafactor(parameters, lr=_LEARNING_RATE)
    raise InputError(
        f"{workload.name}: `training.optimizer` is `{name}`, which torch does not have: it is predicted, not run.",
        "Measure with adamw, or use --predict.",
    )


class MasterWeightOptimizer(torch.optim.Optimizer):
    """Steps FP32 copies of half-precision parameters and copies the result back, as Apex O2 does."""

    def __init__(
        self, parameters: Sequence[nn.Parameter], make: Callable[[Sequence[Tensor]], torch.optim.Optimizer]
    ) -> None:
        """Keep `parameters` (half) and let `make` build the optimizer of their FP32 copies."""
        super().__init__(parameters, {})
        self.halves = list(parameters)
        self.masters = [nn.Parameter(half.detach().float()) for half in self.halves]
        self.inner = make(self.masters)

    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # noqa: ANN401 - torch's own signature
        """One update: gradients to FP32, the inner step, weights back to half."""
        if closure is not None:
            message = "a closure is not supported"
            raise ValueError(message)
        for half, master in zip(self.halves, self.masters, strict=True):
            master.grad = None if half.grad is None else half.grad.float()
        self.inner.step()
        with torch.no_grad():
            for half, master in zip(self.halves, self.masters, strict=True):
                half.copy_(master)
                master.grad = None
