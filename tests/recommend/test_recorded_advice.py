"""The advice on steps of fake physics, its reasons and their numbers are those that were recorded."""

from __future__ import annotations

import json

import pytest

from tests.recommend.recorded_advice import FILE, recorded


@pytest.fixture(scope="module")
def today() -> dict[str, object]:
    found: dict[str, object] = json.loads(json.dumps(recorded()))
    return found


@pytest.mark.parametrize("question", list(json.loads(FILE.read_text(encoding="utf-8"))))
def test_advice_changes_only_on_purpose(question: str, today: dict[str, object]) -> None:
    before = json.loads(FILE.read_text(encoding="utf-8"))[question]
    assert today[question] == before, "where this was meant: python -m tests.recommend.recorded_advice"
