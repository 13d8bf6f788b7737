"""Any architecture that transformers builds from a configuration: never from weights, never with foreign code."""

from __future__ import annotations

import contextlib
import logging
import os
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException

from advisor.core.errors import InputError
from advisor.core.file_fault import closest_name, named_error, shown_value
from advisor.core.sentences import Reason, SaidError
from advisor.worker.models.architecture import (
    HALF_DTYPES,
    Architecture,
)
from advisor.worker.models.foreign import Config, Network
from advisor.worker.models.huggingface.batch import BatchMaker, batch_maker
from advisor.worker.models.huggingface.fakes import let_experts_be_fake, no_initialisation
from advisor.worker.models.huggingface.forward import loss_of, outputs_of
from advisor.worker.models.huggingface.fused_attention import fuse_attention, fused_elsewhere
from advisor.worker.models.huggingface.inputs import sides_of
from advisor.worker.models.huggingface.kinds import name_picture_words
from advisor.worker.models.huggingface.model_class import model_class, part_for, with_head
from advisor.worker.models.huggingface.positions import lengthen_positions
from advisor.workload.model_config import resolve_config
from advisor.workload.tasks import data_kind, infer_task
from advisor.workload.workload import HuggingFaceModel, Task, Workload

_LAYER_KEYS = (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "num_decoder_layers",
    "num_encoder_layers",
)  # fmt: skip
_OF_THE_FILE = frozenset(
    {"name_or_path", "transformers_version", "torch_dtype", "dtype", "attn_implementation", "experts_implementation"}
)
"""Words at the top of a configuration that say where its weights come from and how they run, not what they are."""
_IN_PARTS = "NewGELUActivation"
_MISTYPED = 0.85
"""From so much alike on a strange key is taken for a known one mistyped."""


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
    config = _configuration(table, workload, task)
    lengthened = lengthen_positions(config, workload) if data_kind(table, task) == "text" else ()
    full_blocks = _block_count(config)
    if layer_limit is not None:
        _limit_layers(config, layer_limit)
    module, notes = _module(config, task, workload, device, pretended=pretended)
    if type(module).forward is nn.Module.forward:
        named = {"model": shown_value(config.model_type), "class": shown_value(type(module).__name__)}
        raise SaidError.of("worker-no-forward", **named)
    notes += (*lengthened, *_own_side(config, workload), *_activations_in_parts(module, workload))
    made = _batches(module, task, workload, tried=tried)
    if made.text_only:
        notes += (_text_only(config),)
    return Architecture(
        module=module,
        make_batch=made.make_batch,
        loss=loss_of(task, workload),
        outputs=outputs_of(task),
        head_names=_head_names(module),
        block_count=_block_count(config),
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
    for part in _parts(module.config):
        part.use_cache = False
    return batch_maker(module, task, workload, tried=tried)


def _activations_in_parts(module: nn.Module, workload: Workload) -> tuple[Reason, ...]:
    """Says that GPT-2's activation is eight kernels here, which is one under another name and in other libraries."""
    if workload.training.compile or not any(type(part).__name__ == _IN_PARTS for part in module.modules()):
        return ()
    return (Reason.of("workload-activation-in-parts"),)


def _stay_offline() -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"
    logging.getLogger("transformers").setLevel(logging.ERROR)


def _configuration(table: dict[str, Any], workload: Workload, task: Task) -> Any:  # noqa: ANN401 - transformers' types
    """The library's own configuration object from numbers and from the keys that its class knows.

    Numbers and words go with any key: what a class takes and does not declare (BLOOM's `n_embed`, a `head_dim`,
    DeBERTa's `norm_rel_ebd`) shapes the model too.
    """
    from transformers import CONFIG_MAPPING

    model_type = table["model_type"]
    if model_type not in CONFIG_MAPPING:
        meant = closest_name(model_type, CONFIG_MAPPING)
        remedy = None if meant is None else Reason.of("file-did-you-mean", word=meant)
        raise SaidError.of("worker-unknown-type", remedy, given=shown_value(model_type))
    class_ = CONFIG_MAPPING[model_type]
    declared = _known_keys(class_)
    flat = _flat_keys(class_, table) - declared
    strange = {key for key in set(table) - declared - flat if _is_setting(key, table[key])}
    chosen = {key: table[key] for key in table if key in declared | flat | strange and key != "model_type"}
    size = workload.data.image_size
    if size is not None and "image_size" in declared and "data.image_size" not in workload.assumed:
        chosen["image_size"] = [size, size] if isinstance(table.get("image_size"), list) else size
    _refuse_mistyped(class_, {key for key in strange if type(table[key]) is int}, declared - set(table))
    config = _configured(class_, chosen)
    _refuse_ignored(config, {key: value for key, value in chosen.items() if key in flat})
    if task == "sequence-classification" and getattr(config, "pad_token_id", None) is None:
        with contextlib.suppress(AttributeError):
            config.pad_token_id = 0
    if task in {"seq2seq-lm", "speech-seq2seq"} and getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = 0
        config.pad_token_id = getattr(config, "pad_token_id", None) or 0
    name_picture_words(config)
    if hasattr(config, "mask_time_prob"):
        config.apply_spec_augment = False  # masks of varying size, which no trace can follow; they cost next to nothing
    if task in {"sequence-classification", "image-classification"}:
        config.problem_type = "single_label_classification"
    return config


def _configured(class_: Config, chosen: dict[str, Any]) -> Any:  # noqa: ANN401 - transformers' types
    """The configuration object; a picture's side is given as the pair that some classes want."""
    side = chosen.get("image_size")
    try:
        return class_(**chosen)
    except Exception as error:
        if isinstance(side, int) and "image_size" in str(error):
            with contextlib.suppress(Exception):
                return class_(**{**chosen, "image_size": [side, side]})
        raise _refused(class_.model_type, error) from error


def _known_keys(class_: Config) -> set[str]:
    import inspect

    general = {
        "architectures", "num_labels", "id2label", "label2id", "problem_type", "pad_token_id", "bos_token_id",
        "eos_token_id", "tie_word_embeddings", "is_encoder_decoder", "is_decoder", "decoder_start_token_id",
    }  # fmt: skip
    declared = general | set(inspect.signature(class_.__init__).parameters) | set(getattr(class_, "attribute_map", {}))
    for base in class_.__mro__:
        declared |= set(getattr(base, "__annotations__", {}))
    declared |= set(getattr(class_, "sub_configs", {}))
    return declared - {"self", "kwargs", "dtype", "name_or_path", "trust_remote_code", "auto_map"}


def _flat_keys(class_: Config, table: dict[str, Any]) -> set[str]:
    """Keys of the part that takes text, which files of some models have beside the other parts and not in its own."""
    part = getattr(class_, "sub_configs", {}).get("text_config")
    return set() if part is None or "text_config" in table else _known_keys(part) | {"rope_theta", "rope_scaling"}


def _is_setting(key: str, value: object) -> bool:
    """Whether a class may be built by what stands at an undeclared key: a number or a word, or a list of such."""
    if isinstance(value, str):
        return not key.startswith("_") and key not in _OF_THE_FILE
    return isinstance(value, int | float) or (isinstance(value, list) and all(_is_setting(key, item) for item in value))


def _has_by_default(class_: Config, key: str) -> bool:
    try:
        return hasattr(class_(), key)
    except Exception:  # noqa: BLE001 - a class without defaults of its own tells nothing
        return True


def _refuse_mistyped(class_: Config, strange: set[str], free: set[str]) -> None:
    """Refuse a whole number under a name that is nearly a known one's: without it another model would be built."""
    for key in sorted(strange):
        meant = closest_name(key, free, alike_fraction=_MISTYPED)
        if meant is not None and not key.startswith("_") and not _has_by_default(class_, key):
            remedy = Reason.of("file-did-you-mean", word=meant)
            raise SaidError.of("worker-config-key-unknown", remedy, model=str(class_.model_type), key=key)


def _refuse_ignored(config: Config, flat: dict[str, Any]) -> None:
    """Refuse sizes that the class leaves aside: what it would build is another model."""
    text = config.get_text_config() if flat else None
    for key in ("hidden_size", "num_hidden_layers", "intermediate_size", "vocab_size", "num_attention_heads"):
        if key in flat and getattr(text, key, None) != flat[key]:
            remedy = Reason.of("worker-config-key-ignored-remedy", key=key)
            raise SaidError.of("worker-config-key-ignored", remedy, model=str(config.model_type), key=key)


def _refused(model_type: str, error: Exception) -> SaidError:
    """Says why transformers builds no such model: for want of another library, or by what the configuration says."""
    if isinstance(error, ImportError):
        return SaidError.of("worker-config-needs-library", model=shown_value(model_type), error=named_error(error))
    return SaidError.of("worker-config-refused", model=shown_value(model_type), error=named_error(error))


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
    if pretended and fused_elsewhere(class_, workload.training.attention):
        module = _built(class_, config, "eager", dtype, pretended=True)
        fuse_attention(module)
        return module, (*notes, Reason.of("workload-attention-fused-elsewhere", model=str(config.model_type)))
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
            raise _refused(config.model_type, error) from error
    # A part of the model (a backbone) has no fused attention of its own.
    try:
        return _built(class_, config, "eager", dtype, pretended=pretended), (*notes, _eager_only(config))
    except Exception as second:
        raise _refused(config.model_type, second) from second


def _left_eager(class_: type[Network], config: Config, workload: Workload) -> tuple[Reason, ...]:
    attends = getattr(class_, "_supports_attention_backend", False) or getattr(config, "num_attention_heads", None)
    return (_eager_only(config),) if attends and workload.training.attention != "eager" else ()


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


def _parts(config: Config) -> list[Any]:
    """The configuration and those inside it (text, vision, encoder, decoder)."""
    inner = [getattr(config, name, None) for name in getattr(config, "sub_configs", {})]
    return [config, *(part for part in inner if part is not None and hasattr(part, "model_type"))]


def _layer_keys(part: Config) -> list[str]:
    present = [key for key in _LAYER_KEYS if isinstance(vars(part).get(key), int)]
    encoder_decoder = {"encoder_layers", "decoder_layers"} & set(present)
    return [key for key in present if not (encoder_decoder and key in {"num_hidden_layers", "num_layers"})]


def _block_count(config: Config) -> int | None:
    total = 0
    for part in _parts(config):
        depths = vars(part).get("depths")
        total += sum(depths) if isinstance(depths, list | tuple) else sum(vars(part)[key] for key in _layer_keys(part))
    return total or None


def _limit_layers(config: Config, limit: int) -> None:
    for part in _parts(config):
        depths = vars(part).get("depths")
        if isinstance(depths, list | tuple):
            total = sum(depths)
            part.depths = [min(depth, max(1, depth * limit // total)) for depth in depths]
            continue
        for key in _layer_keys(part):
            before = vars(part)[key]
            after = min(before, max(1, limit))
            for name, value in list(vars(part).items()):
                if isinstance(value, list | tuple) and len(value) == before and not name.startswith("_"):
                    setattr(part, name, value[:after])
            setattr(part, key, after)


def _head_names(module: Network) -> tuple[str, ...]:
    """Everything beside the body that transformers calls `base_model`."""
    prefix = getattr(module, "base_model_prefix", "")
    if not prefix or not hasattr(module, prefix):
        return ()
    return tuple(
        name for name, child in module.named_children() if name != prefix and any(True for _ in child.parameters())
    )
