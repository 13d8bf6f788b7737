"""Base of every stored type."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every stored type: frozen, named fields, unknown fields refused with their path."""
