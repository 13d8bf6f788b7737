"""Prints a summary on a terminal with rich; every foreign name is plain text, never markup."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from advisor.cli.line_breaks import broken_lines, longest_piece
from advisor.present.tables import Table

if TYPE_CHECKING:
    from advisor.present.summary import Section, Summary  # a list of names needs no table of predictions

_PLAIN_WIDTH = 160
_GAP = "  "
_SPACES_OF_A_RANGE = 4
"""`236 ms – 341 ms`, `8.18 GiB of 75.0 GiB`: what has more is a sentence, which may go over several lines."""


def print_summary(summary: Summary, stream: IO[str]) -> None:
    """Print a summary; lines are broken at words on a terminal, and a pipe gets them whole and without colours."""
    console = console_for(stream)
    wide = None if not stream.isatty() else console.width
    console.print(Text(summary.title, style="bold"))
    console.print()
    for line in [summary.headline] if wide is None else broken_lines(summary.headline, wide):
        console.print(Text(line, style="bold green"), soft_wrap=True)
    width = max((cell_len(label) for label, _ in summary.figures), default=0)
    for label, text in summary.figures:
        padding = " " * (width - cell_len(label))
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
    indent = cell_len(before)
    for number, line in enumerate(broken_lines(text, max(20, wide - indent))):
        console.print(Text((before if number == 0 else " " * indent) + line), soft_wrap=True)


def print_table(table: Table, console: Console) -> None:
    """Print one table, numbers to the right; nothing is cut, and no word is broken.

    Where it is wider than the console, names go over several lines; where that is not enough, each row's numbers stand
    below its names. The first column is whole wherever it is a key: a name that could be typed.
    """
    widths = _widths(table, range(len(table.columns)), console.width)
    if widths is None:
        _print_in_two_lines(table, console)
        return
    shown = RichTable(title=Text(table.title), title_justify="left", box=None, pad_edge=False, header_style="bold")
    for index, (column, width) in enumerate(zip(table.columns, widths, strict=True)):
        number = index >= table.first_number_index
        shown.add_column(Text(column), justify="right" if number else "left", width=width, overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text("\n".join(broken_lines(cell, width))) for cell, width in zip(row, widths, strict=True)))
    console.print(shown)


def _widths(table: Table, places: range, width: int) -> list[int] | None:
    """Cells of each of these columns, the widest ones narrowed to fit `width`; None where words would be broken."""
    columns = [[table.columns[place], *(row[place] for row in table.rows)] for place in places]
    whole = [max(map(cell_len, cells)) for cells in columns]
    least = [
        max(map(longest_piece, cells)) if _may_break(table, place, cells) else natural
        for place, cells, natural in zip(places, columns, whole, strict=True)
    ]
    for _ in range(sum(whole) + len(_GAP) * (len(whole) - 1) - width):
        loose = [index for index in range(len(whole)) if whole[index] > least[index]]
        if not loose:
            return None
        whole[max(loose, key=lambda index: whole[index])] -= 1
    return whole


def _may_break(table: Table, place: int, cells: list[str]) -> bool:
    if place >= table.first_number_index:
        return any(cell.count(" ") > _SPACES_OF_A_RANGE for cell in cells)
    return place > 0 or any(" " in row[0] for row in table.rows)


def _print_in_two_lines(table: Table, console: Console) -> None:
    """Each row's names, and its numbers below them."""
    first, indent = table.first_number_index, _GAP
    numbers = range(first, len(table.columns))
    widths = _widths(table, numbers, console.width - len(indent))
    for line in broken_lines(table.title, console.width):
        console.print(Text(line), soft_wrap=True)
    for row, style in [(table.columns, "bold"), *((row, "") for row in table.rows)]:
        for line in broken_lines(_GAP.join(row[:first]), console.width):
            console.print(Text(line, style=style), soft_wrap=True)
        if widths is None:
            text = ", ".join(f"{table.columns[place]} {row[place]}" for place in numbers)
            _print_hanging(console, indent, "" if row is table.columns else text, console.width)
            continue
        cells = [broken_lines(row[place], width) for place, width in zip(numbers, widths, strict=True)]
        for number in range(max(map(len, cells))):
            parts = [(lines[number] if number < len(lines) else "") for lines in cells]
            set_right = [" " * (width - cell_len(part)) + part for part, width in zip(parts, widths, strict=True)]
            console.print(Text((indent + _GAP.join(set_right)).rstrip(), style=style), soft_wrap=True)


def console_for(stream: IO[str]) -> Console:
    """A console for a stream, as wide as the terminal, or wide enough for the tables in a pipe."""
    width = None if stream.isatty() else _PLAIN_WIDTH
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)
