"""What is trained of a model: everything, its head, or low-rank matrices beside frozen weights (LoRA, Hu et al. 2021).

Where nobody says where, adapters sit beside the query and value projections, as in the paper and in the defaults of the
common fine-tuning recipes (PEFT's for Llama, litgpt's `lora_query`, `lora_value`); where a model fuses query, key and
value into one projection, beside that one; where its projections have other names, beside every linear layer but the
head. A task's new head is trained whole, as PEFT's `modules_to_save` is, and gets no adapters. Of the modules that a
workload names so a copy is trained beside the frozen original.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from advisor.catalogue.adapters import ATTENTION_PARTS, DEFAULT_RANK, USUAL_LAYERS
from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.core.file_fault import meant_or_known, shown_value
from advisor.core.sentences import Reason, SaidError
from advisor.worker.models.architecture import Architecture
from advisor.workload.workload import Training, Workload, quantization_of, stored_bits

_ALPHA = 16.0
_EXPERT_DIMENSIONS = 3
_WHOLE_BITS = 16
_DROPOUT = 0.05
_ORIGINAL = "original_"
"""Begins the names of frozen weights of which a copy is trained."""
_NEW_HEADS = ("classifier", "score", "qa_outputs", "classification_head")


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
        add_lora(module, training)
    elif training.mode == "inference" and stored_bits(training) is not None:
        module.requires_grad_(requires_grad=False)  # as every loader of quantised weights leaves them
    return (*notes, *_predicted_only(module, training))


def _predicted_only(module: nn.Module, training: Training) -> Iterator[Reason]:
    """What of the training a trace alone follows."""
    if (bits := stored_bits(training)) is not None:
        yield Reason.of("workload-weights-bits-predicted-only", bits=bits)
        if more := whole_expert_bytes(module, training, bits):
            yield Reason.of("workload-experts-whole", more_bytes=more)
        autocast = PRECISION_FACTS[training.precision].autocast
        if training.trainable == "lora" and autocast and training.unpacked_bits is None:
            yield Reason.of("workload-weights-not-prepared")
    if PRECISION_FACTS[training.precision].products == "fp8":
        yield Reason.of("workload-fp8-predicted-only")
    if training.fused_layers:
        yield Reason.of("workload-fused-layers-predicted-only")
    if training.offload != "none":
        yield Reason.of("workload-offload-predicted-only", what=training.offload)
    if training.optimizer_bits == 8:  # noqa: PLR2004 - bits
        yield Reason.of("workload-optimizer-bits-predicted-only")


def _freeze_all_but_head(module: nn.Module, head_names: tuple[str, ...]) -> list[str]:
    """Freeze the body; a weight that head and body share stays trained. Returns the body's names of such weights."""
    heads = head_names or _last_layer(module)
    names: dict[nn.Parameter, list[str]] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        names.setdefault(parameter, []).append(name)
    shared = []
    for parameter, names_of_it in names.items():
        outside = [
            name for name in names_of_it if not any(name.startswith(f"{head}.") or name == head for head in heads)
        ]
        parameter.requires_grad = len(outside) < len(names_of_it)
        if parameter.requires_grad:
            shared += outside
    return shared


def _last_layer(module: nn.Module) -> tuple[str, ...]:
    owners = [
        name for name, child in module.named_modules() if next(iter(child.parameters(recurse=False)), None) is not None
    ]
    return tuple(owners[-1:])


class LowRank(nn.Module):
    """A frozen projection plus `scale · B(A(dropout(x)))`, A and B trained.

    As PEFT has it since 0.12: A and B are in FP32 beside whatever the projection is in, and so are their products and
    the sum, unless autocast runs them in 16 bits. Beside packed weights inputs are cast only where nothing else does.
    """

    def __init__(self, base: nn.Module, in_features: int, out_features: int, rank: int) -> None:
        """Wrap `base`; A starts random and B at zero, so that the model starts unchanged."""
        super().__init__()
        self.base = base
        device = next(base.parameters()).device
        self.dropout = nn.Dropout(_DROPOUT)
        self.down = nn.Linear(in_features, rank, bias=False, device=device, dtype=torch.float32)
        self.up = nn.Linear(rank, out_features, bias=False, device=device, dtype=torch.float32)
        nn.init.kaiming_uniform_(self.down.weight, a=math.sqrt(5))
        nn.init.zeros_(self.up.weight)
        self.scale = _ALPHA / rank

    @property
    def weight(self) -> Tensor:
        """The frozen projection's, as PEFT's layers give it: T5 reads the type of its own in forward."""
        return self.base.get_parameter("weight")

    def forward(self, inputs: Tensor) -> Tensor:
        """Inputs (…, in) -> outputs (…, out), in the data type of the frozen projection's result."""
        result: Tensor = self.base(inputs)
        packed = not is_projection(self.base)
        if not (packed and torch.is_autocast_enabled(inputs.device.type)):
            inputs = inputs.to(self.down.weight.dtype)
        adapted: Tensor = self.up(self.down(self.dropout(inputs))) * self.scale
        return result + adapted.to(result.dtype) if packed else (result + adapted).to(result.dtype)


def add_lora(module: nn.Module, training: Training) -> None:
    """Freeze `module` and put adapters beside its projections, in place.

    Raises InputError for a model without linear projections beside its head, and for names of no layer.
    """
    rank = training.lora_rank or DEFAULT_RANK
    for parameter in module.parameters():
        parameter.requires_grad = False
    saved = _train_copies(module, training.modules_to_save or ())
    targets = [
        name
        for name in _targets(module, training.lora_targets)
        if not any(name == one or name.startswith(f"{one}.") for one in saved)
    ]
    if not targets:
        raise SaidError.of("worker-no-linear-layer")
    owners = dict(module.named_modules())
    for name in targets:
        owner_name, _, attribute = name.rpartition(".")
        base = owners[name]
        in_features, out_features = projection_sizes(base)
        setattr(owners[owner_name], attribute, LowRank(base, in_features, out_features, rank))
    _train_new_head(module)


