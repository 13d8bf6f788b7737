"""A summary as plain text, for programs that print it themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.present.summary import Summary


def text_of(summary: Summary) -> str:
    """Headline, figures, sections and tables, one entry a line; the columns of a table are set with blanks."""
    lines = [summary.title, "", summary.headline]
    lines += [f"  {label}: {text}" for label, text in summary.figures]
    for section in summary.sections:
        lines += ["", section.title, *(f"  - {sentence}" for sentence in section.sentences)]
    for table in summary.tables:
        lines += ["", table.title, *aligned((table.columns, *table.rows), table.first_number_index)]
    return "\n".join(lines) + "\n"


def aligned(rows: Sequence[Sequence[str]], first_number_index: int) -> list[str]:
    """Rows as lines whose columns are set with blanks, numbers to the right; a row of one cell stands for itself."""
    full = [row for row in rows if len(row) > 1] or rows
    widths = [max(cell_len(row[place]) for row in full) for place in range(len(full[0]))]
    lines = []
    for row in rows:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=False)):
            blanks = " " * (width - cell_len(cell))
            cells.append(blanks + cell if place >= first_number_index else cell + blanks)
        lines.append("  ".join(cells).rstrip())
    return lines
