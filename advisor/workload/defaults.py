"""What data and training are assumed to be where a configuration or a file says nothing."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from advisor.catalogue.precisions import HalfFormat, Precision, is_double
from advisor.workload.model_config import PREDICTED_QUANTIZATIONS, STORED_QUANTIZATION, config_of, task_of_model
from advisor.workload.picture_sides import ASSUMED_SIDE, sides_in_config
from advisor.workload.tasks import data_kind, infer_task
from advisor.workload.workload import HuggingFaceModel, Task

ASSUMED_SAMPLES = 10_000
_ASSUMED_LENGTH = 128
_ASSUMED_LM_LENGTH = 1024
ASSUMED_SPEECH_SAMPLES = 160_000
"""Ten seconds at 16 kHz."""
_BATCH_SIZE = {"text": 16, "image": 32, "speech": 8, "series": 32}
_LM_BATCH_SIZE = 8


def assumed_for_config(config: dict[str, Any], task: Task | None) -> dict[str, dict[str, Any]]:
    """Data and training sections for a model of which only the configuration is known.

    Lengths stay within what the configuration's positions allow; the batch is small enough for one card.
    """
    chosen = task or infer_task(config)
    kind = data_kind(config, task)
    language_model = chosen in {"causal-lm", "seq2seq-lm", "masked-lm"}
    data: dict[str, Any] = {"samples": ASSUMED_SAMPLES, "loader_workers": 4}
    if kind == "image":
        data["image_size"] = max(sides_in_config(config) or (ASSUMED_SIDE,))
    elif kind == "series":
        pass  # as long as the configuration says that its model looks back
    elif kind == "speech" and chosen != "speech-seq2seq":
        data["sequence_length"] = ASSUMED_SPEECH_SAMPLES
    else:
        wanted = _ASSUMED_LM_LENGTH if chosen == "causal-lm" else _ASSUMED_LENGTH
        data["sequence_length"] = min(wanted, position_limit(config) or _positions(config) or wanted)
    batch_size = _LM_BATCH_SIZE if language_model else _BATCH_SIZE[kind]
    return {"data": data, "training": {**_TRAINING, "precision": _precision(config), "batch_size": batch_size}}


def assumed_for_packed(config: dict[str, Any], overrides: Mapping[str, object]) -> dict[str, str]:
    """What weights that are published packed are trained by, where nobody says: adapters beside them."""
    packed = config.get(STORED_QUANTIZATION)
    says = any(overrides.get(name) is not None for name in ("trainable", "quantization", "weights_bits"))
    if packed not in PREDICTED_QUANTIZATIONS or says or overrides.get("mode") == "inference":
        return {}
    return {"trainable": "lora", "quantization": str(packed)}


def assumed_for_frozen(config: dict[str, Any], task: Task | None, overrides: Mapping[str, object]) -> dict[str, int]:
    """How frozen weights are kept beside adapters where nobody says: in 16 bit where they are published so."""
    frozen = overrides.get("trainable") == "lora" and overrides.get("quantization") is None
    joined = overrides.get("precision") in _JOINED
    return {"weights_bits": 16} if frozen and joined and published_in_16_bits(config, task) else {}


def frozen_bits(model: HuggingFaceModel, precision: Precision) -> int | None:
    """The same of a workload that trains all of it: what its weights are kept in once they are frozen.

    None: as the precision keeps them.
    """
    kept_whole = precision in _JOINED and published_in_16_bits(config_of(model), task_of_model(model))
    return 16 if kept_whole else None


_JOINED = frozenset({None, "fp16_amp", "bf16_amp"})
"""Autocast, whose weights would be kept in 32 bits; None: nobody says, which is that."""


def published_in_16_bits(config: dict[str, Any], task: Task | None) -> bool:
    """By the configuration's own word; language models whose configuration has none are published so since 2023."""
    return stored_half(config) is not None if _stored(config) else (task or infer_task(config)) == "causal-lm"


def _precision(config: dict[str, Any]) -> str:
    """BF16 autocast, which needs no loss scaling and which cards without it replace by FP16; FP16 where it is named."""
    return "fp16_amp" if stored_half(config) == "fp16" else "bf16_amp"


