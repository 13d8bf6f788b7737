"""A sum of money is written as each language writes it, the same in window, terminal and report."""

from __future__ import annotations

import msgspec
import pytest

from advisor.core.money import format_cost
from advisor.core.sentences import Money, Reason, say


@pytest.mark.parametrize(
    ("cost", "currency", "english", "chinese"),
    [
        (12.4, "USD", "$12.40", "US$12.40"),
        (12.4, "EUR", "€12.40", "€12.40"),
        (12.4, "CNY", "CN¥12.40", "¥12.40"),
        (12.4, "JPY", "¥12.40", "JP¥12.40"),
        (1240.0, "GBP", "£1,240.00", "£1,240.00"),
        (12.4, "CHF", "CHF 12.40", "CHF 12.40"),
        (12.4, "INR", "INR 12.40", "INR 12.40"),
        (12.4, "usd", "$12.40", "US$12.40"),
        (12.4, "$", "$12.40", "$12.40"),
        (12.4, "元", "12.40 元", "12.40 元"),
        (12.4, None, "12.40", "12.40"),
        (12.4, " ", "12.40", "12.40"),
        (0.0523, "EUR", "€0.052", "€0.052"),
        (0.0996, "EUR", "€0.10", "€0.10"),
        (0.005, "EUR", "€0.0050", "€0.0050"),
        (0.0001, "EUR", "€0.00010", "€0.00010"),
        (0.00004, "EUR", "< €0.0001", "< €0.0001"),
        (0.0, "EUR", "€0.00", "€0.00"),
        (-3.0, "USD", "-$3.00", "-US$3.00"),
    ],
)
def test_the_sign_stands_in_front_and_a_word_behind(cost: float, currency: str, english: str, chinese: str) -> None:
    assert (format_cost(cost, currency, "en"), format_cost(cost, currency, "zh")) == (english, chinese)


def test_a_sentence_writes_a_sum_in_its_own_language_whenever_it_was_recorded() -> None:
    told = Reason.of("caveat-cost-loading", least=Money(cost=7.5, currency="CNY"), limit=Money(cost=5.0))
    read = msgspec.json.decode(msgspec.json.encode(told), type=Reason)
    assert read == told
    assert "at least CN¥7.50: more than the 5.00 allowed" in say(read, "en")
    assert "¥7.50" in say(read, "zh")
    assert "CN¥" not in say(read, "zh")


def test_a_sum_of_an_older_record_is_said_as_it_was_written() -> None:
    assert "7.50 EUR" in say(Reason.of("caveat-cost-loading", least="7.50 EUR", limit="5 EUR"), "en")
