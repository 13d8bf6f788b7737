"""A saved advice opens for ever: sentences that lack a value are said without it, and say so."""

from __future__ import annotations

import json

import jsonschema
import pytest

from advisor.core.bundled import resource
from advisor.core.sentences import Language, Listed, Lost, Names, Reason, say, sentence
from advisor.store import json_file
from advisor.store.saved_statements import sayable
from tests.present.fakes import advice
from tests.store.lost_statements import LANGUAGES, lacking, opened, whole


def test_every_sentence_that_lost_any_of_its_values_is_said_and_tells_it() -> None:
    gaps = {language: sentence("saved-value-lost", language) for language in LANGUAGES}
    assert len(lacking()) > 1500
    for reason in lacking():
        kept = sayable(reason)
        for language in LANGUAGES:
            text = say(kept, language)
            assert "\ue000" not in text
            # Where the value stands in words that the others did not choose, none is missing.
            assert gaps[language] in text or text == say(reason, language), reason


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_sentence_still_has_is_told_beside_the_gap(language: Language) -> None:
    saved = Reason.of("caveat-memory-range", high_bytes=30 * 2.0**30, capacity_bytes=22 * 2.0**30, device="RTX 4090")
    text = say(sayable(saved), language)
    assert "30.0 GiB" in text
    assert "22.0 GiB" in text
    assert "RTX 4090" in text
    assert sentence("saved-value-lost", language) in text
    assert "%" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lost_value_that_chose_the_words_leaves_none_of_them(language: Language) -> None:
    said = {say(Reason.of("predict-outside-maker", gpu="MI300X", link=link), language) for link in ("known", "unknown")}
    text = say(sayable(Reason.of("predict-outside-maker", gpu="MI300X")), language)
    assert text not in said
    assert sentence("saved-value-lost", language) in text


def test_a_whole_statement_stays_the_same_object() -> None:
    record = advice()
    assert sayable(record) is record
    for code in ("caveat-memory-range", "why-communication-machines"):
        reason = Reason(code=code, numbers=whole(code))
        assert sayable(reason) is reason


def test_an_argument_that_no_branch_tells_is_not_missed() -> None:
    saved = Reason.of("history-not-written", path="memory", error="full")
    assert sayable(saved) is saved


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_are_gone_leave_the_code_and_its_values(language: Language) -> None:
    text = say(sayable(Reason.of("nobody-knows-this", need_bytes=5.0, device="A100")), language)
    for part in ("nobody-knows-this", "need_bytes = 5.0", "device = A100"):
        assert part in text


def test_a_value_that_cannot_be_set_leaves_the_code_and_its_values() -> None:
    saved = Reason.of("caveat-memory-range", devices=Names(names=(), alternatives=True), need_bytes=1.0)
    text = say(sayable(saved), "en")
    assert "caveat-memory-range (need_bytes = 1.0)" in text


def test_what_stands_in_a_list_is_filled_too() -> None:
    inner = Reason.of("caveat-memory-range", high_bytes=1.0, capacity_bytes=1.0, device="A")
    saved = Reason.of("input-refused", said=Listed(reasons=(inner, Reason.of("nobody-knows-this")), whole=True))
    text = say(sayable(saved), "en")
    assert "(not recorded)" in text
    assert "nobody-knows-this" in text
    assert sayable(Names(names=("a",))) == Names(names=("a",))


def test_what_was_filled_once_is_saved_and_read_again_alike() -> None:
    record = opened(json_file.encode(advice()), 0, 20)
    assert any(isinstance(value, Lost) for reason in record.caveats for value in reason.numbers.values())
    assert json_file.decode(json_file.encode(record), "again.json") == record


def test_the_filled_record_keeps_to_its_published_schema() -> None:
    published = json.loads(resource("schemas/advice.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(json_file.encode(opened(json_file.encode(advice()), 0, 20))), published)
