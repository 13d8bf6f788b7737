"""Any architecture that transformers builds from a configuration: never from weights, never with foreign code."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException

from advisor.core.errors import InputError
from advisor.core.file_fault import shown_value
from advisor.core.sentences import Reason, SaidError
from advisor.worker.models.architecture import (
    HALF_DTYPES,
    Architecture,
)
from advisor.worker.models.foreign import Config, Network
from advisor.worker.models.huggingface.batch import BatchMaker, batch_maker
from advisor.worker.models.huggingface.configuration import block_count, configuration, limit_layers, parts_of, refused
from advisor.worker.models.huggingface.fakes import let_experts_be_fake, no_initialisation
from advisor.worker.models.huggingface.forward import loss_of, outputs_of
from advisor.worker.models.huggingface.fused_attention import (
    FLASH_ALONE,
    fuse_attention,
    fused_elsewhere,
    has_flash_alone,
)
from advisor.worker.models.huggingface.inputs import sides_of
from advisor.worker.models.huggingface.model_class import model_class, part_for, with_head
from advisor.worker.models.huggingface.positions import lengthen_positions
from advisor.workload.model_config import PREDICTED_QUANTIZATIONS, STORED_QUANTIZATION, resolve_config
from advisor.workload.tasks import data_kind, infer_task
from advisor.workload.workload import HuggingFaceModel, Task, Workload, quantization_of

_IN_PARTS = "NewGELUActivation"


def build(  # noqa: PLR0913 - what, where and how much of it
    model: HuggingFaceModel,
    workload: Workload,
    *,
    device: str = "cpu",
    layer_limit: int | None = None,
    pretended: bool = False,
    tried: bool = True,
) -> Architecture:
    """The model of a configuration with its task's head, data and loss; made on `device` where its class lets it.

    `pretended`: weights are fakes, so none is initialised. `tried`: its batch is known to run. Raises InputError for a
    configuration that transformers cannot build, naming the key where it is known.
    """
    _stay_offline()
    table = resolve_config(model.config)
    task: Task = model.task or infer_task(table)
    config = configuration(table, workload, task)
    lengthened = lengthen_positions(config, workload) if data_kind(table, task) == "text" else ()
    full_blocks = block_count(config)
    if layer_limit is not None:
        limit_layers(config, layer_limit)
    module, notes = _module(config, task, workload, device, pretended=pretended)
    if type(module).forward is nn.Module.forward:
        named = {"model": shown_value(config.model_type), "class": shown_value(type(module).__name__)}
        raise SaidError.of("worker-no-forward", **named)
    notes += (*lengthened, *_own_side(config, workload), *_activations_in_parts(module), *_unpacked(table, workload))
    made = _batches(module, task, workload, tried=tried)
    if made.text_only:
        notes += (_text_only(config),)
    return Architecture(
        module=module,
        make_batch=made.make_batch,
        loss=loss_of(task, workload),
        outputs=outputs_of(task),
        head_names=_head_names(module),
        block_count=block_count(config),
        full_block_count=full_blocks,
        notes=notes,
    )


def _batches(module: Network, task: Task, workload: Workload, *, tried: bool) -> BatchMaker:
    """The batches of a model, which keeps keys and values where only its outputs are wanted, as it does by itself.

    Some models of the library cannot: Bamba without attention layers, a decoder deeper than its encoder.
    """
    if workload.training.mode == "inference":
        made = batch_maker(module, task, workload, tried=tried)
        if not made.refused:
            return made
    for part in parts_of(module.config):
        part.use_cache = False
    return batch_maker(module, task, workload, tried=tried)


def _activations_in_parts(module: nn.Module) -> tuple[Reason, ...]:
    """Says that GPT-2's activation is eight kernels here, which is one under another name and in other libraries."""
    found = any(type(part).__name__ == _IN_PARTS for part in module.modules())
    return (Reason.of("workload-activation-in-parts"),) if found else ()


def _unpacked(table: Mapping[str, Any], workload: Workload) -> tuple[Reason, ...]:
    """Says that weights which are published packed are taken otherwise."""
    packed = table.get(STORED_QUANTIZATION)
    if packed is None or packed == quantization_of(workload.training):
        return ()
    known = "known" if packed in PREDICTED_QUANTIZATIONS else "unknown"
    return (Reason.of("workload-stored-packed", method=str(packed), packing=known),)


def _stay_offline() -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"
    logging.getLogger("transformers").setLevel(logging.ERROR)


