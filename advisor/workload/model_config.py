"""A Hugging Face model's configuration as plain numbers: found offline, bounded, stripped of all that names code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

from advisor.core.bundled import workloads_folder
from advisor.core.field_fault import integer_between
from advisor.core.file_fault import file_fault, meant_or_known, remedy, shown_value
from advisor.core.input_file import check_values, parse_json, read_text
from advisor.core.sentences import SaidError, visible
from advisor.workload.tasks import infer_task
from advisor.workload.workload import HuggingFaceModel, Quantization, Task

MAX_CONFIG_BYTES = 1 << 20

_CODE_KEYS = frozenset(
    {
        "auto_map",
        "trust_remote_code",
        "custom_pipelines",
        "attn_implementation",
        "_attn_implementation",
        "_attn_implementation_internal",
        "attn_implementation_internal",
        "_attn_implementation_autoset",
        "experts_implementation",
        "_experts_implementation",
        "_experts_implementation_internal",
        "use_kernels",
        "kernel_config",
        "quantization_config",
        "compression_config",
        "adapters",
        "use_pretrained_backbone",
        "use_timm_backbone",
        "backbone_kwargs",
        "_name_or_path",
        "name_or_path",
        "_commit_hash",
        "torch_dtype",
        "dtype",
        "device_map",
        "distributed_config",
        "tp_plan",
        "base_model_tp_plan",
        "base_model_pp_plan",
        "pretrained_cfg",
        "task_specific_params",
        "tokenizer_class",
        "prefix",
    }
)
"""Keys that name code, files, devices or other models: never handed on, at any depth."""

_RANGES: tuple[tuple[re.Pattern[str], int, int], ...] = (
    (re.compile(r"^(hidden_size|d_model|n_embd|num_attention_heads|n_heads?|vocab_size)$"), 1, 16_000_000),
    (re.compile(r"(^|_)(num_)?(hidden_|encoder_|decoder_)?layers$|^n_layers?$|_num_layers$|^depths?$"), 0, 1000),
    (re.compile(r"heads?$|^num_key_value|^n_head"), 0, 4096),
    (re.compile(r"vocab"), 0, 16_000_000),
    (re.compile(r"hidden_size|embed_dim|^d_model$|^n_embd$|^dim$|embedding_size|hidden_dim|head_dim"), 0, 262_144),
    (re.compile(r"intermediate_size|ffn_dim|^d_ff$|^n_inner$|hidden_sizes|hidden_channels"), 0, 4_194_304),
    (re.compile(r"experts"), 0, 65_536),
    (re.compile(r"^image_size$|^patch_size$|^num_channels$|^conv_dim$|^conv_kernel$"), 0, 65_536),
    (re.compile(r"^num_labels$"), 1, 1_000_000),
)
"""Sizes beyond any published model (the widest has 53,248 in its hidden layers), by the words their names hold."""
_LARGEST = 1 << 40
_STORED_TYPES = frozenset({"float64", "float32", "float16", "bfloat16"})
"""What the published weights are stored in: it says which precision a training is likely to take."""
STORED_QUANTIZATION = "stored_quantization"
"""Key under which a clean configuration keeps how its weights are published packed: `nf4`, `awq`."""
PREDICTED_QUANTIZATIONS = frozenset(get_args(Quantization))
_PACKED_BY = frozenset(
    {"gptq", "awq", "fp8", "fbgemm_fp8", "mxfp4", "compressed-tensors", "aqlm", "hqq", "quanto", "torchao", "modelopt"}
)
"""Names of methods that transformers loads, but for bitsandbytes, whose two kinds have flags."""
MAX_PARAMETERS = 2e13
_WIDTH = re.compile(r"hidden_size|embed_dim|^d_model$|^n_embd$|^dim$|hidden_dim")
_INNER = re.compile(r"intermediate_size|ffn_dim|^d_ff$|^n_inner$")
_LAYERS = re.compile(r"(^|_)(num_)?(hidden_|encoder_|decoder_)?layers$|^n_layers?$|^depths?$")
_EXPERTS = re.compile(r"(num|n)_(local_|routed_)?experts$")
_VOCABULARY = re.compile(r"vocab_size")
_MAX_LIST_LENGTH = 4096


def bundled_config_names() -> tuple[str, ...]:
    """Names of the configurations that are shipped with the program."""
    return tuple(sorted(path.stem for path in (workloads_folder() / "configs").glob("*.json")))


def bundled_config(name: str) -> dict[str, Any] | None:
    """The shipped configuration of that name; None when there is none."""
    if name not in bundled_config_names():
        return None
    return read_config_file(workloads_folder() / "configs" / f"{name}.json")


def read_config_file(path: Path) -> dict[str, Any]:
    """The clean configuration of a `config.json`; raises InputError naming file and key."""
    name = visible(str(path))
    return parse_config(read_text(path, max_bytes=MAX_CONFIG_BYTES), name)


def raw_config(path: Path) -> dict[str, Any]:
    """All that a configuration holds, unchecked: to look at, never to hand on. Raises InputError where it is none."""
    name = visible(str(path))
    value = _parsed(read_text(path, max_bytes=MAX_CONFIG_BYTES), name)
    if not isinstance(value, dict):
        raise file_fault("config-no-table", path=name)
    return value


_UNLIMITED_STEP = re.compile(r'("time_step_limit"\s{0,20}:\s{0,20}\[[^\[\]]{0,80}?)\bInfinity\b')


def parse_config(text: str, name: str) -> dict[str, Any]:
    """The clean configuration that a `config.json` holds as text."""
    return clean_config(_parsed(text, name), name)


def _parsed(text: str, name: str) -> object:
    """What a configuration's text holds.

    Published state-space models write their open time step limit as `Infinity`, which is no JSON: that one place, and
    no other, is read as a number beyond any step.
    """
    return parse_json(_UNLIMITED_STEP.sub(r"\g<1>1e30", text), name, max_bytes=MAX_CONFIG_BYTES)


def clean_config(value: object, name: str) -> dict[str, Any]:
    """A configuration without the keys that name code, its sizes checked; raises InputError naming the key.

    `name` is the file (or field) that the error text begins with.
    """
    check_values(value, name)
    if not isinstance(value, dict):
        raise file_fault("config-no-table", path=name)
    if not isinstance(value.get("model_type"), str):
        raise _without_type(value, name)
    cleaned = _clean(value, name, "")
    stored = value.get("dtype") or value.get("torch_dtype")
    if isinstance(stored, str) and stored.removeprefix("torch.") in _STORED_TYPES:
        cleaned["dtype"] = stored.removeprefix("torch.")
    packed = _packed_by(value.get("quantization_config"))
    if packed is not None:
        cleaned[STORED_QUANTIZATION] = packed
    _check_product(cleaned, name)
    return cleaned


def _packed_by(settings: object) -> str | None:
    """How weights are published packed; None: not, or by what nobody here knows."""
    if not isinstance(settings, dict):
        return None
    if settings.get("load_in_4bit") is True or settings.get("_load_in_4bit") is True:
        return "nf4"
    if settings.get("load_in_8bit") is True or settings.get("_load_in_8bit") is True:
        return "int8"
    method = settings.get("quant_method")
    return method if isinstance(method, str) and method in _PACKED_BY else None


def _without_type(value: dict[Any, Any], name: str) -> SaidError:
    """The refusal of a configuration without a type: that of another library by the library's name."""
    built = next((text for key in ("_class_name", "architecture") if isinstance(text := value.get(key), str)), None)
    if built is None:
        return file_fault("no-model-type", path=name)
    library = "diffusers" if "_class_name" in value else "timm"
    return file_fault("config-of-library", path=name, library=library, model=shown_value(built))


