"""Replays of earlier runs, kept beside the history: the same model is answered sooner the next time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from advisor.core.errors import OutputError
from advisor.core.file_writing import write_atomically
from advisor.cost.memory.remembered import replays

FILE_NAME = "replays.json"
_MOST_ENTRIES = 8192
_MOST_BYTES = 1 << 20


@contextmanager
def kept_replays(folder: str | None) -> Iterator[None]:
    """Bring what earlier runs replayed, and keep what this one adds; without a folder, or one that fails, nothing."""
    if folder is None:
        yield
        return
    path = Path(folder) / FILE_NAME
    replays.update(_read(path))
    before = len(replays)
    try:
        yield
    finally:
        if len(replays) > before:
            _write(path)


def _read(path: Path) -> dict[str, float]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        return msgspec.json.decode(path.read_bytes(), type=dict[str, float])
    except (OSError, ValueError, msgspec.MsgspecError):
        return {}


def _write(path: Path) -> None:
    newest = dict(list(replays.items())[-_MOST_ENTRIES:])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.encode(newest))
    except (OSError, OutputError):  # it costs only the next run's time
        return
