"""Reads foreign TOML and JSON into typed records: capped, never slow, and each refusal names file, field and remedy."""

from __future__ import annotations

import codecs
import contextlib
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from advisor.core.field_fault import field_fault
from advisor.core.file_fault import file_fault, remedy, shortened
from advisor.core.records import built
from advisor.core.sentences import SaidError, visible
from advisor.core.syntax_fault import json_fault, toml_fault

T = TypeVar("T")

DEFAULT_MAX_BYTES = 65536
MAX_DOTS_IN_LINE = 32
MAX_DEPTH = 32
MAX_DIGITS = 400
"""A float's own text can hold 309 digits before its point; a longer run is an attack, not a figure."""
_FAULT_CHARACTERS = 200
_LARGEST_INTEGER = 2**63 - 1


def read_text(path: Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """The UTF-8 text of a regular file of at most `max_bytes`; raises InputError for anything else."""
    return decode_text(_bytes_of(path, max_bytes), visible(str(path)))


def read_foreign_text(path: Path, *, max_bytes: int = DEFAULT_MAX_BYTES, whole: bool = True) -> str:
    """The text of a file that a console or a spreadsheet wrote in an encoding of its own; else as `read_text`.

    PowerShell writes UTF-16 behind its mark, Chinese Windows what GB 18030 reads. `whole`: a byte that is in no such
    text is refused, as in a table; else it is read as an unknown character, as a log cut within one has it.
    """
    raw = _bytes_of(path, max_bytes)
    marked = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "gb18030"):
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(encoding)
    return decode_text(raw, visible(str(path))) if whole else raw.decode("utf-16" if marked else "utf-8", "replace")


def _bytes_of(path: Path, max_bytes: int) -> bytes:
    shown = visible(str(path))
    try:
        if not path.exists():
            raise file_fault("missing", path=shown)
        if not path.is_file():
            raise file_fault("no-regular", path=shown)
        with path.open("rb") as stream:
            raw = stream.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise file_fault("unreadable", path=shown, detail=visible(reason)) from error
    if len(raw) > max_bytes:
        raise file_fault("too-large", path=shown, limit=str(max_bytes))
    return raw


def decode_text(raw: bytes, name: str) -> str:
    """Bytes as UTF-8 text; raises InputError with the place of the first byte that is none."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise file_fault("no-text", path=name, place=str(error.start)) from error


def read_toml(path: Path, type_: type[T], *, max_bytes: int = DEFAULT_MAX_BYTES) -> T:
    """A TOML file as `type_`; raises InputError that names file, field, what was given and what is allowed."""
    return convert(read_toml_table(path, max_bytes=max_bytes), type_, visible(str(path)))


def read_toml_table(path: Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> dict[str, Any]:
    """A TOML file as plain values, checked for size, dots, depth, numbers and text."""
    return parse_toml(read_text(path, max_bytes=max_bytes), visible(str(path)), max_bytes=max_bytes)


def parse_toml(text: str, name: str, *, max_bytes: int = DEFAULT_MAX_BYTES) -> dict[str, Any]:
    """TOML text as plain values; the caps hold before the parser sees it (dotted keys cost it quadratic time)."""
    _check_before_parsing(text, name, max_bytes)
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MAX_DOTS_IN_LINE:
            raise file_fault("dots", path=name, line=str(number), limit=str(MAX_DOTS_IN_LINE))
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise toml_fault(error, text, name) from error
    except (ValueError, OverflowError) as error:
        raise file_fault(
            "told", remedy("correct"), path=name, detail=shortened(str(error), _FAULT_CHARACTERS)
        ) from error
    except RecursionError as error:
        raise _too_deep(name) from error
    check_values(table, name)
    return table


def parse_json(text: str, name: str, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Any:  # noqa: ANN401 - may be anything
    """JSON text as plain values, under the same caps."""
    _check_before_parsing(text, name, max_bytes)

    def refuse(word: str) -> float:
        raise file_fault("no-number", remedy("real-figure"), path=name, given=word)

    try:
        value = json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise json_fault(error, name) from error
    except RecursionError as error:
        raise _too_deep(name) from error
    check_values(value, name)
    return value


def convert(value: object, type_: type[T], name: str) -> T:
    """Plain values as `type_`; raises InputError: `name`, the field's path, what was given, what is allowed."""
    check_values(value, name)
    try:
        return msgspec.convert(value, built(type_))
    except msgspec.ValidationError as error:
        raise field_fault(str(error), value, type_, name) from error
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise file_fault("told", remedy("correct"), path=name, detail=shortened(str(error))) from error


def _too_deep(name: str) -> SaidError:
    return file_fault("too-deep", path=name, limit=str(MAX_DEPTH))


_DIGIT_RUN = re.compile(rf"[0-9_]{{{MAX_DIGITS},}}")


def _check_before_parsing(text: str, name: str, max_bytes: int) -> None:
    if len(text) > max_bytes:
        raise file_fault("text-too-long", path=name, limit=str(max_bytes))
    if _DIGIT_RUN.search(text):
        raise file_fault("digits", remedy("real-figure"), path=name, limit=str(MAX_DIGITS))


_PLAIN = (str, int, float, bool, dict, list, tuple, type(None))


def check_values(value: object, name: str) -> None:
    """Refuse what no description holds: depth over 32, non-finite or huge numbers, text that is no Unicode."""
    for path, item, depth in _walk(value):
        if depth > MAX_DEPTH:
            raise _too_deep(name)
        if isinstance(item, float) and not math.isfinite(item):
            raise file_fault("not-finite", path=name, field=_path_text(path), given=str(item))
        if isinstance(item, int) and abs(item) > _LARGEST_INTEGER:
            raise file_fault("beyond-64-bits", remedy("real-figure"), path=name, field=_path_text(path))
        if isinstance(item, str) and not _is_unicode(item):
            raise file_fault("half-character", path=name, field=_path_text(path))
        if not isinstance(item, _PLAIN):
            raise file_fault("no-plain", path=name, field=_path_text(path), given=type(item).__name__)


def _walk(root: object) -> Iterator[tuple[tuple[object, ...], object, int]]:
    waiting: list[tuple[tuple[object, ...], object]] = [((), root)]
    while waiting:
        path, item = waiting.pop()
        yield path, item, len(path)
        if len(path) > MAX_DEPTH:
            continue
        if isinstance(item, Mapping):
            for key, inner in item.items():
                yield (*path, "(key)"), key, len(path) + 1
                waiting.append(((*path, key), inner))
        elif isinstance(item, list | tuple):
            waiting.extend(((*path, index), inner) for index, inner in enumerate(item))


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _path_text(path: tuple[object, ...]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return shortened(text.lstrip(".")) or "the whole"
