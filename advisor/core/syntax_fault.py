"""Where a foreign text stops being JSON or TOML, and what stands there: what decoders say of it is in English alone."""

from __future__ import annotations

import json
import re
import tomllib

import msgspec

from advisor.core.file_fault import file_fault, shown_value
from advisor.core.foreign_text import spelled
from advisor.core.sentences import SaidError

_SHOWN_CHARACTERS = 24
_BYTE = re.compile(r"\(byte (\d+)\)$")
_LINE_AND_COLUMN = re.compile(r"\(at line (\d+), column (\d+)\)$")
_BACKSLASH, _AGAIN = "Unescaped '\\'", "Cannot "
"""How tomllib begins what it says of a single backslash and of a name that has a value: their places tell neither."""


def json_fault(error: json.JSONDecodeError, name: str) -> SaidError:
    """What is wrong with a text that the standard decoder refuses."""
    return _fault("no-json", error.doc, error.pos, name)


def advice_json_fault(error: msgspec.DecodeError, text: str, name: str) -> SaidError:
    """What is wrong with the text of a saved advice that msgspec refuses; without a place of its own it is cut."""
    at = _BYTE.search(str(error))
    before = text.encode()[: int(at[1])].decode("utf-8", "replace") if at else text
    return _fault("no-advice-json", text, len(before), name)


def toml_fault(error: tomllib.TOMLDecodeError, text: str, name: str) -> SaidError:
    """What is wrong with a text that tomllib refuses."""
    found = _LINE_AND_COLUMN.search(str(error))
    lines = text.split("\n")
    line, column = (int(found[1]), int(found[2])) if found else (len(lines), len(lines[-1]) + 1)
    if str(error).startswith(_BACKSLASH):
        return file_fault("toml-backslash", path=name, line=str(line))
    if str(error).startswith(_AGAIN):
        return file_fault("toml-again", path=name, line=str(line))
    return _fault("no-toml", text, sum(len(before) + 1 for before in lines[: line - 1]) + column - 1, name)


def _fault(what: str, text: str, at: int, name: str) -> SaidError:
    if not text[at:].strip():
        return file_fault(f"{what}-cut", path=name, line=str(text.rstrip().count("\n") + 1))
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    stands = text[at:].partition("\n")[0].strip()
    shown = shown_value(spelled(stands[:_SHOWN_CHARACTERS])) if stands else "line-end"
    return file_fault(what, path=name, line=str(line), column=str(column), found=shown)
