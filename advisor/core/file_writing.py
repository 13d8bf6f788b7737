"""Writes a file so that the old one stays whole until the new one is: the one way this program writes."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from advisor.core.sentences import Said, SaidOutputError


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` by way of a temporary file beside it, synced before it takes the name.

    A symbolic link is followed to the file it names, so that the link itself survives. Raises OutputError
    (exit code 5) with the system's reason; no temporary file is left and an old file is untouched then.
    """
    target = Path(os.path.realpath(path))  # unlike Path.resolve, it takes a link that leads to itself
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode_for(target))  # noqa: PTH101 - mkstemp gave a string
        os.replace(temporary, target)  # noqa: PTH105 - the same
        temporary = None
        _sync_folder(target.parent)
    except OSError as error:
        detail = Said(text=error.strerror or str(error))
        raise SaidOutputError.of("command-not-written", given=str(path), detail=detail) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108 - the same


def _mode_for(target: Path) -> int:
    """The old file's permissions, or what the umask gives a new one (mkstemp's 0600 would surprise)."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable; not every system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
