"""What a user's file opens by a relative path is found where it lies: in this folder, or else around the file itself.

Scripts are run from the folder of their repository, and its paths (`configs/x.yaml`) start there; whoever asks for
advice may stand elsewhere, and a window has no folder at all.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from advisor.core.file_fault import words_of
from advisor.core.sentences import Reason
from advisor.worker.causes import causes
from advisor.workload.python_home import folders_around

_Result = TypeVar("_Result")
_QUOTED = re.compile(r"""(['"])([^'"]+)\1""")
"""How errors name a file that they have in no field, as those of transformers' own loaders."""
_MOST_MOVES = 2
"""The folder of the file and that of its repository."""


class WorkingFolder:
    """Runs the code of one file; where that lacks a file by a relative path, again in the folder that holds it."""

    def __init__(self, path: Path) -> None:
        """Code of `path` starts where this process was started: one process builds several models."""
        self.path = path
        self.moves: dict[str, Path] = {}
        """What lies in which other folder, in which the code has then been run."""
        if _STARTED_IN is not None:
            os.chdir(_STARTED_IN)

    def run(self, call: Callable[[], _Result]) -> _Result:
        """What `call` returns; whatever it raises, where no folder around the file holds what it lacks."""
        for _ in range(_MOST_MOVES):
            try:
                return call()
            except Exception as error:
                found = self._found(error)
                if found is None:
                    raise
                name, self.moves[name] = found
                os.chdir(self.moves[name])
                importlib.invalidate_caches()  # it is kept that `src` is not there
        return call()

    def notes(self) -> tuple[Reason, ...]:
        """What was found elsewhere, each time with its folder."""
        return tuple(
            Reason.of("workload-reads-elsewhere", file=self.path.name, name=name, folder=str(folder))
            for name, folder in self.moves.items()
        )

    def _found(self, error: BaseException) -> tuple[str, Path] | None:
        names = [name for name in _lacking(error) if name not in self.moves and not os.path.lexists(name)]
        around = ((name, folder) for name in names for folder in folders_around(self.path))
        return next(((name, folder) for name, folder in around if _is_there(folder / name)), None)


def opened_in_vain(error: BaseException) -> str | None:
    """The path that was opened and is not there; None for other errors."""
    missing = (cause.filename for cause in causes(error) if isinstance(cause, FileNotFoundError))
    return next((name for name in missing if isinstance(name, str)), None)


def _lacking(error: BaseException) -> Iterator[str]:
    """The relative paths that an error may be about, or what it was raised from."""
    for cause in causes(error):
        if isinstance(cause, ModuleNotFoundError):  # a file may add `src` to where Python looks, from where it is run
            first = (cause.name or "").partition(".")[0]
            added = [entry for entry in sys.path if entry and not Path(entry).is_absolute()]
            yield from (str(Path(entry, name)) for entry in added for name in (f"{first}.py", first))
        elif isinstance(cause, OSError) or type(cause).__module__.startswith("huggingface_hub"):
            names = [getattr(cause, "filename", None), *(match.group(2) for match in _QUOTED.finditer(words_of(cause)))]
            yield from (name for name in names if isinstance(name, str) and name.strip("./") and not _is_absolute(name))


def _is_absolute(name: str) -> bool:
    return Path(name).is_absolute() or "://" in name


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file system takes
        return False


def _started_in() -> str | None:
    with suppress(OSError):  # a folder that was removed while its shell stood in it
        return os.getcwd()  # noqa: PTH109 - as chdir takes it
    return None


_STARTED_IN = _started_in()
