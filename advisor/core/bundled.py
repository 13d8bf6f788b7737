"""Finds the data folders `resources` and `workloads`, in an installed wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from advisor.core.errors import InputError
from advisor.core.records import built

T = TypeVar("T")
_PACKAGE = Path(__file__).parents[1]


def _data_folder(name: str) -> Path:
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def resource(name: str) -> Path:
    """Path of a file or folder in `resources/`; data is never found by import name."""
    return _data_folder("resources") / name


def document(name: str) -> Path:
    """Path of a page of `docs/`: in a wheel those that the window shows lie with its other data."""
    installed = resource("documents") / name
    return installed if installed.is_file() else _PACKAGE.parent / "docs" / name


def read_figures(path: Path, type_: type[T], written_by: str) -> T:
    """A file of the program's own figures. Raises InputError where it is missing or not of this format.

    `written_by` is the tool of the program's source that makes the file.
    """
    remedy = f"Install the program anew, or run `python {written_by}`."
    try:
        return msgspec.toml.decode(path.read_bytes(), type=built(type_))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", remedy) from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise InputError(f"{path} does not hold the figures that it should: {error}.", remedy) from error


def workloads_folder() -> Path:
    """Folder of the bundled workloads: one TOML each, and a model file of the same stem where code is needed."""
    return _data_folder("workloads")
