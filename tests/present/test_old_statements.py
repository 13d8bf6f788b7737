"""A saved advice whose sentences lack values is shown whole, in the terminal and in every file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.cli import run
from advisor.core.sentences import Language, say, sentence
from advisor.present import advice_file
from advisor.present.report import pdf_file
from advisor.store import json_file
from tests.present.recorded import recorded
from tests.present.test_pdf_file import text_of, tight
from tests.store.lost_statements import LANGUAGES, opened

SHARES = 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_terminal_says_each_sentence_that_lost_a_value(
    tmp_path: Path, language: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "saved.json"
    gap = sentence("saved-value-lost", language)
    for share in range(SHARES):
        advice = opened(json_file.encode(recorded()), share, SHARES)
        json_file.write(advice, path)
        assert run(["--open", str(path), "--language", language, "--details"]) == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        assert [one for one in advice.caveats if tight(say(one, language)) not in tight(shown.out)] == []
        assert gap in shown.out
    assert run(["--open", str(path), "--language", language]) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_is_made_of_sentences_that_lost_a_value(language: Language) -> None:
    for share in range(SHARES):
        advice = opened(json_file.encode(recorded()), share, SHARES)
        text = text_of(pdf_file.encode(advice, language))
        assert tight(sentence("saved-value-lost", language)) in text


def test_every_file_is_made_of_an_old_record() -> None:
    advice = opened(json_file.encode(recorded()), 1, SHARES)
    for language in LANGUAGES:
        assert b"(not recorded)" in advice_file.encode("markdown", advice, "en")
        assert json.loads(advice_file.encode("json", advice, language))["caveats"]
        assert advice_file.encode("csv", advice, language)
