"""What a training command names in a file beside it: `litgpt finetune --config x.yaml`, `axolotl train x.yaml`.

Keys of LitGPT's, torchtune's, axolotl's, LLaMA-Factory's, Accelerate's and DeepSpeed's files, and of those that Hugging
Face's parsers take, are names of flags, or their dotted ends are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from advisor.core.errors import InputError
from advisor.core.input_file import check_values, parse_json, read_text

_FLAGS = frozenset(
    {"config", "config_file", "config_path", "config_yaml", "args_file", "deepspeed", "deepspeed_config", "ds_config"}
)
_YAML, _JSON = frozenset({".yaml", ".yml"}), frozenset({".json"})
_CLASSES = ("_component_", "class_path", "_target_", "type")
"""Keys that name the class of what they stand in: of torchtune, LitGPT, Hydra and DeepSpeed."""
_LEFT_OPEN = frozenset({"auto", "none", "null", ""})


def names_settings(name: str, value: str) -> bool:
    """Whether a flag, or a word that stands by itself (then `name` is empty), names where more of them stand."""
    return name in _FLAGS or (not name and Path(value).suffix.lower() in _YAML | _JSON)


def flags_of_file(name: str) -> list[tuple[str, str]] | None:
    """Its keys with dots between them, with their values as a command would write them; None: it cannot be read."""
    path = Path(name)
    if path.suffix.lower() not in _YAML | _JSON:
        return None
    try:
        table = parse_json(read_text(path), name) if path.suffix.lower() in _JSON else _yaml_of(read_text(path))
        check_values(table, name)
    except InputError:
        return None
    return list(_flattened(table, ())) if isinstance(table, Mapping) else None


def _yaml_of(text: str) -> Any:  # noqa: ANN401 - may be anything
    """YAML as plain values; None where it is none, or nothing here reads it: the package comes with transformers."""
    try:
        import yaml
    except ImportError:
        return None
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            return None  # a few of them can stand for more than any memory holds
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _flattened(table: Mapping[object, object], above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        place = (*above, str(key))
        if isinstance(value, Mapping):
            yield from _of_class(value, place)
            switch = value.get("enabled")
            yield from _written(place, switch) if isinstance(switch, bool | str) else ()
            yield from _flattened({name: item for name, item in value.items() if name not in _CLASSES}, place)
        elif key != "enabled":
            yield from _written(place, value)


def _of_class(table: Mapping[object, object], place: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    named = next((value for key in _CLASSES if isinstance(value := table.get(key), str)), None)
    if named is not None:
        yield from _written(place, named.rpartition(".")[2])


def _written(place: tuple[str, ...], value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        text = " ".join(str(item) for item in value if isinstance(item, str | int | float))
    else:
        text = str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
    if text.lower() not in _LEFT_OPEN:
        yield ".".join(place), text
