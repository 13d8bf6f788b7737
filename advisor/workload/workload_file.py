"""The four doors into one `Workload`: bundled name, TOML file, Hugging Face configuration, Python file, inline table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from advisor.bundled import workloads_folder
from advisor.errors import InputError
from advisor.input_file import closest, convert, read_toml_table, shown_value
from advisor.sentences import visible
from advisor.workload.workload import Workload


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

    Raises InputError that names file, field, what was given and what is allowed.
    """
    if isinstance(reference, dict):
        table, folder, name = reference, None, "workload"
    else:
        path = _path_of(str(reference))
        table, folder, name = read_toml_table(path), path.resolve().parent, visible(str(path))
    workload = convert({key: value for key, value in table.items() if key != "source_folder"}, Workload, name)
    return msgspec.structs.replace(workload, source_folder=None if folder is None else str(folder))


def _path_of(reference: str) -> Path:
    if reference in bundled_names():
        return workloads_folder() / f"{reference}.toml"
    path = Path(reference)
    if path.is_file():
        return path
    raise InputError(
        f"{shown_value(reference)} is no bundled workload and no file.",
        closest(reference, bundled_names()) or f"Bundled: {', '.join(bundled_names())}.",
    )
