"""Text of others, made safe for where it is shown: control characters for a terminal, formulas for a spreadsheet."""

from __future__ import annotations

import unicodedata

_DIRECTION_CONTROLS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")


def visible(text: str) -> str:
    """A foreign name for showing: verbatim, but control and direction characters as visible escapes."""
    if text.isprintable():
        return text
    return "".join(_escaped(character) if _is_control(character) else character for character in text)


def spelled(text: str) -> str:
    """A piece of a foreign text that is wrong, with everything that shows as nothing as a visible escape."""
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def encodable(text: str) -> str:
    """A foreign text with halves of characters, as in file names of other encodings, as visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def spreadsheet_cell(text: str) -> str:
    """A text for a CSV cell: a number as it stands, and nothing that a spreadsheet would compute."""
    shown = visible(text)
    if not shown.lstrip().startswith(_FORMULA_BEGINS) or _is_number(shown):
        return shown
    return f"'{shown}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs"} or character in _DIRECTION_CONTROLS


def _escaped(character: str) -> str:
    return f"\\u{ord(character):04x}"
