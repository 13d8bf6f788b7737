"""Replays already made, by the fingerprint of what was replayed: no question is replayed twice.

A fingerprint holds the whole timeline, what surrounds it, the batch size and the text of the rules themselves, so that
another version of the program finds nothing. A caller may bring what earlier runs found, and take what is new.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_RULES = ("replay.py", "replayed_steps.py", "fragmentation.py", "caching_allocator.py", "varied_lengths.py")
_DIGEST_BYTES = 16

replays: dict[str, float] = {}
"""Bytes (or 1 and 0 for yes and no) by fingerprint, of this process and of what a caller brought."""


def fingerprint(*arrays: NDArray[np.generic]) -> bytes:
    """What a timeline is known by, under the rules of this version."""
    digest = hashlib.blake2b(_rules(), digest_size=_DIGEST_BYTES)
    for array in arrays:
        digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return digest.digest()


def remembered(timeline: bytes, question: tuple[object, ...], replay: Callable[[], float]) -> float:
    """The answer to a question on a timeline: the known one, else that of `replay`, which is then known."""
    key = hashlib.blake2b(timeline + repr(question).encode(), digest_size=_DIGEST_BYTES).hexdigest()
    if key not in replays:
        replays[key] = replay()
    return replays[key]


def _rules() -> bytes:
    folder = Path(__file__).parent
    try:
        return b"".join((folder / name).read_bytes() for name in _RULES)
    except OSError:  # a frozen program without sources: what it remembers lives no longer than it does
        return repr(id(replays)).encode()
