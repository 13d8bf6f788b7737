"""The text under each field of a record, as its source has it: for pages and published schemas."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from functools import cache
from typing import Any

import msgspec


@cache
def field_meanings(type_: type[msgspec.Struct]) -> dict[str, str]:
    """The text under each field of a class and of those that it extends, on one line; fields may have none."""
    meanings: dict[str, str] = {}
    for kind in reversed(type_.__mro__):
        if issubclass(kind, msgspec.Struct) and kind.__module__.partition(".")[0] != "msgspec":
            meanings |= _own_meanings(kind)
    return meanings


def _own_meanings(kind: type) -> dict[str, str]:
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    meanings = {}
    for field, meaning in zip(body.body, body.body[1:], strict=False):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(meaning, ast.Expr) and isinstance(meaning.value, ast.Constant):
            meanings[field.target.id] = " ".join(str(meaning.value.value).split())
    return meanings


def with_meanings(schema: dict[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    """A JSON Schema of `kind` with what each field means, wherever a record tells it."""
    kinds: dict[str, type[msgspec.Struct]] = {}
    _collect(msgspec.inspect.type_info(kind), kinds)
    defined = {name: _described(part, kinds.get(name)) for name, part in schema.get("$defs", {}).items()}
    return {**schema, "$defs": defined} if defined else schema


def _collect(node: object, kinds: dict[str, type[msgspec.Struct]]) -> None:
    """Every record that a type is made of, by its name."""
    if isinstance(node, tuple):
        for one in node:
            _collect(one, kinds)
    elif isinstance(node, msgspec.inspect.StructType):
        if node.cls.__name__ not in kinds:
            kinds[node.cls.__name__] = node.cls
            _collect(tuple(field.type for field in node.fields), kinds)
    elif isinstance(node, msgspec.inspect.Type):
        _collect(tuple(getattr(node, name) for name in node.__struct_fields__), kinds)


def _described(part: dict[str, Any], kind: type[msgspec.Struct] | None) -> dict[str, Any]:
    if kind is None or "properties" not in part:
        return part
    meanings = field_meanings(kind)
    told = {field.encode_name: _in_json(meanings.get(field.name)) for field in msgspec.structs.fields(kind)}
    config = kind.__struct_config__
    if config.tag_field is not None:
        told[config.tag_field] = _tag_meaning(kind, config.tag)
    properties = {
        key: {"description": told[key], **value} if told.get(key) is not None else value
        for key, value in part["properties"].items()
    }
    return {**part, "properties": properties}


def _in_json(meaning: str | None) -> str | None:
    """A meaning with JSON's word for what Python calls None."""
    return None if meaning is None else re.sub(r"\bNone\b", "null", meaning)


def _tag_meaning(kind: type, tag: object) -> str:
    """What a record's tag says: the first line of what its class is; the tag has no field of the class."""
    summary = (kind.__doc__ or "").strip().partition("\n")[0]
    return f"`{tag}`: {summary[:1].lower()}{summary[1:]}"
