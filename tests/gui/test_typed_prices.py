"""Prices typed into Compare's table outlive the window, with the currency and the day they were typed in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QLocale

from advisor.gui.jobs.answers import request_of
from advisor.gui.jobs.asks import AdviseAsk
from advisor.gui.models.typed_prices import read_typed, typed_today
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.session import Session
from advisor.gui.settings import Settings, currency_of
from tests.gui import fakes
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow


def test_typed_prices_are_there_again_after_a_restart_with_their_currency_and_day(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    page = shown_page(window, "compare", ComparePage, qtbot)
    first = page._table.table.shown_records()[0]
    key = first.prediction.device.key
    assert page._table._set_price(first, "2.5")
    kept = Settings(Path(settings._store.fileName())).typed_prices
    assert kept is not None
    assert (kept.currency, kept.devices) == ("USD", {key: 2.5})
    assert kept.date in page._table._prices.text()
    again = Session(settings, MonitorFeed())
    assert again.prices_in("USD") == {key: 2.5}
    assert again.prices_in("EUR") == {}
    again.set_prices({}, "EUR")
    assert again.prices == kept
    page._reset()
    assert settings.typed_prices is None
    assert page._table._prices.isHidden()


def test_what_the_settings_hold_is_no_price_unless_it_is_whole() -> None:
    for text in ("", "{}", "[1]", '{"currency":"USD","date":"2026-01-01","devices":{"a100":-1}}', "{"):
        assert read_typed(text) is None
    prices = typed_today({"a100": 2.0}, "EUR")
    assert read_typed(prices.as_text()) == prices


def test_prices_typed_in_another_currency_are_not_mixed_with_a_files(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('currency = "EUR"\ndate = "2026-01-01"\n[devices]\nl40s = 1.0\n', encoding="utf-8")
    ask = AdviseAsk(workload=fakes.workload(), measure=False, budget_s=5.0, price_file=str(file))
    for currency, expected in (("USD", {"l40s": 1.0}), ("EUR", {"l40s": 3.0})):
        typed = msgspec.structs.replace(ask, prices=typed_today({"l40s": 3.0}, currency))
        prices = request_of(typed).prices
        assert prices is not None
        assert (prices.currency, prices.devices) == ("EUR", expected)


@pytest.mark.parametrize(("place", "currency"), [("zh_CN", "CNY"), ("de_DE", "EUR"), ("en_US", "USD"), ("C", "USD")])
def test_prices_are_typed_in_the_currency_of_the_place(place: str, currency: str) -> None:
    assert currency_of(QLocale(place)) == currency
