"""What an advice was asked for is kept with it, and told wherever its answer stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from advisor import advise
from advisor.advice.advice import Advice
from advisor.core.sentences import Language
from advisor.present.markdown_file import encode
from advisor.present.one_screen import one_screen
from advisor.present.report.content import report_content
from advisor.present.summary import asked_line, summarise
from advisor.recommend.prices import Prices
from advisor.store import json_file

if TYPE_CHECKING:
    from collections.abc import Mapping

_PRICES = Prices(currency="USD", date="2026-11-30", devices={"rtx4090": 0.5})
_WORDS: Mapping[Language, str] = {
    "en": "least cost, within 24 h, for at most $200.00, at most 500 W for all cards, prices of 2026-11-30 in USD, "
    "64.0 GiB of memory in each host, PCIe 4.0 x8 between the cards",
    "zh": "费用最低、24 小时以内、费用不超过 US$200.00、所有显卡的总功率不超过 500 W、采用 2026-11-30 的价格（USD）、"
    "每台主机的内存为 64.0 GiB、显卡间的互联为 PCIe 4.0 x8",
}


@pytest.fixture(scope="module")
def limited() -> Advice:
    return advise(
        "iris_mlp", measure=False, gpus="4090", counts=(1,), goal="cost", prices=_PRICES, max_cost=200, max_hours=24,
        max_power_w=500, host_memory_gib=64, interconnect="PCIe 4.0 x8",
    )  # fmt: skip


@pytest.fixture(scope="module")
def frugal() -> Advice:
    """Of what no card keeps."""
    return advise("iris_mlp", measure=False, gpus="4090", counts=(1,), max_power_w=5)


@pytest.mark.parametrize("language", _WORDS)
def test_the_question_stands_above_the_answer_on_every_way_out(limited: Advice, language: Language) -> None:
    words = _WORDS[language]
    assert asked_line(limited, language) == words
    assert next(text for _, text in summarise(limited, language).figures) == words
    assert next(text for _, text in one_screen(limited, language).figures) == words
    assert words in report_content(limited, language)["headline_notes"][0]
    assert words.partition(" ")[0] in encode(limited, language).decode()


def test_a_saved_advice_tells_its_question_again(limited: Advice) -> None:
    opened = json_file.decode(limited.to_json().encode(), "a.json")
    assert opened.asked == limited.asked
    assert opened.asked is not None
    assert opened.asked.prices == _PRICES
    assert opened.asked.limits.max_job_s == 24 * 3600


def test_an_advice_from_before_the_question_was_kept_opens_and_tells_none(limited: Advice) -> None:
    raw = msgspec.json.decode(limited.to_json())
    del raw["asked"]
    opened = json_file.decode(msgspec.json.encode(raw), "old.json")
    assert opened.asked is None
    assert asked_line(opened, "en") == ""
    assert all(label != "Asked for" for label, _ in summarise(opened, "en").figures)


def test_of_a_question_without_wishes_nothing_is_said() -> None:
    usual = advise("iris_mlp", measure=False, gpus="4090", counts=(1,))
    assert usual.asked is not None
    assert asked_line(usual, "en") == ""
    assert "Asked for" not in usual.explain()


@pytest.mark.parametrize("details", [True, False])
def test_where_nothing_keeps_the_limits_they_are_told_all_the_same(frugal: Advice, *, details: bool) -> None:
    assert frugal.main is None
    assert "at most 5 W for all cards" in " ".join(frugal.explain(details=details).split())
    assert "at most 5 W" in report_content(frugal, "en")["headline_notes"][0]
