"""Operator tables of earlier runs, kept beside the history: what was traced once is answered at once the next time.

A table is found again only where nothing that could change it has changed: the workload, the program, the Python and
every package installed beside it. A model in a Python file is never kept: nobody knows what its code reads.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

import advisor
from advisor.catalogue.precisions import TracePrecision
from advisor.core.bundled import resource
from advisor.core.errors import OutputError
from advisor.core.file_writing import write_atomically
from advisor.optable.op_table import OpTable
from advisor.workload.workload import PythonModel, Workload, traced_as

FOLDER_NAME = "traces"
_MOST_TABLES = 300
"""Some 30 models as an advice looks at them, in about 15 MiB."""
_MOST_BYTES = 64 << 20
"""A table that a trace makes takes a fiftieth of it."""
_ASSUMED = ("data.sequence_length", "data.image_size")
"""What a trace takes from the model where the description left it out."""
_DIGEST_BYTES = 16
_ROOMS = ("core", "catalogue", "workload", "optable", "protocol", "worker")
"""What makes a table."""


class KeptTables:
    """The tables in a folder; one that cannot be read or written costs only the time of a trace."""

    def __init__(self, folder: Path) -> None:
        """The program's data folder; nothing is made in it before there is something to keep."""
        self._folder = folder / FOLDER_NAME

    def find(self, workload: Workload, precision: TracePrecision) -> OpTable | None:
        """The table of such a trace, where one was kept."""
        if isinstance(workload.model, PythonModel):
            return None
        path = self._path(workload, precision)
        try:
            with gzip.open(path) as stream:
                table = msgspec.json.decode(stream.read(_MOST_BYTES), type=OpTable)
        except (OSError, EOFError, ValueError, zlib.error, msgspec.MsgspecError):
            return None
        with suppress(OSError):
            os.utime(path)  # the tables used longest ago are the first to go
        return table

    def keep(self, workload: Workload, table: OpTable) -> None:
        """Keep what was traced, and leave out what was not asked for in a long time."""
        if isinstance(workload.model, PythonModel):
            return
        with suppress(OSError, OutputError):
            self._folder.mkdir(parents=True, exist_ok=True)
            content = gzip.compress(msgspec.json.encode(table), compresslevel=3)
            write_atomically(self._path(workload, table.precision), content)
            newest = sorted(self._folder.glob("*.gz"), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in newest[_MOST_TABLES:]:
                path.unlink(missing_ok=True)

    def _path(self, workload: Workload, precision: TracePrecision) -> Path:
        assumed = [field for field in _ASSUMED if field in workload.assumed]
        digest = hashlib.blake2b(_surroundings(), digest_size=_DIGEST_BYTES)
        digest.update(msgspec.json.encode((traced_as(workload).decode(), assumed, precision)))
        return self._folder / f"{digest.hexdigest()}.json.gz"


def kept_tables(folder: str | None) -> KeptTables | None:
    """Those of a data folder; without one, none are kept."""
    return None if folder is None else KeptTables(Path(folder))


@functools.cache
def _surroundings() -> bytes:
    """What a trace depends on besides its workload: this program, this Python, and all packages, by their versions."""
    digest = hashlib.blake2b(f"{advisor.__version__} {sys.version}".encode(), digest_size=_DIGEST_BYTES)
    for fact in (*_sources(), *sorted(_packages())):
        digest.update(fact.encode(errors="surrogateescape") + b"\n")
    return digest.digest()


def _sources() -> Iterator[str]:
    """The files that make a table, each with its size and time; of a frozen program, the program itself."""
    package = Path(advisor.__file__).parent
    modules = sorted(path for room in _ROOMS for path in (package / room).rglob("*.py"))
    for path in (Path(sys.executable), resource("operators.toml"), *modules):
        with suppress(OSError):
            seen = path.stat()
            yield f"{path} {seen.st_size} {seen.st_mtime_ns}"


def _packages() -> Iterator[str]:
    """What is installed where Python looks, as the folders of its metadata are named: with their versions."""
    for folder in sys.path:
        with suppress(OSError):
            yield from (entry.name for entry in os.scandir(folder or ".") if entry.name.endswith(".dist-info"))
