"""Prints a summary on a terminal with rich; every foreign name is plain text, never markup."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from advisor.present.tables import Table

if TYPE_CHECKING:
    from advisor.present.summary import Section, Summary  # a list of names needs no table of predictions

_PLAIN_WIDTH = 160


def print_summary(summary: Summary, stream: IO[str]) -> None:
    """Print a summary; lines are broken at words on a terminal, and a pipe gets them whole and without colours."""
    console = console_for(stream)
    wide = None if not stream.isatty() else console.width
    console.print(Text(summary.title, style="bold"))
    console.print()
    console.print(Text(summary.headline, style="bold green"), soft_wrap=wide is None)
    width = max((Text(label).cell_len for label, _ in summary.figures), default=0)
    for label, text in summary.figures:
        padding = " " * (width - Text(label).cell_len)
        _print_hanging(console, f"  {label}{padding}  ", text, wide)
    place = len(summary.sections) if summary.table_place is None else summary.table_place
    for section in summary.sections[:place]:
        _print_section(console, section, wide)
    for table in summary.tables:
        console.print()
        print_table(table, console)
    for section in summary.sections[place:]:
        _print_section(console, section, wide)


def _print_section(console: Console, section: Section, wide: int | None) -> None:
    console.print()
    console.print(Text(section.title, style="bold"), soft_wrap=True)
    for line in section.sentences:
        _print_hanging(console, "  • ", line, wide)


def _print_hanging(console: Console, before: str, text: str, wide: int | None) -> None:
    """One entry; broken lines begin below its text."""
    if wide is None:
        console.print(Text(before + text), soft_wrap=True)
        return
    indent = Text(before).cell_len
    for number, line in enumerate(Text(text).wrap(console, max(20, wide - indent))):
        console.print(Text(before if number == 0 else " " * indent) + line, soft_wrap=True)


def print_table(table: Table, console: Console) -> None:
    """Print one table, numbers to the right; names go over two lines before anything is cut.

    The first column is whole wherever it is a key: a name that could be typed.
    """
    shown = RichTable(title=Text(table.title), title_justify="left", box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(table.columns):
        number = index >= table.first_number_index
        key = index == 0 and all(" " not in row[0] for row in table.rows)
        shown.add_column(Text(column), justify="right" if number else "left", no_wrap=number or key, overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(cell) for cell in row))
    console.print(shown)


def console_for(stream: IO[str]) -> Console:
    """A console for a stream, as wide as the terminal, or wide enough for the tables in a pipe."""
    width = None if stream.isatty() else _PLAIN_WIDTH
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)
