"""The published schemas are the types': what the program reads is what they allow."""

from __future__ import annotations

import json
import tomllib

import jsonschema
import msgspec
import pytest

from advisor.cases.answers import answer_case
from advisor.claims.judge import check_claim
from advisor.core.bundled import resource
from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import explain_log
from tests.recommend.real_predictor import real_predictor
from tools.write_schemas import schemas


def validate(name: str, value: object) -> None:
    jsonschema.validate(json.loads(msgspec.json.encode(value)), json.loads(schemas()[name]))


def test_the_committed_schemas_are_up_to_date() -> None:
    for name, content in schemas().items():
        assert (resource("schemas") / name).read_bytes() == content, f"{name}: run tools/write_schemas.py"


@pytest.mark.parametrize(("name", "file"), [("gpus.schema.json", "gpus.toml"), ("cases.schema.json", "cases.toml")])
def test_the_bundled_files_keep_their_schemas(name: str, file: str) -> None:
    validate(name, tomllib.loads(resource(file).read_text(encoding="utf-8")))


def test_the_examples_of_the_documentation_keep_their_schemas() -> None:
    validate("claims.schema.json", {"claim": [{"text": "2 GPUs made it 3.5 times faster"}]})
    validate("prices.schema.json", {"currency": "EUR", "date": "2026-01-31", "devices": {"rtx3090": 0.4}})
    refused: tuple[dict[str, object], ...] = ({"claim": []}, {"claim": [{"speed": 3}]}, {"claim": [{"count": 0}]})
    for bad in refused:
        with pytest.raises(jsonschema.ValidationError):
            validate("claims.schema.json", bad)
    with pytest.raises(jsonschema.ValidationError):
        validate("prices.schema.json", {"currency": "euro", "date": "2026-01-31"})


def test_answers_keep_their_schemas() -> None:
    answer = check_claim("2 GPUs made it 3.5 times faster", real_predictor())
    validate("claim_answer.schema.json", [answer])
    case = answer_case("two-gpus-three-hours-to-52-minutes", real_predictor())
    validate("case_answer.schema.json", [case])
    report = explain_log(parse_log("step 1 elapsed 1 s\nstep 2 elapsed 2 s"))
    validate("log_report.schema.json", report)
