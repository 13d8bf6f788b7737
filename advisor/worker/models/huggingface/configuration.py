"""The configuration object that transformers builds a model from: what a table of it may say, and how deep it is."""

from __future__ import annotations

import contextlib
from typing import Any

from advisor.core.file_fault import closest_name, named_error, shown_value
from advisor.core.sentences import Reason, SaidError
from advisor.worker.models.foreign import Config
from advisor.worker.models.huggingface.kinds import name_picture_words
from advisor.workload.workload import Task, Workload

_LAYER_KEYS = (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "num_decoder_layers",
    "num_encoder_layers",
)  # fmt: skip
_OF_THE_FILE = frozenset(
    {"name_or_path", "transformers_version", "torch_dtype", "dtype", "attn_implementation", "experts_implementation"}
)
"""Words at the top of a configuration that say where its weights come from and how they run, not what they are."""
_MISTYPED = 0.85
"""From so much alike on a strange key is taken for a known one mistyped."""


def configuration(table: dict[str, Any], workload: Workload, task: Task) -> Any:  # noqa: ANN401 - transformers' types
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
        raise refused(class_.model_type, error) from error


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


def refused(model_type: str, error: Exception) -> SaidError:
    """Says why transformers builds no such model: for want of another library, or by what the configuration says."""
    if isinstance(error, ImportError):
        return SaidError.of("worker-config-needs-library", model=shown_value(model_type), error=named_error(error))
    return SaidError.of("worker-config-refused", model=shown_value(model_type), error=named_error(error))


def parts_of(config: Config) -> list[Any]:
    """The configuration and those inside it (text, vision, encoder, decoder)."""
    inner = [getattr(config, name, None) for name in getattr(config, "sub_configs", {})]
    return [config, *(part for part in inner if part is not None and hasattr(part, "model_type"))]


def _layer_keys(part: Config) -> list[str]:
    present = [key for key in _LAYER_KEYS if isinstance(vars(part).get(key), int)]
    encoder_decoder = {"encoder_layers", "decoder_layers"} & set(present)
    return [key for key in present if not (encoder_decoder and key in {"num_hidden_layers", "num_layers"})]


def block_count(config: Config) -> int | None:
    """Repeated blocks of all parts together; None: the configuration names none."""
    total = 0
    for part in parts_of(config):
        depths = vars(part).get("depths")
        total += sum(depths) if isinstance(depths, list | tuple) else sum(vars(part)[key] for key in _layer_keys(part))
    return total or None


def limit_layers(config: Config, limit: int) -> None:
    """Make each part no deeper than `limit` blocks, of stages in proportion, and cut the lists that go by blocks."""
    for part in parts_of(config):
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
