"""A private temporary folder that is gone when its user is: one left by a killed process is removed by the next."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from advisor.core.sentences import SaidOutputError

_LOCK = ".in-use"


@contextlib.contextmanager
def private_folder(purpose: str) -> Iterator[Path]:
    """A new folder that only its owner may enter, removed at the end; raises OutputError where none can be made.

    Folders of the same purpose whose process was killed are removed first: their lock is free.
    """
    try:
        _remove_abandoned(purpose)
        folder = tempfile.mkdtemp(prefix=f"advisor-{purpose}-")
    except OSError as error:
        raise SaidOutputError.of("command-no-temporary", detail=error.strerror or str(error)) from error
    lock = _locked(Path(folder))
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """The lock that says that this folder is in use: the kernel frees it whatever ends the process."""
    if sys.platform == "win32":
        return None
    import fcntl

    with contextlib.suppress(OSError):
        # Close-on-exec, as all of Python's: a child that outlives this process does not keep the folder.
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor
    return None


def _remove_abandoned(purpose: str) -> None:
    """Remove own folders of this purpose whose lock is free; one without a lock yet is left alone."""
    if sys.platform == "win32":
        return
    import fcntl

    for folder in Path(tempfile.gettempdir()).glob(f"advisor-{purpose}-*"):
        with contextlib.suppress(OSError):
            stat_result = folder.lstat()
            if not stat.S_ISDIR(stat_result.st_mode) or stat_result.st_uid != os.getuid():
                continue
            descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)
