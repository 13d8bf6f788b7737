"""The optimizers a workload can name, with FP32 master copies where weights and gradients are in half."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.core.sentences import SaidError
from advisor.workload.workload import Workload, with_training

_LEARNING_RATE = 1e-5
"""Small, so that a measured model stays finite; no optimizer's speed depends on it."""
_MOMENTUM = 0.9


def make_optimizer(parameters: Sequence[nn.Parameter], workload: Workload) -> torch.optim.Optimizer | None:
    """The workload's optimizer over `parameters`; None for `none` and outside training.

    Raises InputError for `lamb`, which torch does not have: it is predicted only.
    """
    training = workload.training
    if not training.updates_weights or not parameters:
        return None
    if training.optimizer_in_backward:
        alone = with_training(workload, optimizer_in_backward=False)
        return SteppedInBackward(parameters, lambda parameter: make_optimizer([parameter], alone))
    if PRECISION_FACTS[training.precision].master_copies:
        return MasterWeightOptimizer(parameters, lambda masters: _plain(masters, workload))
    return _plain(parameters, workload)


def _plain(parameters: Sequence[Tensor], workload: Workload) -> torch.optim.Optimizer:
    name, fused = workload.training.optimizer, True if workload.training.fused_optimizer else None
    made: dict[str, Callable[..., torch.optim.Optimizer]] = {
        "adamw": partial(torch.optim.AdamW, fused=fused),
        "adam": partial(torch.optim.Adam, fused=fused),
        "sgd": partial(torch.optim.SGD, fused=fused),
        "sgd_momentum": partial(torch.optim.SGD, fused=fused, momentum=_MOMENTUM),
        "adafactor": torch.optim.Adafactor,
    }
    if name not in made:
        raise SaidError.of("worker-no-such-optimizer", workload=workload.name, optimizer=name)
    return made[name](parameters, lr=_LEARNING_RATE)


class SteppedInBackward(torch.optim.Optimizer):
    """Steps each parameter as soon as backward has its gradient, and frees the gradient."""

    def __init__(
        self, parameters: Sequence[nn.Parameter], make: Callable[[nn.Parameter], torch.optim.Optimizer | None]
    ) -> None:
        """Give every parameter an optimizer of its own, by `make`, and a hook that runs it."""
        super().__init__(parameters, {})
        self.masters: list[Tensor] = []
        self._alone: list[torch.optim.Optimizer] = []
        for parameter in parameters:
            alone = make(parameter)
            assert alone is not None
            self.masters += getattr(alone, "masters", [])
            self._alone.append(alone)
            parameter.register_post_accumulate_grad_hook(_stepping(weakref.ref(self), len(self._alone) - 1))  # type: ignore[no-untyped-call]

    def step_alone(self, place: int, parameter: Tensor) -> None:
        """Step the parameter at `place`, whose gradient is whole."""
        optimizer = self._alone[place]
        optimizer.step()
        parameter.grad = None
        self.state.update(getattr(optimizer, "inner", optimizer).state)

    def step(self) -> None:  # type: ignore[override]  # no closure: nobody gives one
        """Nothing is left to do: backward did it."""


def _stepping(optimizer: weakref.ref[SteppedInBackward], place: int) -> Callable[[Tensor], None]:
    """A hook that keeps nothing alive: torch's collector does not look into hooks of gradients."""

    def step(parameter: Tensor) -> None:
        alive = optimizer()
        if alive is not None:
            alive.step_alone(place, parameter)

    return step


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

    def step(self) -> None:  # type: ignore[override]  # no closure: nobody gives one
        """One update: gradients to FP32, the inner step, weights back to half."""
        for half, master in zip(self.halves, self.masters, strict=True):
            master.grad = None if half.grad is None else half.grad.float()
        self.inner.step()
        with torch.no_grad():
            for half, master in zip(self.halves, self.masters, strict=True):
                half.copy_(master)
                master.grad = None
