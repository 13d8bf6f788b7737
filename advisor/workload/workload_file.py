"""The ways to one `Workload`: bundled name, TOML file, Hugging Face configuration, Python file, inline table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from advisor.catalogue.optimizers import OPTIMIZERS
from advisor.core.bundled import workloads_folder
from advisor.core.file_fault import file_fault, meant_or_known, remedy, shown_value
from advisor.core.file_kinds import FileKind, given_as
from advisor.core.input_file import check_values, convert, read_toml_table
from advisor.core.sentences import SaidError, visible
from advisor.workload.checks import check_workload
from advisor.workload.command_flags import fields_of_optimizer
from advisor.workload.defaults import (
    assumed_for_config,
    assumed_for_file,
    assumed_for_frozen,
    assumed_for_packed,
    stored_double,
)
from advisor.workload.given_names import name_of_code, name_of_config
from advisor.workload.model_config import bundled_config, bundled_config_names, clean_config, read_config_file
from advisor.workload.overrides import apply_overrides, with_adapters_meant
from advisor.workload.python_source import code_to_run, file_of, is_file
from advisor.workload.reference_meant import reference_meant
from advisor.workload.workload import PythonModel, Task, Workload

Source = Literal["huggingface", "python", "template", "numbers"]
_NAME_LENGTH = 200
FUSED_LAYERS = "training.fused_layers"


_GIVEN_AS: dict[str, FileKind] = {".json": "config", ".py": "python"}
"""What describes a workload beside a file of its own, by suffix."""


class _Description(msgspec.Struct, frozen=True, kw_only=True):
    """A workload as plain values, with what its relative paths and error texts start from."""

    table: dict[str, Any]
    folder: Path | None
    name: str


def bundled_names() -> tuple[str, ...]:
    """Names of the workloads that are shipped with the program."""
    return tuple(sorted(path.stem for path in workloads_folder().glob("*.toml")))


def load_workload(
    reference: str | Path | dict[str, Any],
    *,
    overrides: Mapping[str, object] | None = None,
    allow_hub: bool = False,
) -> Workload:
    """The workload that a name, a path, a hub id or a table describes, with the flat `overrides` of the command line.

    Folders, `config.json` files and hub ids become inline configurations, so that the worker reads no foreign file.
    Data and training settings that a bare configuration or Python file lacks are assumed and named in `assumed`.
    Raises InputError that names file, field, what was given and what is allowed.
    """
    if isinstance(reference, dict):
        return _load(_describe(reference, allow_hub=allow_hub), overrides or {}, allow_hub=allow_hub)
    path = Path(str(reference))
    with given_as(_GIVEN_AS.get(path.suffix, "workload"), path):
        return _load(_describe(reference, allow_hub=allow_hub), overrides or {}, allow_hub=allow_hub)


def _load(described: _Description, overrides: Mapping[str, object], *, allow_hub: bool) -> Workload:
    table, config = _with_config(described, allow_hub=allow_hub)
    overrides = with_adapters_meant(overrides, table.get("training"))
    table, assumed = _with_assumptions(table, config, described, overrides)
    table = apply_overrides(table, overrides, described.name)
    _refuse_trainers_word(table, described.name)
    if config is not None and stored_double(config):
        _refuse_untold_double(table, assumed, described.name)
    workload = convert(table, Workload, described.name)
    workload = msgspec.structs.replace(
        workload, source_folder=_folder_to_keep(workload, described), assumed=workload.assumed or assumed
    )
    check_workload(workload, described.name, config)
    if isinstance(workload.model, PythonModel) and not is_file(file_of(workload.model, workload.source_folder)):
        raise file_fault("code-missing", path=described.name, given=shown_value(workload.model.file))
    code_to_run(workload)  # refuses a file that is too large
    return workload


def _refuse_untold_double(table: dict[str, Any], assumed: tuple[str, ...], name: str) -> None:
    """Weights that are loaded as they are stored, in float64, train in it unless a precision is named."""
    training = table.get("training")
    if "training.precision" in assumed or not (isinstance(training, dict) and training.get("precision") is not None):
        raise file_fault("config-double", path=name)


def _refuse_trainers_word(table: Mapping[str, Any], name: str) -> None:
    """Tell the fields of an optimizer that a trainer names in one word, as `adamw_8bit`: no rule alone is meant."""
    training = table.get("training")
    word = training.get("optimizer") if isinstance(training, Mapping) else None
    if isinstance(word, str) and word not in OPTIMIZERS and (fields := fields_of_optimizer(word)) is not None:
        raise file_fault(
            "wrong-field",
            remedy("say-in-fields", fields=fields),
            path=name,
            field="training.optimizer",
            given=shown_value(word),
        )


def checked(workload: Workload) -> Workload:
    """A workload that a program has made, held against the types and the sense of its fields as a file's are.

    Raises InputError as `load_workload` does.
    """
    table = msgspec.to_builtins(workload)
    _refuse_trainers_word(table, "workload")
    described = convert(table, Workload, "workload")
    check_workload(described, "workload", None)
    return described


def _folder_to_keep(workload: Workload, described: _Description) -> str | None:
    """Only a user's Python file is still looked for later; other records need not tell where they lay."""
    if not isinstance(workload.model, PythonModel):
        return None
    if described.folder is None:
        return workload.source_folder
    return None if described.folder == workloads_folder().resolve() else str(described.folder)


