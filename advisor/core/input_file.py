"""Reads foreign TOML and JSON into typed records: capped, never slow, and each refusal names file, field and remedy."""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from advisor.core.errors import InputError
from advisor.core.sentences import Reason, SaidError, visible

T = TypeVar("T")

DEFAULT_MAX_BYTES = 65536
MAX_DOTS_IN_LINE = 32
MAX_DEPTH = 32
MAX_DIGITS = 400
"""A float's own text can hold 309 digits before its point; a longer run is an attack, not a figure."""
_SHOWN_CHARACTERS = 80
_FAULT_CHARACTERS = 200
_LARGEST_INTEGER = 2**63 - 1


def read_text(path: Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """The UTF-8 text of a regular file of at most `max_bytes`; raises InputError for anything else."""
    shown = visible(str(path))
    try:
        if not path.exists():
            raise _said("missing", path=shown)
        if not path.is_file():
            raise _said("no-regular", path=shown)
        with path.open("rb") as stream:
            raw = stream.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _said("unreadable", path=shown, detail=visible(reason)) from error
    if len(raw) > max_bytes:
        raise _said("too-large", path=shown, limit=str(max_bytes))
    return decode_text(raw, shown)


def _said(what: str, **numbers: str) -> SaidError:
    """A fault of a file, told in the reader's language."""
    return SaidError((Reason(code=f"file-{what}", numbers=dict(numbers)),), Reason(code=f"file-{what}-remedy"))


def decode_text(raw: bytes, name: str) -> str:
    """Bytes as UTF-8 text; raises InputError with the place of the first byte that is none."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _said("no-text", path=name, place=str(error.start)) from error


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
            raise InputError(
                f"{name}: line {number} has over {MAX_DOTS_IN_LINE} dots.",
                "Write nested tables instead of dotted keys.",
            )
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, OverflowError) as error:
        raise _said("no-toml", path=name, detail=_short(str(error), _FAULT_CHARACTERS)) from error
    except RecursionError as error:
        raise _too_deep(name) from error
    _check_values(table, name)
    return table


def parse_json(text: str, name: str, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Any:  # noqa: ANN401 - may be anything
    """JSON text as plain values, under the same caps."""
    _check_before_parsing(text, name, max_bytes)
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        detail = f"{_short(error.msg)} (line {error.lineno}, column {error.colno})"
        raise _said("no-json", path=name, detail=detail) from error
    except ValueError as error:
        raise InputError(f"{name}: this is not valid JSON: {_short(str(error))}.", "Correct the file.") from error
    except RecursionError as error:
        raise _too_deep(name) from error
    _check_values(value, name)
    return value


def convert(value: object, type_: type[T], name: str) -> T:
    """Plain values as `type_`; raises InputError: `name`, the field's path, what was given, what is allowed."""
    check_values(value, name)
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise _field_error(str(error), value, type_, name) from error
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise InputError(f"{name}: {_short(str(error))}.", "Correct the file.") from error


def check_values(value: object, name: str) -> None:
    """Refuse what no description holds: depth over 32, non-finite or huge numbers, text that is no Unicode."""
    _check_values(value, name)


def closest(word: str, allowed: tuple[str, ...] | list[str]) -> str:
    """`did you mean …?` for a mistyped word, or the empty string."""
    found = difflib.get_close_matches(word[:200], allowed, n=1, cutoff=0.6)
    return f"Did you mean `{found[0]}`?" if found else ""


def shown_value(value: object) -> str:
    """A foreign value for an error text: shortened, control characters visible."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return f"`{_short(text)}`"


def _short(text: str, longest: int = _SHOWN_CHARACTERS) -> str:
    text = visible(text.rstrip("."))
    return text if len(text) <= longest else f"{text[:longest]}…"


def _too_deep(name: str) -> InputError:
    return InputError(f"{name}: values are nested over {MAX_DEPTH} deep.", "Flatten the file.")


def _refuse_constant(word: str) -> float:
    message = f"{word} is no number"
    raise ValueError(message)


_DIGIT_RUN = re.compile(rf"[0-9_]{{{MAX_DIGITS},}}")


def _check_before_parsing(text: str, name: str, max_bytes: int) -> None:
    if len(text) > max_bytes:
        raise InputError(f"{name}: the text is longer than {max_bytes} bytes.", "Shorten it.")
    if _DIGIT_RUN.search(text):
        raise InputError(f"{name}: a number has over {MAX_DIGITS} digits.", "Give a figure of a real model.")


_PLAIN = (str, int, float, bool, dict, list, tuple, type(None))


def _check_values(value: object, name: str) -> None:
    for path, item, depth in _walk(value):
        if depth > MAX_DEPTH:
            raise _too_deep(name)
        if isinstance(item, float) and not math.isfinite(item):
            raise InputError(f"{name}: `{_path_text(path)}` is {item}.", "Only finite numbers are allowed.")
        if isinstance(item, int) and abs(item) > _LARGEST_INTEGER:
            where = _path_text(path)
            raise InputError(f"{name}: `{where}` is an integer beyond 64 bits.", "Give a figure of a real model.")
        if isinstance(item, str) and not _is_unicode(item):
            where = _path_text(path)
            raise InputError(f"{name}: `{where}` holds half a character (a lone surrogate).", "Correct the text.")
        if not isinstance(item, _PLAIN):
            kind = type(item).__name__
            raise InputError(f"{name}: `{_path_text(path)}` is a {kind}.", "Only numbers, text, lists and tables.")


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
    return _short(text.lstrip(".")) or "the whole"


_AT = re.compile(r"(?s)(.*?)(?: - at `(?:key in )?\$(.*)`)?\Z")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_UNKNOWN_FIELD = re.compile(r"(?s)Object contains unknown field `(.*)`\Z")
_MISSING_FIELD = re.compile(r"Object missing required field `(.*)`\Z")


def _field_error(message: str, value: object, type_: object, name: str) -> InputError:
    """The sentence of msgspec with its JSON path, turned into ours with the field's path, value and what is allowed."""
    found = _AT.match(message)
    what, where = (found.group(1), found.group(2) or "") if found else (message, "")
    steps = [first or second for first, second in _STEP.findall(where)]
    path = ".".join(steps).replace(".[", "[") if "..." not in steps else ".".join(s for s in steps if s != "...")
    given, node = _follow(value, type_, steps)
    if unknown := _UNKNOWN_FIELD.match(what):
        field = _joined(path, unknown.group(1))
        fields = sorted(_fields_of(node, given))
        remedy = closest(unknown.group(1), fields) or f"Known fields: {', '.join(fields)}."
        return InputError(f"{name}: `{_short(field)}` is not a known field.", remedy)
    if missing := _MISSING_FIELD.match(what):
        field = _joined(path, missing.group(1))
        inner = _fields_of(node, given).get(missing.group(1))
        allowed = _allowed(inner) if inner is not None else _tags(node)
        return InputError(f"{name}: `{_short(field)}` is missing.", f"Allowed: {allowed}." if allowed else "Add it.")
    allowed = _allowed(node) or _short(what)
    shown = f"`{_short(path)}` is " if path else "the whole is "
    remedy = f"Allowed: {allowed}."
    if isinstance(given, str) and (choices := _choices(node)):
        remedy = f"{remedy} {closest(given, choices)}".rstrip()
    return InputError(f"{name}: {shown}{shown_value(given)}.", remedy)


def _joined(path: str, field: str) -> str:
    return f"{path}.{field}" if path else field


@cache
def _declared(type_: object) -> inspect.Type:
    """What a type's fields are: read once, for it takes fifteen times as long as to read a file."""
    return inspect.type_info(type_)


def _follow(value: object, type_: object, steps: list[str]) -> tuple[object, inspect.Type | None]:
    """The given value and the declared type at the end of a path; None where the path leaves the declaration."""
    node: inspect.Type | None = _declared(type_)
    for step in steps:
        node = _plain(node, value)
        if isinstance(node, inspect.StructType):
            tag = node.tag_field
            fields = {field.encode_name: field.type for field in node.fields}
            node = inspect.LiteralType(values=(node.tag,)) if step == tag else fields.get(step)
        elif isinstance(node, inspect.UnionType) and any(
            isinstance(option, inspect.StructType) and option.tag_field == step for option in node.types
        ):
            tags = tuple(option.tag for option in node.types if isinstance(option, inspect.StructType))
            node = inspect.LiteralType(values=tags)
        else:
            node = getattr(node, "item_type", None) or getattr(node, "value_type", None)
        value = _item(value, step)
    return value, _plain(node, value)


def _item(value: object, step: str) -> object:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list | tuple) and step.isdigit() and int(step) < len(value):
        return value[int(step)]
    return None


