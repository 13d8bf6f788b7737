"""Every phase, verdict and caveat of a measurement can be said in both languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import advisor
from advisor.core.bundled import resource
from advisor.core.sentences import Language, message_exists
from advisor.measure.measurement import VerdictKind

PACKAGE = Path(advisor.__file__).parent
CODE = re.compile(r'"((?:measure|worker|local)-[a-z0-9]+(?:-[a-z0-9]+)+)"')
SOURCES = [
    *(PACKAGE / "measure").glob("*.py"),
    *(PACKAGE / "worker").rglob("*.py"),
    *(PACKAGE / "predict").glob("local_*.py"),
]
ENDS = ("settled", "noise-settled", "cap", "out-of-memory", "too-long", "memory-limit", "no-budget", "not-supported")


def _codes() -> set[str]:
    return {code for path in SOURCES for code in CODE.findall(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("language", get_args(Language))
def test_every_code_in_the_sources_has_its_sentence(language: Language) -> None:
    codes = _codes()
    assert len(codes) > 40
    assert [code for code in sorted(codes) if not message_exists(code, language)] == []


@pytest.mark.parametrize("language", get_args(Language))
def test_every_end_of_a_worker_has_its_sentences(language: Language) -> None:
    for how in ("hung", "too-large", "killed", "died"):
        for code in (f"measure-worker-{how}", f"measure-worker-{how}-early", f"trace-worker-{how}"):
            assert message_exists(code, language), code


@pytest.mark.parametrize("language", get_args(Language))
def test_every_verdict_and_every_end_of_a_series_has_its_sentence(language: Language) -> None:
    verdicts = [f"measure-verdict-{kind.replace('_', '-')}" for kind in get_args(VerdictKind)]
    for code in (*verdicts, *(f"measure-ended-{end}" for end in ENDS)):
        assert message_exists(code, language), code


def test_both_languages_have_the_same_messages_with_the_same_arguments() -> None:
    found = []
    for language in get_args(Language):
        text = (resource("sentences") / language / "measure.ftl").read_text(encoding="utf-8")
        messages = re.findall(r"^([a-z0-9-]+) = (.*)$", text, re.MULTILINE)
        found.append({name: frozenset(re.findall(r"\$([a-z_]+)", value)) for name, value in messages})
    assert found[0] == found[1]


def test_every_caveat_says_what_to_do() -> None:
    text = (resource("sentences") / "en" / "measure.ftl").read_text(encoding="utf-8")
    caveats = re.findall(
        r"^((?:measure|worker|local)-(?!phase|verdict|stop|said)[a-z0-9-]+(?<!-remedy)) = (.*(?:\n +.*)*)",
        text,
        re.MULTILINE,
    )
    assert len(caveats) > 40
    for name, value in caveats:
        sentences = re.findall(r"[^.;]+[.;]|[^.;]+$", value.replace("{ $text }", "It."))
        assert len(sentences) >= 2, name