def load_workload_for_row(name: str, folder: Path, *, allow_hub: bool = False) -> Workload:
    """The workload that a row of a table names: bundled, a path relative to the table's folder, or NAME.toml there.

    Whether its layers are fused is among what is assumed where a file is silent of that.
    """
    if name in bundled_names():
        return load_workload(name)
    for candidate in (folder / name, folder / f"{name}.toml"):
        if is_file(candidate):
            described = _from_path(candidate, str(candidate))
            workload = _load(described, {}, allow_hub=allow_hub)
            silent = candidate.suffix == ".toml" and "fused_layers" not in described.table.get("training", ())
            return msgspec.structs.replace(workload, assumed=(*workload.assumed, *([FUSED_LAYERS] * silent)))
    remedy = meant_or_known(name, bundled_names(), "bundled")
    raise file_fault("no-workload-in", remedy, given=shown_value(name), path=visible(str(folder)))


def source_of(workload: Workload) -> Source:
    """Which source the model came from."""
    return str(workload.model.__struct_config__.tag)  # type: ignore[return-value]


def _describe(reference: str | Path | dict[str, Any], *, allow_hub: bool) -> _Description:
    if isinstance(reference, dict):
        check_values(reference, "workload")
        return _Description(table=reference, folder=None, name="workload")
    text = str(reference)
    if isinstance(reference, str) and text in bundled_names():
        return _bundled(text)
    if isinstance(reference, str) and text in bundled_config_names():
        return _from_config(text, text)
    path = Path(text)
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise _unknown(text, allow_hub=allow_hub) from error
    if exists:
        return _from_path(path, text)
    if allow_hub and _is_hub_id(text):
        return _from_config(text, text.partition("@")[0])
    if isinstance(reference, str) and (bundled := _as_bundled(text)) is not None:
        return _bundled(bundled)
    raise _unknown(text, allow_hub=allow_hub)


def _bundled(name: str) -> _Description:
    """A bundled workload: its own fields are right, so that what is refused is a flag's, and no file is named."""
    return msgspec.structs.replace(_from_toml(workloads_folder() / f"{name}.toml"), name=name)


def _as_bundled(text: str) -> str | None:
    """The bundled name that is spelled otherwise (`ResNet-50`, `BERT base SST2`); None: no such name."""

    def bare(name: str) -> str:
        return "".join(character for character in name.lower() if character.isalnum())

    return next((name for name in bundled_names() if bare(name) == bare(text)), None)


def _from_path(path: Path, text: str) -> _Description:
    whole = path.resolve()
    if path.is_dir() or path.suffix == ".json":
        return _from_config(str(whole), name_of_config(whole))
    if path.suffix == ".py":
        model = {"source": "python", "file": whole.name}
        return _Description(
            table={"name": name_of_code(whole)[:_NAME_LENGTH], "model": model}, folder=whole.parent, name=visible(text)
        )
    if path.suffix == ".toml":
        return _from_toml(path)
    raise file_fault("no-kind", path=visible(text), given=shown_value(path.suffix or path.name))