def _check_product(table: dict[str, Any], name: str) -> None:
    """Refuse sizes that are each within reason and together make a model that no machine on earth could hold."""
    for item in table.values():
        if isinstance(item, dict):
            _check_product(item, name)
    width, inner = _largest(table, _WIDTH), _largest(table, _INNER)
    experts, layers = max(1, _largest(table, _EXPERTS)), _largest(table, _LAYERS)
    weights = layers * width * (4 * width + 3 * (inner or 4 * width) * experts) + 2 * width * _largest(
        table, _VOCABULARY
    )
    if weights > MAX_PARAMETERS:
        raise file_fault("config-product", path=name, weights=f"{weights:.1e}", limit=f"{MAX_PARAMETERS:.0e}")


def _largest(table: dict[str, Any], pattern: re.Pattern[str]) -> int:
    sizes = [0]
    for key, item in table.items():
        if pattern.search(key):
            entries = item if isinstance(item, list) else [item]
            sizes += [int(entry) for entry in entries if isinstance(entry, int | float) and not isinstance(entry, bool)]
    return max(sizes)


def _clean(table: dict[str, Any], name: str, path: str) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, item in table.items():
        where = f"{path}.{key}" if path else key
        declined = key == "use_timm_backbone" and item is False  # asks for the class's own layers: names no code
        if (key in _CODE_KEYS and not declined) or key.endswith("attn_implementation"):
            continue
        if isinstance(item, dict) and key not in {"id2label", "label2id"}:
            kept[key] = _clean(item, name, where)
            continue
        numbers = [entry for entry in item if not isinstance(entry, str)] if isinstance(item, list) else [item]
        for entry in numbers:
            _check_size(key, entry, name, where)
        if isinstance(item, list) and len(item) > _MAX_LIST_LENGTH:
            raise file_fault("entries", path=name, field=where, given=str(len(item)), limit=str(_MAX_LIST_LENGTH))
        kept[key] = item
    return kept


def _check_size(key: str, value: object, name: str, where: str) -> None:
    matched = [(low, high) for pattern, low, high in _RANGES if pattern.search(key)]
    if matched and not isinstance(value, bool):
        low, high = max(low for low, _ in matched), min(high for _, high in matched)
        if isinstance(value, str) or (isinstance(value, int | float) and not low <= value <= high):
            allowed = remedy("allowed", kind=integer_between(low, high))
            raise file_fault("wrong-field", allowed, path=name, field=where, given=shown_value(value))
        return
    unlimited = isinstance(value, bool | float) or "max_length" in key
    if isinstance(value, int) and abs(value) > _LARGEST and not unlimited:
        raise file_fault("wrong-field", remedy("beyond-real"), path=name, field=where, given=shown_value(value))


def config_of(model: HuggingFaceModel) -> dict[str, Any]:
    """The configuration of a loaded model, whether it is its own or a bundled one; empty: there is none."""
    return model.config if isinstance(model.config, dict) else bundled_config(model.config) or {}


def task_of_model(model: HuggingFaceModel) -> Task:
    """What a loaded model is for: as its workload says, else as its configuration does."""
    return model.task or infer_task(config_of(model))


def resolve_config(config: str | dict[str, Any]) -> dict[str, Any]:
    """What the worker builds from: an inline table, or the bundled configuration of that name.

    Folders, files and hub ids have been turned into inline tables when the workload was loaded.
    """
    if isinstance(config, dict):
        return clean_config(config, "model.config")
    config_found = bundled_config(config)
    if config_found is None:
        remedy = meant_or_known(config, bundled_config_names(), "bundled")
        raise file_fault("no-bundled-config", remedy, path="model.config", given=shown_value(config))
    return config_found
