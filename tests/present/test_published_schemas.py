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
    advice = json.loads((resource("schemas") / "advice.schema.json").read_bytes())
    told = [name for part in advice["$defs"].values() for name, field in part.get("properties", {}).items()
            if "description" in field]  # fmt: skip
    assert len(told) > 50


@pytest.mark.parametrize("name", bundled_names())
def test_a_bundled_workload_keeps_to_the_schema(name: str) -> None:
    schema = json.loads((resource("schemas") / "workload.schema.json").read_bytes())
    text = (workloads_folder() / f"{name}.toml").read_text(encoding="utf-8")
    jsonschema.validate(tomllib.loads(text), schema)
