"""A small table as every way out shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.core.records import Record
from advisor.core.sentences import Language, sentence


class Table(Record, frozen=True, kw_only=True):
    """A small table; the columns from `first_number_index` on hold numbers and are set to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first_number_index: int
    strong_index: int | None = None
    """The row that is set in bold."""


def table_of(
    title: str, names: Sequence[str], rows: Iterable[tuple[str, ...]], language: Language, *, first_number: str
) -> Table:
    """A table whose columns are told by the names of their titles; `first_number` is one of them."""
    return Table(
        title=title,
        columns=tuple(sentence(f"column-{name}", language) for name in names),
        rows=tuple(rows),
        first_number_index=names.index(first_number),
    )
