"""The cards that can be compared with: the whole spec table, and the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.core.errors import UserFacingError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class GpuOffer:
    """A card of the table or of the user's file."""

    key: str
    name: str
    memory_bytes: float | None
    own: bool = False


@dataclass(frozen=True, kw_only=True)
class Offers:
    """All cards by key, and the keys that are compared where nobody chose."""

    cards: dict[str, GpuOffer]
    usual: tuple[str, ...]
    trouble: UserFacingError | None = None
    """Why the user's own file could not be read."""


def read_offers(own_file: Path | None) -> Offers:
    """Read the table and the user's file; takes a quarter of a second, so not in the window's thread."""
    from advisor.catalogue.spec_table import read_gpu_file, spec_table
    from advisor.recommend.candidates import DEFAULT_GPU_KEYS

    table, trouble = spec_table(), None
    own = {}
    if own_file is not None:
        try:
            own = read_gpu_file(own_file)
        except UserFacingError as error:
            trouble = error
    cards = {
        spec.key: GpuOffer(key=spec.key, name=spec.name, memory_bytes=spec.memory_bytes, own=spec.key in own)
        for spec in (*own.values(), *table.values())
    }
    return Offers(cards=cards, usual=tuple(key for key in DEFAULT_GPU_KEYS if key in table), trouble=trouble)
