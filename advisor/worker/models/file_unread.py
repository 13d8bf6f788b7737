"""What a user's Python file does or defines that no step here follows, told as notes of its model."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn
from torch.nn.parallel import DataParallel, DistributedDataParallel

from advisor.core.sentences import Reason
from advisor.worker.replaced import replaced
from advisor.workload.workload import Workload

_OTHER_STEPS = ("loss", "loss_fn", "loss_function", "compute_loss", "criterion", "train_step", "step", "forward_step")
"""What files call the function that nothing calls unless it is `training_step`."""
_OPTIMIZERS = tuple(
    f"{verb}_{noun}" for verb in ("make", "build", "get", "create", "configure") for noun in ("optimizer", "optimizers")
)
"""What files call the function that makes an optimizer; the workload names the one that is counted."""
_WRAPPERS = (DataParallel, DistributedDataParallel)


def step_by_another_name(user: ModuleType, module: nn.Module) -> str | None:
    """What the file defines where a training step is meant and that nothing here calls: a function, or a method."""
    return _own_function(user, _OTHER_STEPS) or _own_method(user, module, ("training_step",))


def notes_of_unread(
    user: ModuleType, path: Path, module: nn.Module, workload: Workload, *, compiled: bool
) -> tuple[Reason, ...]:
    """What the file brings beside its model that the workload decides here: optimizer, compiler, several cards."""
    notes: list[Reason] = []
    optimizer = _own_function(user, _OPTIMIZERS) or _own_method(user, module, _OPTIMIZERS)
    if optimizer is not None and workload.training.mode == "training":
        notes.append(Reason.of("workload-optimizer-unread", file=path.name, name=optimizer))
    if compiled and not workload.training.compile:
        notes.append(Reason.of("workload-compiles-itself", file=path.name))
    if isinstance(module, _WRAPPERS):
        notes.append(Reason.of("workload-wraps-itself", file=path.name, wrapper=type(module).__name__))
    return tuple(notes)


@contextmanager
def compiling_noted() -> Iterator[list[nn.Module]]:
    """While active, `torch.compile` and `nn.Module.compile` note whose modules and methods they are given."""
    noted: list[nn.Module] = []
    compile_, of_module = torch.compile, nn.Module.compile

    def compiled(model: Any = None, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - torch's own signature
        owner = getattr(model, "__self__", model)
        if isinstance(owner, nn.Module):
            noted.append(owner)
        return compile_(model, *args, **options)

    def compiled_in_place(module: nn.Module, *args: Any, **options: Any) -> None:  # noqa: ANN401 - as above
        noted.append(module)
        of_module(module, *args, **options)

    with replaced(torch, compile=compiled), replaced(nn.Module, compile=compiled_in_place):
        yield noted


def _own_function(user: ModuleType, names: tuple[str, ...]) -> str | None:
    """The first of the names that is a function which the file defines itself."""
    own = (name for name in names if inspect.isfunction(getattr(user, name, None)))
    return next((name for name in own if getattr(user, name).__module__ == user.__name__), None)


def _own_method(user: ModuleType, module: nn.Module, names: tuple[str, ...]) -> str | None:
    """The same of the model's class, where the file defines that: `Net.training_step`, as Lightning calls it."""
    for class_ in type(module).__mro__:
        if class_.__module__ == user.__name__:
            for name in names:
                if inspect.isfunction(vars(class_).get(name)):
                    return f"{class_.__name__}.{name}"
    return None