def _plain(node: inspect.Type | None, value: object) -> inspect.Type | None:
    """The member of a union that the value means (by its tag); other types unchanged."""
    if isinstance(node, inspect.Metadata):
        return _plain(node.type, value)
    if not isinstance(node, inspect.UnionType):
        return node
    options = [option for option in node.types if not isinstance(option, inspect.NoneType)]
    if len(options) == 1:
        return _plain(options[0], value)
    for option in options:
        if not isinstance(option, inspect.StructType) or not isinstance(value, Mapping) or option.tag is None:
            continue
        if value.get(str(option.tag_field)) == option.tag:
            return option
    return node


def _fields_of(node: inspect.Type | None, value: object) -> dict[str, inspect.Type]:
    node = _plain(node, value)
    if not isinstance(node, inspect.StructType):
        return {}
    return {field.encode_name: field.type for field in node.fields}


def _choices(node: inspect.Type | None) -> list[str]:
    return [str(value) for value in node.values] if isinstance(node, inspect.LiteralType) else []


def _tags(node: inspect.Type | None) -> str:
    if not isinstance(node, inspect.UnionType):
        return ""
    return ", ".join(str(option.tag) for option in node.types if isinstance(option, inspect.StructType))


def _allowed(node: inspect.Type | None) -> str:
    """What a declared type takes, in words; empty where it takes anything."""
    node = _plain(node, None)
    text = next((words for type_, words in _WORDS if isinstance(node, type_)), "")
    if isinstance(node, inspect.LiteralType):
        text = ", ".join(str(value) for value in node.values)
    elif isinstance(node, inspect.IntType | inspect.FloatType):
        text += _range(node)
    elif isinstance(node, inspect.StrType) and node.max_length is not None:
        text += f" of {node.min_length or 0} to {node.max_length} characters"
    elif isinstance(node, inspect.UnionType):
        text = _tags(node) or " or ".join(dict.fromkeys(filter(None, map(_allowed, node.types))))
    return text


_WORDS: tuple[tuple[type, str], ...] = (
    (inspect.IntType, "an integer"),
    (inspect.FloatType, "a number"),
    (inspect.BoolType, "true or false"),
    (inspect.StrType, "text"),
    (inspect.StructType, "a table"),
    (inspect.DictType, "a table"),
    (inspect.ListType, "a list"),
    (inspect.VarTupleType, "a list"),
    (inspect.TupleType, "a list"),
)


def _range(node: inspect.IntType | inspect.FloatType) -> str:
    low = f"from {node.ge}" if node.ge is not None else f"over {node.gt}" if node.gt is not None else ""
    high = f"to {node.le}" if node.le is not None else f"below {node.lt}" if node.lt is not None else ""
    return f" {low} {high}".rstrip() if low or high else ""
