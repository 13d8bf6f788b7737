"""Sentences that hold what somebody else said read as sentences, in both languages."""

from __future__ import annotations

import re
from typing import Literal

import pytest

from advisor.core.sentences import Listed, Names, Reason, Said, Value, either, in_a_row, sentence
from advisor.core.units import unit_of
from tests.core.test_sentences import catalogue

EMBEDDING = sorted(code for code, (_, names) in catalogue("en").items() if "text" in names)


@pytest.mark.parametrize("code", EMBEDDING)
@pytest.mark.parametrize("said", ["no module named x", "no module named x.", "cannot open 'a'", "缺少文件"])
def test_a_quoted_text_ends_before_the_next_sentence_begins(code: str, said: str) -> None:
    for language in ("en", "zh"):
        names = catalogue(language)[code][1]
        text = sentence(code, language, **({name: Said(text=said) if name == "text" else "gpu" for name in names}))
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


def test_a_list_is_set_with_the_comma_of_its_language_and_says_when_it_is_cut() -> None:
    names = Names(names=("conv", "lstm"), more=True)
    numbers: dict[str, Value] = {"operators": names, "share_fraction": 0.5}
    assert "(conv, lstm …; 50 % of" in sentence("trace-unknown-operators", "en", **numbers)
    assert "conv、lstm …" in sentence("trace-unknown-operators", "zh", **numbers)


def test_each_listed_statement_is_a_message_of_its_own() -> None:
    parts = tuple(Reason.of(code, value="7") for code in ("assumed-epochs", "assumed-batch-size"))
    first, second = (sentence(part.code, "en", **part.numbers) for part in parts)
    assert f"{first}, {second}" in sentence("workload-assumed-values", "en", fields=Listed(reasons=parts))


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("step_s", "s"),
        ("link_bytes_per_s", "bytes_per_s"),
        ("samples_per_s", "per_s"),
        ("count", None),
        ("s", None),
        ("low_ratio", "ratio"),
    ],
)
def test_a_figures_unit_ends_its_name(name: str, unit: str | None) -> None:
    assert unit_of(name) == unit


def test_sentences_in_a_row_have_a_space_between_but_not_after_a_chinese_mark() -> None:
    assert in_a_row(["One.", "Two."]) == "One. Two."
    assert in_a_row(["文件过大。", "请缩短。"]) == "文件过大。请缩短。"
    assert in_a_row(["无法追踪该模型。", "A library's words.", "Its remedy.", "完整日志：/a"]) == (
        "无法追踪该模型。A library's words. Its remedy. 完整日志：/a"
    )
    assert in_a_row(["", "Alone."]) == "Alone."