def _is_hub_id(text: str) -> bool:
    from advisor.workload.hub import is_hub_id  # asks the network's libraries, which a start does not need

    return is_hub_id(text)


def _unknown(text: str, *, allow_hub: bool) -> SaidError:
    like = (*bundled_names(), *bundled_config_names())
    of_hub = not allow_hub and "/" in text and _is_hub_id(text)
    return file_fault(
        "unknown-workload", reference_meant(text, like, bundled_names(), of_hub=of_hub), given=shown_value(text)
    )


def _from_toml(path: Path) -> _Description:
    table = read_toml_table(path)
    for field in ("source_folder", "assumed"):
        if field in table:
            raise file_fault("by-the-program", path=visible(str(path)), field=field)
    return _Description(table=table, folder=path.resolve().parent, name=visible(str(path)))


def _from_config(config: str, name: str) -> _Description:
    model = {"source": "huggingface", "config": config}
    return _Description(table={"name": name[:_NAME_LENGTH], "model": model}, folder=None, name=visible(config))


def _with_config(described: _Description, *, allow_hub: bool) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The table with its configuration resolved, and that configuration; unchanged for other models."""
    table, model = described.table, described.table.get("model")
    if not isinstance(model, dict) or model.get("source") != "huggingface" or "config" not in model:
        return table, None
    reference = model["config"]
    if isinstance(reference, dict):
        config = clean_config(reference, f"{described.name}: model.config")
        return {**table, "model": {**model, "config": config}}, config
    if not isinstance(reference, str):
        return table, None
    if (bundled := bundled_config(reference)) is not None:
        return table, bundled
    config, origin = _found_config(reference, described, allow_hub=allow_hub)
    return {**table, "model": {**model, "config": config, "origin": origin}}, config


def _found_config(reference: str, described: _Description, *, allow_hub: bool) -> tuple[dict[str, Any], str]:
    try:
        path = (described.folder or Path()) / reference
        is_folder = path.is_dir()
        path = path / "config.json" if is_folder else path
        exists = path.exists()
    except (OSError, ValueError):
        is_folder = exists = False
    if exists:
        return read_config_file(path), path.name
    if allow_hub and _is_hub_id(reference):
        from advisor.workload.hub import fetch_config

        return fetch_config(reference)
    if is_folder:
        raise file_fault("no-config-in", path=visible(reference))
    names, of_hub = bundled_config_names(), not allow_hub and "/" in reference and _is_hub_id(reference)
    hint = reference_meant(reference, names, names, of_hub=of_hub)
    raise file_fault("unknown-config", hint, path=described.name, given=shown_value(reference))


def _with_assumptions(
    table: dict[str, Any], config: dict[str, Any] | None, described: _Description, overrides: Mapping[str, object]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Fill the data and training sections that a bare configuration or file lacks; names of what was assumed."""
    model = table.get("model")
    if not isinstance(model, dict) or ("data" in table and "training" in table):
        return table, ()
    if config is not None:
        given = model.get("task")
        task: Task | None = given if isinstance(given, str) else None  # type: ignore[assignment]
        sections = assumed_for_config(config, task)
        sections["training"] |= assumed_for_frozen(config, task, overrides) | assumed_for_packed(config, overrides)
    elif model.get("source") == "python" and described.folder is not None and isinstance(model.get("file"), str):
        sections = assumed_for_file(described.folder / str(model["file"]))
    else:
        return table, ()
    for given, other in (("image_size", "sequence_length"), ("sequence_length", "image_size")):
        if overrides.get(given) is not None:
            sections["data"].pop(other, None)
    filled, assumed = dict(table), []
    for section, values in sections.items():
        if section not in table:
            filled[section] = dict(values)
            assumed += [f"{section}.{field}" for field in values if overrides.get(field) is None]
    return filled, tuple(assumed)
