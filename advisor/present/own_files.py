"""Tells the files that this program wrote, and nobody changed since, from a person's own: only those are replaced."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import msgspec

from advisor.cases.case_file import CaseAnswer
from advisor.claims.claim import ClaimAnswer
from advisor.hardware.machine import Machine
from advisor.logs.training_log import LogReport
from advisor.present import csv_file
from advisor.present.evaluation_text import ANSWER_COLUMNS
from advisor.present.written_mark import is_unchanged

_PDF_MARK = b"written by advisor"
"""Among the keywords of each report, which stand uncompressed in the file."""
_ADVICE_KEYS = {"schema_version", "created_utc", "advisor_version", "machine", "recommendation", "predictions"}
_LARGEST_BYTES = 256 * 1024 * 1024


def is_own(kind: str, path: Path) -> bool:
    """Whether the file holds an unchanged output of this program of that kind; an empty file is nobody's."""
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_BYTES + 1)
    except OSError:
        return False
    if not content:
        return True
    if len(content) > _LARGEST_BYTES:
        return False
    return {"json": _is_json, "pdf": _is_pdf, "csv": _is_csv, "markdown": is_unchanged, "script": is_unchanged}[kind](
        content
    )


def _is_pdf(content: bytes) -> bool:
    return content.startswith(b"%PDF") and _PDF_MARK in content


def _is_csv(content: bytes) -> bool:
    first = content[:65536].decode("utf-8", "replace").splitlines()[0]
    columns = next(csv.reader([first]), [])
    return columns == csv_file.header() or tuple(columns[-len(ANSWER_COLUMNS) :]) == tuple(ANSWER_COLUMNS)


def _is_json(content: bytes) -> bool:
    try:
        value = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return False
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(item, dict) and _is_record(item.keys()) for item in items)


def _is_record(keys: Iterable[str]) -> bool:
    given = set(keys)
    of_records = [{field.encode_name for field in msgspec.structs.fields(kind)} for kind in _RECORDS]
    return given >= _ADVICE_KEYS or any(given == names for names in of_records)


_RECORDS: tuple[type[msgspec.Struct], ...] = (CaseAnswer, ClaimAnswer, LogReport, Machine)
