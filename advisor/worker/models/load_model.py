"""A `Workload` as a torch module with batches, loss and optimizer: the same for tracing and for training."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from advisor.catalogue.precisions import PRECISION_FACTS, ComputedPrecision, Precision
from advisor.core.sentences import SaidError
from advisor.worker.models.architecture import FORMATS, HALF_DTYPES, Architecture, under_fake_mode
from advisor.worker.models.batches import Batch, mapped
from advisor.worker.models.torchvision_stand_in import stand_in_for_torchvision
from advisor.worker.models.trainable_parameters import adapter_parameters, choose_trainable, copied_parameters
from advisor.worker.replaced import replaced
from advisor.workload.frozen_weights import rests_in_half
from advisor.workload.workload import (
    HuggingFaceModel,
    NumbersModel,
    PythonModel,
    TemplateModel,
    Training,
    Workload,
    fp8_recipe_of,
    halves_adapters,
    keeps_adapters_whole,
    quantization_of,
)

AUTOCAST_DTYPES: dict[ComputedPrecision, torch.dtype] = {
    name: FORMATS[row.half_format] for name, row in PRECISION_FACTS.items() if row.half_format and row.autocast
}


_IMAGE_DIMENSIONS = 4
"""Batch, channels, height, width."""


@dataclass(frozen=True, kw_only=True)
class LoadedModel(Architecture):
    """Everything a step needs; nothing here has run yet.

    The module is on the device, in training or evaluation mode by the workload's `mode`; it and the batches are in the
    data type of the workload's precision.
    """

    make_optimizer: Callable[[], torch.optim.Optimizer | None]
    """The workload's optimizer over the parameters that require a gradient; None where it has none."""


def load(  # noqa: PLR0913 - what, where and how much of it
    workload: Workload,
    *,
    device: str = "cpu",
    allow_code: bool = False,
    layer_limit: int | None = None,
    traced: bool = False,
    tried: bool = True,
    packed_inputs_kept: bool = False,
) -> LoadedModel:
    """Build the workload's model; under a fake or meta mode nothing is allocated and no weight is initialised.

    `layer_limit`: build at most this many repeated blocks. `traced`: with the quantised and FP8 layers that only a
    trace can follow; a real step runs them in its own precision, as the notes say. `tried`: a batch of transformers'
    models is known to run, at the price of a forward pass. `packed_inputs_kept`: as in `TraceRequest`. Raises
    InputError for a model that cannot be built.
    """
    torch.manual_seed(0)
    pretended = under_fake_mode() or device == "meta"
    with torch.device("meta") if device == "meta" else contextlib.nullcontext():
        architecture = _architecture(
            workload, device, allow_code=allow_code, layer_limit=layer_limit, pretended=pretended, tried=tried
        )
        notes = architecture.notes + choose_trainable(architecture, workload)
    module = _placed(architecture.module, workload, device, traced=traced, packed_inputs_kept=packed_inputs_kept)
    changed = {
        "module": module,
        "make_batch": lambda batch_size: _cast(architecture.make_batch(batch_size), workload),
        "notes": notes,
    }
    return LoadedModel(**vars(architecture) | changed, make_optimizer=lambda: _optimizer(module, workload))


def autocast(precision: Precision, device_type: str) -> contextlib.AbstractContextManager[Any]:
    """The context in which forward and loss run: autocast for `fp16_amp` and `bf16_amp`, nothing otherwise."""
    if precision in AUTOCAST_DTYPES:
        return torch.autocast(device_type, dtype=AUTOCAST_DTYPES[precision])
    return contextlib.nullcontext()


def skipped_initialisation() -> contextlib.AbstractContextManager[None]:
    """No `torch.nn.init` function does anything in here: weights of fakes have no values to set."""
    names = [name for name in vars(nn.init) if name.endswith("_") and not name.startswith("_")]
    return replaced(nn.init, **dict.fromkeys(names, _leave_unchanged))


def _leave_unchanged(tensor: Tensor, *_arguments: object, **_options: object) -> Tensor:
    return tensor


def _architecture(  # noqa: PLR0913 - what, where and how much of it
    workload: Workload, device: str, *, allow_code: bool, layer_limit: int | None, pretended: bool, tried: bool
) -> Architecture:
    model = workload.model
    if isinstance(model, HuggingFaceModel | PythonModel):
        stand_in_for_torchvision()  # transformers imports it, too, as soon as it is there
    if isinstance(model, HuggingFaceModel):
        from advisor.worker.models.huggingface.model import build

        return build(model, workload, device=device, layer_limit=layer_limit, pretended=pretended, tried=tried)
    with skipped_initialisation() if pretended else contextlib.nullcontext():
        if isinstance(model, TemplateModel):
            from advisor.worker.models.templates import build as build_template

            return build_template(model, workload, layer_limit=layer_limit)
        if isinstance(model, PythonModel):
            from advisor.worker.models.python_file import build as build_python

            return build_python(model, workload, allow_code=allow_code)
    if isinstance(model, NumbersModel):
        raise SaidError.of("worker-not-built", workload=workload.name)
    raise TypeError(type(model))


