"""Finds the data folders `resources` and `workloads`, in an installed wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def _data_folder(name: str) -> Path:
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def resource(name: str) -> Path:
    """Path of a file or folder in `resources/`; data is never found by import name."""
    return _data_folder("resources") / name


def workloads_folder() -> Path:
    """Folder of the bundled workloads: one TOML each, and a model file of the same stem where code is needed."""
    return _data_folder("workloads")
