"""Prints a summary on a terminal with rich; every foreign name is plain text, never markup."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

if TYPE_CHECKING:
    from advisor.present.summary import Summary, Table

_PLAIN_WIDTH = 160


def print_summary(summary: Summary, stream: IO[str]) -> None:
    """Print a summary; a pipe gets the same text without colours, in a width that wraps no table row."""
    console = console_for(stream)
    console.print(Text(summary.title, style="bold"))
    console.print()
    console.print(Text(summary.headline, style="bold green"), soft_wrap=True)
    width = max((Text(label).cell_len for label, _ in summary.figures), default=0)
    for label, text in summary.figures:
        padding = " " * (width - Text(label).cell_len)
        console.print(Text(f"  {label}{padding}  {text}"), soft_wrap=True)
    for section in summary.sections:
        console.print()
        console.print(Text(section.title, style="bold"))
        for line in section.sentences:
            console.print(Text(f"  • {line}"), soft_wrap=True)
    for table in summary.tables:
        console.print()
        print_table(table, console)


def print_table(table: Table, console: Console) -> None:
    """Print one table, numbers to the right."""
    shown = RichTable(title=Text(table.title), title_justify="left", box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(table.columns):
        shown.add_column(Text(column), justify="right" if index >= table.first_number_index else "left", no_wrap=True)
    for row in table.rows:
        shown.add_row(*(Text(cell) for cell in row))
    console.print(shown)


def console_for(stream: IO[str]) -> Console:
    """A console for a stream, as wide as the terminal, or wide enough for the tables in a pipe."""
    width = None if stream.isatty() else _PLAIN_WIDTH
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)
