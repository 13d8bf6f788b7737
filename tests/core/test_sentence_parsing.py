"""Sentences are parsed when they are said, and most without a parser: each reads as Fluent itself would set it."""

from __future__ import annotations

from typing import Literal

import pytest
from fluent.runtime import FluentBundle, FluentResource

from advisor.core.bundled import resource
from advisor.core.sentences import _formatted, _readable, _sources, message_exists, sentence
from tests.core.test_sentences import catalogue

VALUES: tuple[float | int | str, ...] = (0, 1, 12345, "text", 2.5, 1234567.891)


def whole(language: str) -> FluentBundle:
    bundle = FluentBundle([language], use_isolating=False)
    for path in sorted((resource("sentences") / language).glob("*.ftl")):
        bundle.add_resource(FluentResource(path.read_text(encoding="utf-8")))
    return bundle


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_message_is_set_as_fluent_sets_it(language: Literal["en", "zh"]) -> None:
    bundle, compared = whole(language), 0
    for code, (_, names) in catalogue(language).items():
        pattern = bundle.get_message(code).value
        assert pattern is not None
        for value in VALUES:
            if isinstance(value, str) or not any(name.endswith("_s") for name in names) or value:
                numbers = {name: _readable(name, value, language, "binary") for name in names}
                expected, errors = bundle.format_pattern(pattern, numbers)
                assert not errors
                assert _formatted(code, language, numbers) == str(expected), code
                compared += 1
    assert compared > 4 * len(catalogue(language))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_message_is_found_by_its_id(language: Literal["en", "zh"]) -> None:
    assert set(_sources(language)) == set(catalogue(language))


def test_an_unknown_message_and_a_missing_argument_are_bugs_of_ours() -> None:
    assert not message_exists("no-such-message", "en")
    with pytest.raises(KeyError):
        sentence("no-such-message", "en")
    with pytest.raises(KeyError):
        sentence("summary-title", "en")
