"""A text that is no JSON or TOML is told by the line and what stands there, in both languages."""

from __future__ import annotations

import pytest

from advisor.core.errors import InputError
from advisor.core.input_file import parse_json, parse_toml
from advisor.core.sentences import SaidError, say
from advisor.store import json_file


def told(fault: SaidError) -> tuple[str, str]:
    english, chinese = (say(fault.statement, language) for language in ("en", "zh"))
    return english, chinese


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = foo", "from line 1, column 5 on, where `foo` stands"),
        ("a = 1\nb = 2 3", "from line 2, column 7 on, where `3` stands"),
        ("[model]\nsource = [1,\n2", "something that line 3 or an earlier one begins is never ended"),
        ("\u00ada = 1", "where `\\u00ada = 1` stands"),
        ('a = "x', "that line 1 or an earlier one begins"),
        ("a = 1\nb 2", "where `2` stands"),
        ('a = "C:\\models\\q"', "line 1 has a single backslash"),
        ("a = 1\na = 2", "line 2 names what an earlier line has set already"),
        ("[a]\n[a]", "line 2 names what an earlier line"),
    ],
)
def test_toml_is_refused_by_the_place_where_it_ends_to_be_that(text: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_toml(text, "mine.toml")
    assert isinstance(raised.value, SaidError)
    english, chinese = told(raised.value)
    assert said in english
    assert " at line" not in chinese
    assert "Expected" not in chinese


@pytest.mark.parametrize(
    ("text", "said", "of_advice"),
    [
        ('{"a": 1,\n "é": 2 3}', "from line 2, column 9 on, where `3}` stands", True),
        ('{"a": [1, 2', "it ends at line 1 before it is complete", True),
        ("", "it ends at line 1 before", True),
        ("<html>", "from line 1, column 1 on, where `<html>` stands", True),
        ('{"a": NaN}', "NaN is no number that JSON has", False),
    ],
)
def test_json_is_refused_by_the_place_where_it_ends_to_be_that(text: str, said: str, *, of_advice: bool) -> None:
    with pytest.raises(InputError) as raised:
        parse_json(text, "config.json")
    assert isinstance(raised.value, SaidError)
    assert said in told(raised.value)[0]
    if of_advice:
        with pytest.raises(InputError) as raised:
            json_file.decode(text.encode(), "advice.json")
        assert isinstance(raised.value, SaidError)
        english, chinese = told(raised.value)
        assert said in english
        assert "malformed" not in chinese
        assert "truncated" not in chinese


def test_an_advice_that_an_editor_marked_as_utf_8_is_read() -> None:
    with pytest.raises(InputError, match="schema_version is missing"):
        json_file.decode(b"\xef\xbb\xbf{}", "advice.json")


def test_an_advice_that_is_no_text_or_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="byte 7 is not UTF-8"):
        json_file.decode(b'{"a": "\xff"}', "advice.json")
    with pytest.raises(InputError, match="nested over"):
        json_file.decode(b"[" * 100_000, "advice.json")
