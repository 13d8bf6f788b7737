"""What lies beside a user's file is found before what is installed, as Python finds it for a script that is run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType


class _Beside(MetaPathFinder):
    """Finds modules and packages of some folders by their first name.

    Repositories keep a `datasets`, a `utils` or an `evaluate` of their own, and packages of these names are installed
    too. Python's library stays as it is, since this process goes on importing from it. A folder of no modules, such as
    one of pictures, is left to the ordinary way: there an installed package comes first too.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = folders

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module beside the file; None: it is looked for elsewhere."""
        if path is not None or fullname in sys.stdlib_module_names:
            return None
        found = PathFinder.find_spec(fullname, self.folders, target)
        return found if found is not None and found.loader is not None else None


def look_beside(folders: Iterable[Path]) -> None:
    """Let imports find what these folders hold, for the rest of this process."""
    known = {folder for finder in sys.meta_path if isinstance(finder, _Beside) for folder in finder.folders}
    added = [folder for folder in map(str, folders) if folder not in known]
    if added:
        sys.meta_path.insert(0, _Beside(added))
    sys.path.extend(folder for folder in added if folder not in sys.path)  # where folders without modules are found
