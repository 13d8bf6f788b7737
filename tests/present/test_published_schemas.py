"""The published JSON Schemas are those of the types, and the bundled files keep to them."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

from advisor.core.bundled import resource, workloads_folder
from advisor.workload.workload_file import bundled_names

ROOT = Path(__file__).resolve().parents[2]


def test_every_committed_schema_is_what_the_program_writes() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_schemas.py"), "--check"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_every_format_that_a_person_writes_or_gets_has_a_schema() -> None:
    found = {path.name for path in resource("schemas").iterdir()}
    assert found >= {
        f"{name}.schema.json"
        for name in ("advice", "workload", "gpus", "prices", "claims", "claim_answer", "cases", "case_answer")
    }
    for name in found:
        jsonschema.Draft202012Validator.check_schema(json.loads((resource("schemas") / name).read_bytes()))


def test_a_schema_tells_what_a_field_means_in_the_words_of_its_source() -> None:
    schema = json.loads((resource("schemas") / "workload.schema.json").read_bytes())
    fields = schema["$defs"]["Training"]["properties"]
    assert fields["clip_gradient_norm"]["description"] == "Left out: gradients are not clipped."
    assert fields["gradient_accumulation_steps"]["description"] == "Micro-batches of `batch_size` in one update."


@pytest.mark.parametrize("path", sorted(resource("schemas").iterdir()), ids=lambda path: path.name)
def test_every_field_of_a_published_schema_has_a_description(path: Path) -> None:
    assert _undescribed(json.loads(path.read_bytes()), "") == []


def test_a_field_without_a_description_is_named_wherever_it_lies() -> None:
    bare = {"properties": {"size": {"type": "integer"}, "name": {"description": "Whose."}}}
    assert _undescribed({"$defs": {"Part": bare}, "items": [bare]}, "") == ["/$defs/Part/size", "/items/0/size"]


def _undescribed(node: object, place: str) -> list[str]:
    """The fields of a schema that nothing is said of, each as where it lies."""
    if isinstance(node, list):
        return [found for index, one in enumerate(node) for found in _undescribed(one, f"{place}/{index}")]
    if not isinstance(node, dict):
        return []
    found = [f"{place}/{name}" for name, field in node.get("properties", {}).items() if not field.get("description")]
    return found + [one for key, value in node.items() for one in _undescribed(value, f"{place}/{key}")]


@pytest.mark.parametrize("name", bundled_names())
def test_a_bundled_workload_keeps_to_the_schema(name: str) -> None:
    schema = json.loads((resource("schemas") / "workload.schema.json").read_bytes())
    text = (workloads_folder() / f"{name}.toml").read_text(encoding="utf-8")
    jsonschema.validate(tomllib.loads(text), schema)
