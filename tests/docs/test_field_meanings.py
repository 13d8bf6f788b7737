"""The text under a field reaches the schema that describes its record, and the records inside it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from advisor.core.records import Record
from tools.field_meanings import field_meanings, with_meanings
from tools.write_workload_page import table


class Plain(Record, frozen=True, kw_only=True):
    size_bytes: int
    """Of the whole
    file."""
    name: str = ""


class Wider(Plain, frozen=True, kw_only=True):
    parts: tuple[Plain, ...] = ()
    """What it is made of."""
    best: Plain | None = None


def test_a_field_means_what_stands_under_it_also_where_another_record_extends_it() -> None:
    assert field_meanings(Plain) == {"size_bytes": "Of the whole file."}
    assert field_meanings(Wider) == {"size_bytes": "Of the whole file.", "parts": "What it is made of."}


def test_a_schema_is_described_to_its_innermost_record() -> None:
    defined = with_meanings(msgspec.json.schema(Wider), Wider)["$defs"]
    assert defined["Wider"]["properties"]["parts"]["description"] == "What it is made of."
    assert defined["Plain"]["properties"]["size_bytes"]["description"] == "Of the whole file."
    assert "description" not in defined["Plain"]["properties"]["name"]


class MayBeMissing(Record, frozen=True, kw_only=True):
    """A file of fields that may be missing."""

    size_bytes: Annotated[float, Meta(ge=1, le=2e13)] | None = None
    """Of the whole file; None: not known."""
    widths: tuple[int, ...] = (64, 32)
    """Of its columns. None: as the file says."""


def test_what_python_calls_none_is_null_in_a_schema_and_left_out_on_the_page_of_toml() -> None:
    defined = with_meanings(msgspec.json.schema(MayBeMissing), MayBeMissing)["$defs"]["MayBeMissing"]["properties"]
    assert defined["size_bytes"]["description"] == "Of the whole file; null: not known."
    rows = table("files", MayBeMissing).splitlines()[-2:]
    assert rows == [
        "| `size_bytes` | number (≥ 1, ≤ 20,000,000,000,000) | – | Of the whole file; left out: not known. |",
        "| `widths` | list of whole number | `[64, 32]` | Of its columns. Left out: as the file says. |",
    ]


class Tagged(Record, frozen=True, kw_only=True, tag_field="source", tag="plain"):
    """A file of its own.

    Nothing of this line is told twice.
    """


def test_a_tag_means_what_the_first_line_of_its_record_says() -> None:
    defined = with_meanings(msgspec.json.schema(Tagged), Tagged)["$defs"]
    assert defined["Tagged"]["properties"]["source"]["description"] == "`plain`: a file of its own."


def test_a_schema_without_records_stays_as_it_is() -> None:
    assert with_meanings({"type": "integer"}, Plain) == {"type": "integer"}
