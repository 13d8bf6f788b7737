"""The closing comment of a text that this program wrote: its digest shows whether a person changed it since."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

_WORDS = "written by advisor; digest of what stands above:"
_COMMENTS = {"markdown": ("<!-- ", " -->"), "script": ("# ", "")}
_MARK = re.compile(rb"(?:<!--|#) " + re.escape(_WORDS.encode()) + rb" ([0-9a-f]{64})(?: -->)?")


def marked(text: str, kind: Literal["markdown", "script"]) -> bytes:
    """The text as a file of its kind that closes with the mark."""
    before, after = _COMMENTS[kind]
    whole = text if text.endswith("\n") else text + "\n"
    return f"{whole}{before}{_WORDS} {_digest(whole.encode())}{after}\n".encode()


def is_unchanged(content: bytes) -> bool:
    """Whether a file closes with the mark and is what was written then."""
    above, _, last = content.rstrip(b"\n").rpartition(b"\n")
    match = _MARK.fullmatch(last)
    return match is not None and match.group(1).decode() == _digest(above + b"\n")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