def _placed(module: nn.Module, workload: Workload, device: str, *, traced: bool, packed_inputs_kept: bool) -> nn.Module:
    training = workload.training
    half = HALF_DTYPES.get(training.precision)
    if half is not None:
        left = _left_as_made(module) if isinstance(workload.model, HuggingFaceModel) else frozenset()
        if keeps_adapters_whole(training, training.precision):
            left |= frozenset(map(id, adapter_parameters(module)))

        def in_half(tensor: Tensor) -> Tensor:
            return tensor.to(half) if tensor.is_floating_point() and id(tensor) not in left else tensor

        _replace_tensors(module, in_half)
    _halve_frozen(module, workload)
    if traced:
        _narrow_layers(module, training, packed_inputs_kept=packed_inputs_kept)
    if device not in {"meta", "cpu"}:
        module.to(device=device)
    if training.channels_last:
        _replace_tensors(module, _channels_last)
    if training.activation_checkpointing != "none":
        from advisor.worker.models.checkpointing import checkpoint_blocks

        checkpoint_blocks(module, "selective" if training.activation_checkpointing == "selective" else "full")
    return module.train(training.mode != "inference")


def _narrow_layers(module: nn.Module, training: Training, *, packed_inputs_kept: bool) -> None:
    """Fuse layers, pack frozen ones and give the others FP8 products, as far as the training has any of it."""
    if training.fused_layers:
        from advisor.worker.models.fused_layers import fuse_layers

        fuse_layers(module, gates=training.fused_gate)
    recipe = fp8_recipe_of(training)
    if recipe is None and quantization_of(training) is None:
        return
    from advisor.worker.models.fp8 import use_fp8
    from advisor.worker.models.quantised import quantise_frozen

    head = _head(module)
    dtype = HALF_DTYPES.get(training.precision) or AUTOCAST_DTYPES.get(training.precision) or torch.float32
    quantise_frozen(module, training, dtype, head, inputs_kept=packed_inputs_kept)
    if recipe is not None:
        use_fp8(module, recipe, head)


def _head(module: nn.Module) -> nn.Module | None:
    """The output layer, which fine-tuning and FP8 leave as it is: a language model's, else the last linear one."""
    own = getattr(module, "get_output_embeddings", None)
    head = own() if callable(own) else None
    linears = [child for child in module.modules() if isinstance(child, nn.Linear)]
    return head if isinstance(head, nn.Module) else (linears[-1] if linears else None)


def _halve_frozen(module: nn.Module, workload: Workload) -> None:
    """Frozen weights of 16 bits stand in half beside trained FP32 ones, where autocast joins the two.

    What is trained is in half beside them only where adapters are said to be, and trained copies of what is frozen.
    """
    training = workload.training
    half = AUTOCAST_DTYPES.get(training.precision)
    rests = rests_in_half(workload)
    in_half = {False: rests, True: halves_adapters(training, training.precision)}
    if half is None or not any(in_half.values()):
        return
    # Copies are made of what was loaded in half, and a gradient scaler takes none such.
    copies = frozenset(map(id, copied_parameters(module))) if rests and half is not torch.float16 else frozenset()

    def halved(tensor: Tensor) -> Tensor:
        parameter = isinstance(tensor, nn.Parameter) and tensor.is_floating_point()
        return tensor.to(half) if parameter and (in_half[tensor.requires_grad] or id(tensor) in copies) else tensor

    _replace_tensors(module, halved)


def _channels_last(tensor: Tensor) -> Tensor:
    return tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == _IMAGE_DIMENSIONS else tensor


def _left_as_made(module: nn.Module) -> frozenset[int]:
    """What transformers leaves in FP32 when it loads in 16 bits: buffers, and the parameters that a class names."""
    lists = (getattr(module, name, None) for name in ("_keep_in_fp32_modules", "_keep_in_fp32_modules_strict"))
    kept = [part for names in lists for part in names or ()]
    named = (parameter for name, parameter in module.named_parameters() if any(part in name for part in kept))
    return frozenset(map(id, (*named, *module.buffers())))


def _replace_tensors(module: nn.Module, change: Callable[[Tensor], Tensor]) -> None:
    """Change every parameter and buffer, tied ones once; `Module.to` cannot swap fakes that something refers to."""
    made: dict[int, Tensor] = {}
    with torch.no_grad():
        for child in module.modules():
            for name, parameter in child._parameters.items():  # noqa: SLF001 - as Module.to does
                if parameter is None:
                    continue
                if id(parameter) not in made:
                    changed = change(parameter)
                    new = changed is not parameter
                    made[id(parameter)] = nn.Parameter(changed, parameter.requires_grad) if new else parameter
                child._parameters[name] = made[id(parameter)]  # type: ignore[assignment] # noqa: SLF001 - the same
            for name, buffer in child._buffers.items():  # noqa: SLF001 - the same
                if buffer is not None:
                    child._buffers[name] = change(buffer)  # noqa: SLF001 - the same
    for child in module.modules():
        if isinstance(child, nn.RNNBase):
            child._init_flat_weights()  # noqa: SLF001 - its list of weights must name the new ones


def _cast(batch: Batch, workload: Workload) -> Batch:
    half = HALF_DTYPES.get(workload.training.precision)

    def cast(tensor: Tensor) -> Tensor:
        if half is not None and tensor.is_floating_point():
            tensor = tensor.to(half)
        return _channels_last(tensor) if workload.training.channels_last else tensor

    return mapped(batch, cast)


def _optimizer(module: nn.Module, workload: Workload) -> torch.optim.Optimizer | None:
    from advisor.worker.models.optimizers import make_optimizer

    return make_optimizer([parameter for parameter in module.parameters() if parameter.requires_grad], workload)
