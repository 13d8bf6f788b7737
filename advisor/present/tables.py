"""A small table as every way out shows it."""

from __future__ import annotations

from advisor.core.records import Record


class Table(Record, frozen=True, kw_only=True):
    """A small table; the columns from `first_number` on hold numbers and are set to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first_number_index: int
