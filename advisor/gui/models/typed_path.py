"""A path as a person types or pastes it, with what file managers and terminals copy along taken off."""

from __future__ import annotations

import contextlib
from pathlib import Path

from PySide6.QtCore import QUrl

_QUOTES = ('""', "''", "“”", "‘’", "``")


def typed_path(text: str) -> str:
    """The path that a text means: without quotes around it, of a `file:` address, with the user's folder for `~`.

    Anything else, such as a name on the hub, stays as it is but for the space around it; empty: nothing was typed.
    """
    plain = text.strip()
    if len(plain) > 1 and plain[0] + plain[-1] in _QUOTES:
        plain = plain[1:-1].strip()
    if plain.lower().startswith("file:"):
        plain = QUrl(plain).toLocalFile() or plain
    if plain.startswith("~"):
        with contextlib.suppress(RuntimeError):  # a user who is not here
            plain = str(Path(plain).expanduser())
    return plain
