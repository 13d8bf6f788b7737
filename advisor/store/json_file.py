"""The advice as JSON: written, read, migrated from older versions, refused from newer ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from advisor.core.file_fault import file_fault, remedy, shown_value
from advisor.core.file_kinds import given_as
from advisor.core.file_writing import write_atomically
from advisor.core.input_file import decode_text
from advisor.core.records import built
from advisor.core.syntax_fault import advice_json_fault
from advisor.store.advice_record import SCHEMA_VERSION, AdviceRecord
from advisor.store.saved_statements import sayable

MAX_BYTES = 256 * 1024 * 1024
_LONGEST_SHOWN = 200


def encode(advice: AdviceRecord) -> bytes:
    """The advice as indented UTF-8 JSON; equal advice gives equal bytes."""
    return msgspec.json.format(msgspec.json.encode(advice, order="deterministic"), indent=1) + b"\n"


def write(advice: AdviceRecord, path: Path) -> None:
    """Write the advice atomically. Raises OutputError."""
    write_atomically(path, encode(advice))


def read(path: Path) -> AdviceRecord:
    """Read a saved advice of this version or an older one.

    Raises InputError naming file and field when it is no advice, damaged, or of a newer version.
    """
    try:
        if path.exists() and not path.is_file():
            raise file_fault("no-regular", remedy("advice-remedy"), path=str(path))
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise file_fault(
            "unreadable", remedy("advice-remedy"), path=str(path)[:_LONGEST_SHOWN], detail=reason
        ) from error
    if len(content) > MAX_BYTES:
        raise file_fault("advice-large", remedy("advice-remedy"), path=str(path), limit=str(MAX_BYTES))
    with given_as("advice", path):
        return decode(content, str(path))


def decode(content: bytes, name: str) -> AdviceRecord:
    """Read an advice from bytes; `name` stands in error texts. Raises InputError."""
    text = decode_text(content, name)
    try:
        raw = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise advice_json_fault(error, text, name) from error
    except RecursionError as error:
        raise file_fault("too-deep", remedy("advice-remedy"), path=name, limit=str(sys.getrecursionlimit())) from error
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise file_fault("no-version", path=name)
    if version < 1:
        raise file_fault("odd-version", remedy("changed"), path=name, version=shown_value(version).strip("`"))
    if version > SCHEMA_VERSION:
        known = str(SCHEMA_VERSION)
        raise file_fault("newer-version", path=name, version=shown_value(version).strip("`"), known=known)
    try:
        advice = msgspec.convert(migrate(raw, version), built(AdviceRecord), strict=True)
    except (msgspec.ValidationError, ArithmeticError, AttributeError, LookupError, ValueError, TypeError) as error:
        raise file_fault("told", remedy("changed"), path=name, detail=str(error)) from error
    return sayable(advice)


def migrate(raw: dict[str, Any], version: int) -> dict[str, Any]:
    """Bring a decoded record of `version` up to the current one, a version at a time.

    Raises KeyError for a version that never was.
    """
    for step in range(version, SCHEMA_VERSION):
        raw = {**MIGRATIONS[step](raw), "schema_version": step + 1}
    return raw


_NAMES_OF_1 = frozenset({"others", "devices", "nearest", "operators"})
"""Arguments of sentences that version 1 kept as names joined by commas."""


def _typed_arguments(value: Any) -> Any:  # noqa: ANN401 - JSON of any depth
    """From version 1: lists and quoted texts of sentences were strings; they have types of their own since."""
    if isinstance(value, list):
        return [_typed_arguments(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) <= {"code", "numbers"} and "code" in value:
        arguments = value.get("numbers", {}).items()
        return {**value, "numbers": dict(_typed_argument(name, argument) for name, argument in arguments)}
    return {name: _typed_arguments(item) for name, item in value.items()}


def _typed_argument(name: str, argument: Any) -> tuple[str, Any]:  # noqa: ANN401 - a JSON value
    if not isinstance(argument, str):
        return name, argument
    if name == "precision_choices":
        return "precisions", {"type": "names", "names": argument.split("|"), "alternatives": True}
    if name == "fields_parts":
        parts = (item.partition("=") for item in argument.split("|"))
        reasons = [{"code": code, "numbers": {"value": shown}} for code, _, shown in parts]
        return "fields", {"type": "listed", "reasons": reasons}
    if name == "text":
        return name, {"type": "said", "text": argument}
    if name in _NAMES_OF_1:
        return name, {"type": "names", "names": argument.split(", ")}
    return name, argument


def _source_of_model(raw: dict[str, Any]) -> dict[str, Any]:
    """From version 2: what a model came from was called its door."""
    facts = raw.get("model")
    if not isinstance(facts, dict) or "door" not in facts:
        return raw
    return {**raw, "model": {"source" if name == "door" else name: value for name, value in facts.items()}}


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _typed_arguments, 2: _source_of_model}
"""MIGRATIONS[n] turns a record of version n into one of version n + 1."""