def _train_copies(module: nn.Module, wanted: tuple[str, ...]) -> list[str]:
    """Names of the modules of which a trained copy stands in the place of the frozen weights, which are kept.

    Weights that two modules share are two copies, as PEFT makes one of each module.
    """
    saved = _named([name for name, child in module.named_modules() if _may_be_saved(name, child)], wanted, "module")
    owners = dict(module.named_modules())
    for name in saved:
        for child in owners[name].modules():
            for key, parameter in list(child.named_parameters(recurse=False)):
                child.register_parameter(f"{_ORIGINAL}{key}", parameter)
                setattr(child, key, nn.Parameter(torch.empty_like(parameter).copy_(parameter.detach())))
    return saved


def _may_be_saved(name: str, module: nn.Module) -> bool:
    """Whether a module has weights, and a name that is no place in a list."""
    return next(module.parameters(), None) is not None and name.rpartition(".")[2].strip("0123456789") != ""


def copied_parameters(module: nn.Module) -> list[Tensor]:
    """What is trained in the place of frozen originals."""
    return [
        child.get_parameter(key.removeprefix(_ORIGINAL))
        for child in module.modules()
        for key, _ in child.named_parameters(recurse=False)
        if key.startswith(_ORIGINAL)
    ]


def adapter_parameters(module: nn.Module) -> list[Tensor]:
    """The matrices of all adapters, which stay in FP32 where the model is in half."""
    adapters = [child for child in module.modules() if isinstance(child, LowRank)]
    return [linear.weight for child in adapters for linear in (child.down, child.up)]


def is_projection(module: nn.Module) -> bool:
    """Whether a module is a linear layer, or GPT-2's form of one."""
    return isinstance(module, nn.Linear) or (
        type(module).__name__ == "Conv1D" and hasattr(module, "nf") and hasattr(module, "nx")
    )


def projection_sizes(module: Any) -> tuple[int, int]:  # noqa: ANN401 - Linear or transformers' Conv1D
    """Features that go in and come out."""
    return (module.in_features, module.out_features) if isinstance(module, nn.Linear) else (module.nx, module.nf)


def _targets(module: nn.Module, wanted_layers: str | tuple[str, ...] | None) -> list[str]:
    """Names of the layers that get adapters; a name given matches a layer's last parts. Raises InputError."""
    names = [name for name, child in module.named_modules() if is_projection(child) and name]
    if isinstance(wanted_layers, tuple):
        return _named(names, wanted_layers, "layer")
    if wanted_layers == "attention" and (chosen := [name for name in names if _attends(name)]):
        return chosen
    if wanted_layers != "all_linear":
        for wanted in USUAL_LAYERS:
            if chosen := [name for name in names if name.rpartition(".")[2] in wanted]:
                return chosen
    return _without_head(module, names)


def _attends(name: str) -> bool:
    """Whether a layer lies in a module of attention, by the names of all that it lies in."""
    return any(word in part.lower() for part in name.split(".")[:-1] for word in ATTENTION_PARTS)


def _without_head(module: nn.Module, names: list[str]) -> list[str]:
    """All but a language model's output layer or a task's new head; of others all but the last, which is their head."""
    own = getattr(module, "get_output_embeddings", None)
    output = own() if callable(own) else None
    owners = dict(module.named_modules())
    body = [name for name in names if owners[name] is not output and name.partition(".")[0] not in _NEW_HEADS]
    return body if body and len(body) < len(names) else names[:-1]


def _named(names: list[str], wanted_layers: tuple[str, ...], what: str) -> list[str]:
    for wanted in wanted_layers:
        if not any(_ends_with(name, wanted) for name in names):
            layer_names = sorted({name.rpartition(".")[2] for name in names})
            meant = meant_or_known(wanted, layer_names, f"known-{what}s")
            raise SaidError.of(f"worker-no-such-{what}", meant, given=shown_value(wanted))
    return [name for name in names if any(_ends_with(name, wanted) for wanted in wanted_layers)]


def _ends_with(name: str, wanted: str) -> bool:
    return name == wanted or name.endswith(f".{wanted}")


def _train_new_head(module: nn.Module) -> None:
    """A task head starts untrained, so it is trained with the adapters; a language model's output layer is not new."""
    for name in _NEW_HEADS:
        head = getattr(module, name, None)
        if isinstance(head, nn.Module):
            for parameter in head.parameters():
                parameter.requires_grad = True


def whole_expert_bytes(module: nn.Module, training: Training, bits: int) -> float:
    """Bytes that frozen stacks of experts take more where a library packs linear layers alone; 0: there are none.

    bitsandbytes (nf4, int8) leaves a stack as it is, in 16 bits; GPTQ's libraries take it apart.
    """
    if quantization_of(training) in {None, "gptq"}:
        return 0.0
    stacks = [getattr(owner, name) for owner in module.modules() for name in frozen_stacks(owner)]
    weights: int = sum(stack.numel() for stack in stacks)
    return weights * (_WHOLE_BITS - bits) / 8


def frozen_stacks(owner: nn.Module) -> list[str]:
    """A module's own frozen parameters (experts, rows, columns), by name."""
    if isinstance(owner, nn.modules.conv._ConvNd):  # noqa: SLF001 - the family's common class
        return []
    return [
        name
        for name, parameter in owner.named_parameters(recurse=False)
        if parameter.dim() == _EXPERT_DIMENSIONS and not parameter.requires_grad and parameter.is_floating_point()
    ]
