"""Where a user's Python file finds what lies beside it: its own folder, and the package that it is part of."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

_MOST_FOLDERS = 16
"""Folders above a file that are looked into."""


class Home(NamedTuple):
    """How a file is imported."""

    package: str
    """Its package, such as `net.layers`, where it imports from there by dots; else empty."""
    folders: tuple[Path, ...]
    """Where it looks for modules, before what is installed."""

    def name_of(self, module: str) -> str:
        """What a module of the file is called: its dots then lead to its package."""
        return ".".join(filter(None, (self.package, module)))


def home_of(path: Path, content: bytes) -> Home:
    """The file's folder, and the one that holds its package: by `__init__.py`, or by the dots of its own imports."""
    levels = _dots(content)
    names: list[str] = []
    folder = path.parent
    while folder.name.isidentifier() and ((folder / "__init__.py").is_file() or len(names) < levels):
        names.insert(0, folder.name)
        folder = folder.parent
    package = ".".join(names) if levels else ""
    return Home(package, (path.parent, folder) if names else (path.parent,))


def folder_that_has(module: str, path: Path) -> Path | None:
    """The folder above a file where a module lies that Python does not find; None: there is none."""
    first = module.partition(".")[0]
    for folder in path.parents[1 : 1 + _MOST_FOLDERS]:
        if (folder / f"{first}.py").is_file() or any((folder / first).glob("*.py")):
            return folder
    return None


def folders_around(path: Path) -> tuple[Path, ...]:
    """The file's folder and those above it, up to the one that holds its repository; all in no repository's."""
    folders = path.parents[: 1 + _MOST_FOLDERS]
    root = next((place for place, folder in enumerate(folders) if (folder / ".git").exists()), len(folders))
    return tuple(folders[: root + 1])


def _dots(content: bytes) -> int:
    """How many packages up the file's imports reach at most: 1 for `from .layers import Block`."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # told when the file is run
        return 0
    return max((node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)), default=0)
