"""A `Workload` written as the TOML file that describes it."""

from __future__ import annotations

from typing import Any

import msgspec
import tomlkit

from advisor.workload.overrides import without_defaults
from advisor.workload.python_source import file_of
from advisor.workload.workload import PythonModel, Workload


def workload_to_toml(workload: Workload) -> str:
    """TOML text that `load_workload` reads back as the same workload, wherever it is saved.

    Settings at their defaults are left out; a Python file's path is made absolute, since the text may be saved
    anywhere.
    """
    document = tomlkit.document()
    document.add("name", tomlkit.item(workload.name))
    model = {"source": str(workload.model.__struct_config__.tag), **_model_fields(workload)}
    sections = {
        "model": model,
        "data": without_defaults(workload.data),
        "training": without_defaults(workload.training),
    }
    for title, fields in sections.items():
        table = tomlkit.table()
        for key, value in fields.items():
            table.add(key, tomlkit.item(_without_none(value)))
        document.add(title, table)
    return tomlkit.dumps(document)


def _model_fields(workload: Workload) -> dict[str, Any]:
    fields = {key: value for key, value in without_defaults(workload.model).items() if value not in ({}, None)}
    fields.pop("source", None)
    fields.pop("origin", None)
    if isinstance(workload.model, PythonModel):
        fields["file"] = str(file_of(workload.model, workload.source_folder))
    return fields


def _without_none(value: Any) -> Any:  # noqa: ANN401 - any plain value; TOML has no null
    if isinstance(value, dict):
        return {str(key): _without_none(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [_without_none(inner) for inner in value if inner is not None]
    return msgspec.to_builtins(value)
