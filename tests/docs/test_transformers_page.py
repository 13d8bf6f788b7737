"""The page on transformers' architectures says what it counts, and a walk of today answers as it says."""

from __future__ import annotations

import datetime as dt
from importlib.metadata import version

import pytest

from tools.transformers_page import PAGE, Answer, page, read_page, read_versions, shares
from tools.walk_transformers import LIMIT_S, Asker

_ASKED_A_NIGHT = 12

TYPES = ["bert", "detr", "mimi", "sam", "vits"]
DAYS = ("2026-01-02", "2026-01-03")
ANSWERS = {
    answer.model_type: answer
    for answer in (
        Answer(model_type="bert", outcome="predicted", spent_s=1.25, parameters=109_482_240, asked_on=DAYS[0]),
        Answer(model_type="detr", outcome="cannot be built", spent_s=0.1, reason="no timm | x", asked_on=DAYS[0]),
        Answer(model_type="sam", outcome="predicted", spent_s=4.0, parameters=9, remarks=("b", "a"), asked_on=DAYS[1]),
        Answer(model_type="vits", outcome="too long", spent_s=60.0, reason="over 60 s", asked_on=DAYS[1]),
    )
}


def test_a_page_is_read_as_it_was_written() -> None:
    text = page(ANSWERS, TYPES, "2026-01-04", ("5.23.0", "2.13.0"))
    known = read_page(text)
    assert list(known) == ["bert", "detr", "sam", "vits"]
    assert (known["bert"].parameters, known["bert"].asked_on) == (109_482_240, "2026-01-02")
    assert (known["detr"].outcome, known["detr"].reason) == ("cannot be built", "no timm / x")
    assert known["sam"].reason == "a, b"
    assert read_versions(text) == ("5.23.0", "2.13.0")
    assert "4 of 5 model types were asked" in text
    assert "2 of the 3 that can be built, 66.7%, are predicted" in text
    assert "Not asked yet: mimi." in text
    assert "The slowest is vits with 60 s." in text


def test_the_page_of_the_docs_counts_its_own_rows() -> None:
    text = PAGE.read_text("utf-8")
    known = read_page(text)
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| model type")]
    assert len(known) == len(rows) >= 500
    waiting = text.partition("Not asked yet: ")[2].count(",") + ("Not asked yet: " in text)
    assert shares(known.values(), len(known) + waiting) in text
    assert all(answer.reason for answer in known.values() if answer.outcome != "predicted")


@pytest.mark.nightly
def test_types_are_answered_as_the_page_says() -> None:
    text = PAGE.read_text("utf-8")
    if read_versions(text)[0] != version("transformers"):
        pytest.skip("the page is of another version of transformers: run tools/walk_transformers.py --page")
    known = list(read_page(text).values())
    start = dt.datetime.now(dt.UTC).date().toordinal() * _ASKED_A_NIGHT
    sample = [known[(start + place) % len(known)] for place in range(_ASKED_A_NIGHT)]
    asker = Asker(LIMIT_S)
    try:
        found = {answer.model_type: asker.ask(answer.model_type) for answer in sample}
    finally:
        asker.close()
    for answer in sample:
        now = found[answer.model_type]
        assert now.outcome == answer.outcome or {now.outcome, answer.outcome} == {"refused", "cannot be built"}, now
        assert now.parameters == answer.parameters