def _module(
    config: Config, task: Task, workload: Workload, device: str, *, pretended: bool
) -> tuple[Any, tuple[Reason, ...]]:
    asked = isinstance(workload.model, HuggingFaceModel) and workload.model.task is not None
    class_ = model_class(config, task, asked=asked)
    if class_ is None:
        code = "worker-no-task-model" if asked else "worker-part-of-model"
        raise SaidError.of(code, task=task, model=shown_value(config.model_type))
    notes = () if asked else _of_another_class(config, class_, task)
    part = part_for(class_, config)
    if part is not config:
        notes += (_text_only(config),)
    config = part
    dtype = HALF_DTYPES.get(workload.training.precision, torch.float32)
    kernels = pretended and workload.training.attention == "flash"
    made = _with_flash_of_others(class_, config, dtype) if kernels else None
    if made is not None:
        return made[0], (*notes, made[1])
    fused = workload.training.attention != "eager" and bool(getattr(class_, "_supports_sdpa", False))
    if not fused:
        notes += _left_eager(class_, config, workload)
    if not pretended and device != "cpu":
        with contextlib.suppress(Exception), torch.device(device):
            return _built(class_, config, "sdpa" if fused else "eager", dtype, pretended=False), notes
        # A class that reads its own tensors in NumPy, or a model for which the device is too small until parts freeze.
    try:
        return _built(class_, config, "sdpa" if fused else "eager", dtype, pretended=pretended), notes
    except (InputError, DataDependentOutputException, DynamicOutputShapeException):
        raise
    except Exception as error:
        if "scaled_dot_product_attention" not in str(error):
            raise refused(config.model_type, error) from error
    # A part of the model (a backbone) has no fused attention of its own.
    try:
        return _built(class_, config, "eager", dtype, pretended=pretended), (*notes, _eager_only(config))
    except Exception as second:
        raise refused(config.model_type, second) from second


def _with_flash_of_others(class_: type[Network], config: Config, dtype: torch.dtype) -> tuple[Network, Reason] | None:
    """A model whose flash kernels torch does not hold, and whose they are; None where torch's serve it."""
    named = str(config.model_type)
    if has_flash_alone(class_):
        module = _built(class_, config, FLASH_ALONE, dtype, pretended=True)
        return module, Reason.of("workload-attention-flash-alone", model=named)
    if not fused_elsewhere(class_):
        return None
    module = _built(class_, config, "eager", dtype, pretended=True)
    fuse_attention(module)
    return module, Reason.of("workload-attention-fused-elsewhere", model=named)


def _left_eager(class_: type[Network], config: Config, workload: Workload) -> tuple[Reason, ...]:
    attends = getattr(class_, "_supports_attention_backend", False) or getattr(config, "num_attention_heads", None)
    if not attends or workload.training.attention == "eager":
        return ()
    if has_flash_alone(class_):
        return (Reason.of("workload-attention-eager-unless-flash", model=str(config.model_type)),)
    return (_eager_only(config),)


def _eager_only(config: Config) -> Reason:
    return Reason.of("workload-attention-eager-only", model=str(config.model_type))


def _built(class_: Config, config: Config, attention: str, dtype: torch.dtype, *, pretended: bool) -> Any:  # noqa: ANN401 - transformers' types
    if pretended:
        let_experts_be_fake()
    with no_initialisation() if pretended else contextlib.nullcontext():
        module = class_._from_config(config, attn_implementation=attention, dtype=dtype)  # noqa: SLF001 - as the auto classes do
    if pretended:
        module.tie_weights()
    return module


def _own_side(config: Config, workload: Workload) -> tuple[Reason, ...]:
    """Says which side pictures have where a class has one by default that its bare configuration does not tell."""
    seen = getattr(config, "vision_config", None) or config
    side = workload.data.image_size
    if side is None or "data.image_size" not in workload.assumed or getattr(seen, "image_size", None) is None:
        return ()
    height, width = sides_of(seen, workload)
    return (
        () if max(height, width) == side else (Reason.of("workload-own-side", height=height, width=width, side=side),)
    )


def _text_only(config: Config) -> Reason:
    return Reason.of("workload-text-only", model=str(config.model_type))


def _of_another_class(config: Config, class_: Config, task: Task) -> tuple[Reason, ...]:
    """Says what is built where the library lacks the class that `architectures` names, or where they name none.

    The first is built by the task in the name; of the second a bare body is predicted though one with a head exists.
    Raises InputError where that name tells no task: a bare body would silently take the place of a whole model.
    """
    named = [shown_value(name) for name in getattr(config, "architectures", None) or []]
    headed = None if named or task != "base" else with_head(config)
    if headed is not None and headed is not class_:
        return (Reason.of("workload-no-head", built=shown_value(class_.__name__), other=shown_value(headed.__name__)),)
    if not named or shown_value(class_.__name__) in named:
        return ()
    if task == "base":
        raise SaidError.of("worker-no-class", named=named[0], model=shown_value(config.model_type))
    return (Reason.of("workload-other-class", named=named[0], built=shown_value(class_.__name__)),)


def _head_names(module: Network) -> tuple[str, ...]:
    """Everything beside the body that transformers calls `base_model`."""
    prefix = getattr(module, "base_model_prefix", "")
    if not prefix or not hasattr(module, prefix):
        return ()
    return tuple(
        name for name, child in module.named_children() if name != prefix and any(True for _ in child.parameters())
    )
