"""Reads one line of a child, which may be torn by its death or written by somebody else."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decoded(decoder: msgspec.json.Decoder[T], line: bytes) -> T | None:
    """The message of a line; None where it holds none that `decoder` knows."""
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