_HALF: dict[str, HalfFormat] = {"float16": "fp16", "half": "fp16", "bfloat16": "bf16"}


def stored_half(config: dict[str, Any]) -> HalfFormat | None:
    """The 16-bit type that a Hugging Face configuration names for its weights; None: it names another or none."""
    return _HALF.get(_stored(config))


def stored_double(config: dict[str, Any]) -> bool:
    """Whether a Hugging Face configuration stores its weights in float64, in which nothing is predicted."""
    return is_double(_stored(config))


def _stored(config: dict[str, Any]) -> str:
    return str(config.get("dtype") or config.get("torch_dtype") or "").removeprefix("torch.")


_TRAINING: dict[str, Any] = {"precision": "bf16_amp", "optimizer": "adamw", "epochs": 3}


def assumed_for_file(path: Path) -> dict[str, dict[str, Any]]:
    """Data and training sections for a bare Python file, read without running it.

    The length, or the side of images by that parameter's name, is the default of its make_batch; none is assumed where
    the file asks for none.
    """
    data: dict[str, Any] = {"samples": ASSUMED_SAMPLES, "loader_workers": 4}
    functions = _functions_of(path)
    parameters = None if functions is None else functions.get("make_batch")
    if parameters is None:
        data["sequence_length"] = _ASSUMED_LENGTH
    elif len(parameters.args) > 1 or parameters.vararg is not None:
        name = parameters.args[1].arg.lower() if len(parameters.args) > 1 else ""
        of_images = any(word in name for word in _OF_IMAGES)
        field, usual = ("image_size", ASSUMED_SIDE) if of_images else ("sequence_length", _ASSUMED_LENGTH)
        data[field] = _default_of_second(parameters) or usual
    elif functions is not None and "make_dataset" in functions:
        data["sequence_length"] = _ASSUMED_LENGTH
    return {"data": data, "training": {**_TRAINING, "precision": "fp32", "batch_size": _BATCH_SIZE["text"]}}


_OF_IMAGES = ("image", "img", "side", "resolution", "height", "pixel")
"""In names of parameters that tell the side of images."""


def _functions_of(path: Path) -> dict[str, ast.arguments] | None:
    """Parameters of the file's own functions; None where it cannot be read."""
    try:
        tree = ast.parse(path.read_bytes()[: 1 << 20])
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}


def _default_of_second(parameters: ast.arguments) -> int | None:
    """The literal default of the second parameter, where it is a size."""
    place = 1 - (len(parameters.args) - len(parameters.defaults))
    if not 0 <= place < len(parameters.defaults):
        return None
    default = parameters.defaults[place]
    value = default.value if isinstance(default, ast.Constant) else None
    return value if isinstance(value, int) and 0 < value <= 1_000_000 else None  # noqa: PLR2004 - as Size


_ABSOLUTE_POSITIONS = frozenset(
    {
        "bert", "roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "distilbert", "electra", "albert", "gpt2",
        "gpt_neo", "openai-gpt", "opt", "bart", "mbart", "mpnet", "longformer", "big_bird", "ernie", "ctrl", "xlm",
        "layoutlm", "convbert", "mobilebert", "funnel", "megatron-bert", "gpt_bigcode", "biogpt", "clip_text_model",
    }
)  # fmt: skip
_OFFSET_POSITIONS = {"roberta": 2, "xlm-roberta": 2, "xlm-roberta-xl": 2, "camembert": 2, "longformer": 2, "mpnet": 2}
"""Rows of the position table that these families never give to a token."""


def _positions(config: dict[str, Any]) -> int | None:
    for key in ("max_position_embeddings", "n_positions", "max_target_positions"):
        value = config.get(key)
        if isinstance(value, int) and value > 0:
            return value
    return None


def position_limit(config: dict[str, Any]) -> int | None:
    """The longest sequence that a model with a learned position table takes; None where none limits it."""
    model_type = config.get("model_type")
    if model_type not in _ABSOLUTE_POSITIONS:
        return None
    for key in ("max_position_embeddings", "n_positions"):
        value = config.get(key)
        if isinstance(value, int):
            return value - _OFFSET_POSITIONS.get(str(model_type), 0)
    return None
