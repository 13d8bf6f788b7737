"""The window's words: both languages say the same things, and the bundled font can draw them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

import advisor
from advisor.core.bundled import resource, workloads_folder

_MESSAGE = re.compile(r"^([a-z][\w-]*) = (.*(?:\n[ \t]+.*)*)", re.MULTILINE)
_ARGUMENT = re.compile(r"\$([a-z_]+)")
_USED = re.compile(r"""texts\(\s*"([a-z][a-z0-9-]*)\"""")
PACKAGE = Path(advisor.__file__).parent


def messages(language: str) -> dict[str, str]:
    text = (resource("sentences") / language / "window.ftl").read_text(encoding="utf-8")
    return dict(_MESSAGE.findall(text))


def test_both_languages_have_the_same_messages_with_the_same_arguments() -> None:
    english, chinese = messages("en"), messages("zh")
    assert set(english) == set(chinese)
    for code, text in english.items():
        assert set(_ARGUMENT.findall(text)) == set(_ARGUMENT.findall(chinese[code])), code


def test_no_message_is_named_twice() -> None:
    for language in ("en", "zh"):
        codes: list[str] = []
        for path in (resource("sentences") / language).glob("*.ftl"):
            codes += [code for code, _text in _MESSAGE.findall(path.read_text(encoding="utf-8"))]
        assert len(codes) == len(set(codes))


def test_every_message_that_the_window_names_exists() -> None:
    known: set[str] = set()
    for path in (resource("sentences") / "en").glob("*.ftl"):
        known |= {code for code, _text in _MESSAGE.findall(path.read_text(encoding="utf-8"))}
    used: set[str] = set()
    for path in (PACKAGE / "gui").rglob("*.py"):
        used |= set(_USED.findall(path.read_text(encoding="utf-8")))
    assert len(used) > 100
    assert used - known == set()


@pytest.mark.parametrize("weight", ["Regular", "Bold"])
def test_the_bundled_font_has_every_character_of_all_texts(weight: str) -> None:
    drawable = set(TTFont(resource("fonts") / f"AdvisorSans-{weight}.otf").getBestCmap())
    paths = [*resource("sentences").rglob("*.ftl"), *workloads_folder().glob("*.toml"), *resource("").glob("*.toml")]
    assert len(paths) > 20
    for path in paths:
        missing = {one for one in path.read_text(encoding="utf-8") if one.isprintable()} - {chr(c) for c in drawable}
        assert missing == set(), path.name


def test_the_licence_of_the_font_is_beside_it() -> None:
    text = (resource("fonts") / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE" in text
    assert "Reserved Font Name" in text
