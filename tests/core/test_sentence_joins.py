"""Sentences that hold what somebody else said read as sentences, in both languages."""

from __future__ import annotations

import re
from typing import Literal

import pytest

from advisor.core.sentences import either, sentence
from tests.core.test_sentences import catalogue

EMBEDDING = sorted(code for code, (_, names) in catalogue("en").items() if "text" in names)


@pytest.mark.parametrize("code", EMBEDDING)
@pytest.mark.parametrize("said", ["no module named x", "no module named x.", "cannot open 'a'", "缺少文件"])
def test_a_quoted_text_ends_before_the_next_sentence_begins(code: str, said: str) -> None:
    for language in ("en", "zh"):
        names = catalogue(language)[code][1]
        text = sentence(code, language, {name: said if name == "text" else "gpu" for name in names})
        end = "。" if said[-1] == "件" else "."
        assert f"{said.rstrip('.')}{end}" in text
        assert not re.search(r"[.。]{2}", text)


def test_there_are_sentences_that_quote() -> None:
    assert len(EMBEDDING) >= 6


@pytest.mark.parametrize(
    ("names", "language", "words"),
    [
        (["A"], "en", "A"),
        (["A", "B"], "en", "A or B"),
        (["A", "B", "C"], "en", "A, B or C"),
        (["A", "B", "C"], "zh", "A、B 或 C"),
    ],
)
def test_alternatives_are_set_with_or(names: list[str], language: Literal["en", "zh"], words: str) -> None:
    assert either(names, language) == words
