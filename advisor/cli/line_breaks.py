"""Where a line may be broken: at spaces, and between Chinese characters, which have none."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

_NEVER_FIRST = "，。：；！？、）》”’」…"
_NEVER_LAST = "（《“‘「"
_WIDE = 2


def broken_lines(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells, without the spaces at their ends; one line at least.

    A Chinese sentence is filled up to the margin as an English one is: broken between characters, but never before
    what closes or after what opens. What is longer than a line by itself is cut.
    """
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
        while cell_len(lines[-1].rstrip()) > width:
            head = set_cell_size(lines[-1], width).rstrip()
            lines[-1:] = [head, lines[-1][len(head) :]]
    return [line.rstrip() for line in lines]


def longest_piece(text: str) -> int:
    """Cells of the longest part of a text that has no break inside."""
    return max((cell_len(piece.rstrip()) for piece in _pieces(text)), default=0)


def _pieces(text: str) -> Iterator[str]:
    begin = 0
    for place in range(1, len(text)):
        if _breaks(text[place - 1], text[place]):
            yield text[begin:place]
            begin = place
    if text:
        yield text[begin:]


def _breaks(before: str, after: str) -> bool:
    if before == " ":
        return after != " "
    if after == " " or after in _NEVER_FIRST or before in _NEVER_LAST:
        return False
    return _WIDE in {cell_len(before), cell_len(after)}
