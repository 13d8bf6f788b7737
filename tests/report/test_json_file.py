"""A saved advice opens with the same content, or is refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from advisor.bundled import resource
from advisor.errors import InputError, OutputError
from advisor.report import csv_file, json_file, markdown_file
from advisor.report.file_writing import write_atomically
from tests.report.fakes import advice

HOSTILE_NAMES = (
    "<h1>x</h1><img src=file:///etc/passwd>",
    "a,b;c'\"",
    "=cmd|' /C calc'!A0",
    "中文（测试）",
    '#eval("1") $x$ @cite *b* _i_',
    "[link](http://x) | pipe",
    "\\u0041 \\n",
    "{ $workload }",
)


def test_equal_advice_gives_equal_bytes_and_reads_back(tmp_path: Path) -> None:
    json_file.write(advice(), tmp_path / "a.json")
    json_file.write(advice(), tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json_file.read(tmp_path / "a.json") == advice()


def test_the_record_keeps_to_its_published_schema() -> None:
    published = json.loads(resource("schemas/advice.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(json.loads(json_file.encode(advice())), published)
    assert resource("schemas/advice.schema.json").read_bytes() == json_file.schema()


def changed(**changes: Any) -> bytes:
    raw = json.loads(json_file.encode(advice()))
    raw.update(changes)
    return json.dumps(raw).encode()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "schema_version"),
        (b'{"schema_version": true}', "schema_version"),
        (b'{"schema_version": "1"}', "schema_version"),
        (changed(schema_version=99), "newer"),
        (changed(surprise=1), "surprise"),
        (changed(workload=None), "workload"),
        (changed(predictions=[{"device": 1}]), "predictions"),
    ],
)
def test_what_is_no_advice_is_refused_in_a_sentence(content: bytes, word: str) -> None:
    with pytest.raises(InputError) as caught:
        json_file.decode(content, "some.json")
    assert "some.json" in caught.value.text
    assert word in caught.value.text
    assert caught.value.remedy


def test_a_range_that_does_not_hold_its_value_is_refused() -> None:
    raw = json.loads(json_file.encode(advice()))
    raw["predictions"][0]["step_s"]["low"] = 99.0
    with pytest.raises(InputError):
        json_file.decode(json.dumps(raw).encode(), "some.json")


def test_a_missing_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        json_file.read(tmp_path / "missing.json")


def test_a_file_that_cannot_be_written_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError) as caught:
        write_atomically(tmp_path / "folder", b"content")
    assert caught.value.exit_code == 5
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_link_survives_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_is_kept_verbatim_in_json_and_csv(name: str) -> None:
    import csv
    import io

    hostile = advice(workload_name=name, device_name=name)
    assert json_file.decode(json_file.encode(hostile), "x") == hostile
    rows = list(csv.DictReader(io.StringIO(csv_file.encode(hostile).decode())))
    assert {row["device_name"] for row in rows} == {name}


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_is_no_markup_in_markdown(name: str) -> None:
    text = markdown_file.encode(advice(workload_name=name), "en").decode()
    assert markdown_file.escape(name) in text.splitlines()[0]


def test_csv_has_a_row_for_each_candidate_and_a_basis_for_each_number() -> None:
    lines = csv_file.encode(advice()).decode().splitlines()
    assert len(lines) == 1 + len(advice().predictions)
    assert lines[0].split(",") == csv_file.header()
    assert "specified" in lines[1]
