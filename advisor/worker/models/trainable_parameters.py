"""What is trained of a model: everything, its head, or small LoRA matrices beside frozen weights."""

from __future__ import annotations

from torch import nn

from advisor.core.sentences import Reason
from advisor.worker.models.architecture import Architecture
from advisor.workload.workload import Workload, stored_bits


def choose_trainable(architecture: Architecture, workload: Workload) -> tuple[Reason, ...]:
    """Freeze what the workload does not train, in place; returns notes where bits are only predicted."""
    module, training = architecture.module, workload.training
    notes = []
    if architecture.choose_trainable is not None:
        architecture.choose_trainable(module)
    if training.trainable == "head":
        shared = _freeze_all_but_head(module, architecture.head_names)
        if shared:
            notes.append(Reason.of("workload-head-tied", weight=shared[0]))
    elif training.trainable == "lora":
        from advisor.worker.models.lora import add_lora

        add_lora(module, training)
    if (bits := stored_bits(training)) is not None:
        notes.append(Reason.of("workload-weights-bits-predicted-only", bits=bits))
    if training.precision == "fp8":
        notes.append(Reason.of("workload-fp8-predicted-only"))
    if training.offload != "none":
        notes.append(Reason.of("workload-offload-predicted-only", what=training.offload))
    if training.optimizer_bits == 8:  # noqa: PLR2004 - bits
        notes.append(Reason.of("workload-optimizer-bits-predicted-only"))
    return tuple(notes)


def _freeze_all_but_head(module: nn.Module, head_names: tuple[str, ...]) -> list[str]:
    """Freeze the body; a weight that head and body share stays trained. Returns the body's names of such weights."""
    heads = head_names or _last_layer(module)
    names: dict[nn.Parameter, list[str]] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        names.setdefault(parameter, []).append(name)
    shared = []
    for parameter, known in names.items():
        outside = [name for name in known if not any(name.startswith(f"{head}.") or name == head for head in heads)]
        parameter.requires_grad = len(outside) < len(known)
        if parameter.requires_grad:
            shared += outside
    return shared


def _last_layer(module: nn.Module) -> tuple[str, ...]:
    owners = [
        name for name, child in module.named_modules() if next(iter(child.parameters(recurse=False)), None) is not None
    ]
    return tuple(owners[-1:])
