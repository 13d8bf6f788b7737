"""A saved advice opens with the same content, or is refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from advisor.core.bundled import resource
from advisor.core.errors import InputError, OutputError
from advisor.core.file_writing import write_atomically
from advisor.core.sentences import Reason, say
from advisor.present import csv_file
from advisor.store import json_file
from advisor.store.advice_record import SCHEMA_VERSION
from tests.present.fakes import advice
from tests.present.recorded import FOLDER, recorded


def test_equal_advice_gives_equal_bytes_and_reads_back(tmp_path: Path) -> None:
    json_file.write(advice(), tmp_path / "a.json")
    json_file.write(advice(), tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json_file.read(tmp_path / "a.json") == advice()


def test_the_record_keeps_to_its_published_schema() -> None:
    published = json.loads(resource("schemas/advice.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(json.loads(json_file.encode(advice())), published)


def changed(**changes: Any) -> bytes:
    raw = json.loads(json_file.encode(advice()))
    raw.update(changes)
    return json.dumps(raw).encode()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "not all of the file"),
        (b"{", "not all of the file"),
        (b"[" * 100_000, "nested"),
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


def test_csv_has_a_row_for_each_candidate_and_a_basis_for_each_number() -> None:
    lines = csv_file.encode(advice()).decode().splitlines()
    assert len(lines) == 1 + len(advice().predictions)
    assert lines[0].split(",") == csv_file.header()
    assert "specified" in lines[1]


def test_the_recorded_advice_of_every_version_still_opens() -> None:
    found = {int(path.stem.removeprefix("v")) for path in FOLDER.glob("v*.json")}
    assert found == set(range(1, SCHEMA_VERSION + 1)), "record an advice of the new version in tests/recorded/advice"
    for version in found:
        opened = recorded(version)
        assert opened.schema_version == SCHEMA_VERSION
        assert opened.recommendation is not None
        assert opened.measurements
        assert json_file.decode(json_file.encode(opened), "again") == opened


def test_a_step_leads_up_from_every_older_version() -> None:
    assert set(json_file.MIGRATIONS) == set(range(1, SCHEMA_VERSION))


def test_what_version_2_called_a_models_door_is_its_source() -> None:
    raw = json.loads((FOLDER / "v2.json").read_bytes())
    assert "source" not in raw["model"]
    assert recorded(2).model.source == raw["model"]["door"] == "template"


def test_migrations_are_taken_one_version_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_file, "SCHEMA_VERSION", 3)
    steps = {1: lambda raw: {**raw, "one": True}, 2: lambda raw: {**raw, "seen": sorted(raw)}}
    monkeypatch.setattr(json_file, "MIGRATIONS", steps)
    assert json_file.migrate({}, 1) == {"one": True, "seen": ["one", "schema_version"], "schema_version": 3}
    assert json_file.migrate({}, 2) == {"seen": [], "schema_version": 3}
    assert json_file.migrate({}, 3) == {}


def test_a_version_before_the_first_is_refused() -> None:
    with pytest.raises(InputError):
        json_file.decode(changed(schema_version=0), "some.json")


def test_the_recorded_advice_keeps_to_the_published_schema() -> None:
    published = json.loads(resource("schemas/advice.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(json_file.encode(recorded())), published)


@pytest.mark.parametrize(
    ("old", "english"),
    [
        ({"code": "change-measure", "numbers": {"devices": "A, B"}}, "Measuring on A, B would"),
        ({"code": "ranks-failed", "numbers": {"text": "no room left"}}, "no room left."),
        (
            {"code": "workload-assumed-values", "numbers": {"fields_parts": "assumed-epochs=3|assumed-other=x = 1"}},
            "3",
        ),
        (
            {
                "code": "claim-ratio-only-with-precision",
                "numbers": {"precision_choices": "FP32|FP16", "device": "A", "other": "B", "claimed_ratio": 2.0},
            },
            "only in FP32 or FP16: A",
        ),
    ],
)
def test_sentences_of_the_first_version_read_as_they_did(old: dict[str, object], english: str) -> None:
    (raised,) = json_file.MIGRATIONS[1]({"reasons": [old]})["reasons"]
    assert english in say(msgspec.convert(raised, Reason), "en")
