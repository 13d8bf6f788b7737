"""Base of every stored type."""

from __future__ import annotations

from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every stored type: frozen, named fields, unknown fields refused with their path."""


def shared_fields(source: Record, kind: type[Record]) -> dict[str, Any]:
    """The fields of `kind` as `source` has them, which has them all: to make another record with the same ones."""
    return {name: getattr(source, name) for name in kind.__struct_fields__}
