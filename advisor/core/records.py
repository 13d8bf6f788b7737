"""Base of every stored type."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_BUILDING = threading.Lock()
_BUILT: set[object] = set()


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every stored type: frozen, named fields, unknown fields refused with their path."""


def shared_fields(source: Record, kind: type[Record]) -> dict[str, Any]:
    """What `source` has of the fields of `kind`, by name: to make another record with the same ones."""
    return {name: getattr(source, name) for name in kind.__struct_fields__ if name in source.__struct_fields__}


def built(kind: T) -> T:
    """The type itself, ready to be decoded to in any thread.

    msgspec learns a type's fields when it first decodes to it; two threads that do so at once crash the interpreter.
    """
    with _BUILDING:
        if kind not in _BUILT:
            msgspec.json.Decoder(kind)
            _BUILT.add(kind)
    return kind
