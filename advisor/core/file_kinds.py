"""What a file seems to be, by how it begins: said where it was given as something else, whatever else is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from advisor.core.errors import UserFacingError
from advisor.core.file_fault import file_fault
from advisor.core.foreign_text import visible

FileKind = Literal["advice", "config", "adapter", "workload", "prices", "gpus", "claims", "runs", "python", "log"]

_LOOKED_AT = 65536
"""Bytes: a file that was cut short begins as the whole one did."""
_JSON_KEYS = re.compile(r'"(\w{1,60})"\s{0,9}:')
_TOML_NAMES = re.compile(r"^\s{0,9}\[{0,2}\s{0,9}(\w{1,60})[\w.\-]{0,60}\s{0,9}(?:\]|=)", re.MULTILINE)
_OF_JSON: tuple[tuple[FileKind, frozenset[str]], ...] = (
    ("advice", frozenset({"schema_version", "advisor_version"})),
    ("adapter", frozenset({"peft_type"})),
    ("config", frozenset({"model_type"})),
    ("config", frozenset({"architectures"})),
)
"""Keys that a file of a kind holds together."""
_OF_TOML: tuple[tuple[FileKind, frozenset[str]], ...] = (
    ("claims", frozenset({"claim"})),  # whose entries name a GPU
    ("gpus", frozenset({"gpu"})),
    ("workload", frozenset({"model", "data", "training"})),
    ("prices", frozenset({"devices", "currency", "electricity_per_kwh"})),
)
"""Names of which a file of a kind holds one at least."""


def kind_of(path: Path) -> FileKind | None:
    """What the file seems to be; None where it cannot be read or begins like nothing that is known."""
    try:
        with path.open("rb") as stream:
            begins = stream.read(_LOOKED_AT)
    except (OSError, ValueError):
        return None
    text = begins.decode("utf-16" if begins[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig", "ignore").lstrip()
    if path.suffix == ".py":
        return "python"
    if text.startswith("{"):
        keys = {*_JSON_KEYS.findall(text)}
        return next((kind for kind, wanted in _OF_JSON if wanted <= keys), None)
    if path.suffix == ".toml":
        names = {*_TOML_NAMES.findall(text)}
        return next((kind for kind, wanted in _OF_TOML if wanted & names), None)
    return "runs" if "gpu_key" in text.partition("\n")[0].split(",") else None


@contextmanager
def given_as(kind: FileKind, path: Path) -> Iterator[None]:
    """What is refused in here says what the file seems to be where that is another kind: no field of it is at fault."""
    try:
        yield
    except UserFacingError as error:
        seems = kind_of(path)
        if seems in {None, kind}:
            raise
        raise file_fault(f"is-{seems}", path=visible(str(path))) from error
