"""A summary as plain text, for programs that print it themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.present.summary import Summary
    from advisor.present.tables import Table


def text_of(summary: Summary) -> str:
    """Headline, figures, sections and tables, one entry a line; the columns of a table are set with blanks."""
    lines = [summary.title, "", summary.headline]
    lines += [f"  {label}: {text}" for label, text in summary.figures]
    for section in summary.sections:
        lines += ["", section.title, *(f"  - {sentence}" for sentence in section.sentences)]
    for table in summary.tables:
        lines += ["", table.title, *_rows(table)]
    return "\n".join(lines) + "\n"


def _rows(table: Table) -> list[str]:
    rows = (table.columns, *table.rows)
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    first = table.first_number_index
    return [
        "  ".join(
            cell.rjust(width) if place >= first else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
