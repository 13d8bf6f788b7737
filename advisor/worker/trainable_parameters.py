"""What is trained of a model: everything, its head, or small LoRA matrices beside frozen weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

from advisor.sentences import Reason
from advisor.workload.workload import Workload

if TYPE_CHECKING:
    from advisor.worker.load_model import Architecture


def choose_trainable(architecture: Architecture, workload: Workload) -> tuple[Reason, ...]:
    """Freeze what the workload does not train, in place; returns notes where bits are only predicted."""
    module, training = architecture.module, workload.training
    if architecture.choose_trainable is not None:
        architecture.choose_trainable(module)
    if training.trainable == "head":
        _freeze_all_but_head(module, architecture.head_names)
    elif training.trainable == "lora":
        from advisor.worker.lora import add_lora

        add_lora(module, training)
    notes = []
    if training.weights_bits in {4, 8}:
        notes.append(Reason(code="workload-weights-bits-predicted-only", numbers={"bits": training.weights_bits}))
    if training.optimizer_bits == 8:  # noqa: PLR2004 - bits
        notes.append(Reason(code="workload-optimizer-bits-predicted-only"))
    return tuple(notes)


def _freeze_all_but_head(module: nn.Module, head_names: tuple[str, ...]) -> None:
    names = head_names or _last_layer(module)
    for name, parameter in module.named_parameters():
        parameter.requires_grad = any(name.startswith(f"{head}.") or name == head for head in names)


def _last_layer(module: nn.Module) -> tuple[str, ...]:
    owners = [
        name for name, child in module.named_modules() if next(iter(child.parameters(recurse=False)), None) is not None
    ]
    return tuple(owners[-1:])
