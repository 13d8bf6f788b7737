"""The question stands with the answer: on the Advice page, and in History for one run and for two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from advisor.gui.history_access import keep
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.pages.history_details import compared_cards
from advisor.recommend.asked import Asked
from advisor.recommend.recommendation import Limits
from tests.gui import fakes
from tests.gui.shown_page import shown_page
from tests.gui.test_history_page import cells, listed
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings
    from advisor.store.advice_record import AdviceRecord


def asked_within(hours: float | None) -> AdviceRecord:
    limits = Limits(max_job_s=None if hours is None else hours * 3600)
    return msgspec.structs.replace(fakes.advice(), asked=Asked(limits=limits))


def said_on(widget: QWidget) -> str:
    return words_of(widget).replace("\N{NO-BREAK SPACE}", " ")


def test_the_advice_page_tells_what_was_asked_for(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.set_advice(asked_within(24))
    assert "Asked for: within 24 h" in said_on(shown_page(window, "advice", AdvicePage, qtbot))


def test_where_nothing_is_advised_the_page_tells_it_too(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.set_advice(msgspec.structs.replace(asked_within(0.5), recommendation=None, recommendation_local=None))
    assert "Asked for: within 0.5 h" in said_on(shown_page(window, "advice", AdvicePage, qtbot))


def test_history_tells_what_the_chosen_run_was_asked_for(window: MainWindow, settings: Settings, qtbot: QtBot) -> None:
    keep(settings.history_folder, asked_within(24))
    page = listed(window, qtbot)
    qtbot.waitUntil(lambda: "Asked for: within 24 h" in said_on(page), timeout=30_000)


def test_two_runs_that_were_asked_differently_say_so(window: MainWindow) -> None:
    context = window.context
    rows = [row for card in compared_cards(asked_within(24), asked_within(None), context) for row in cells(card)]
    assert ["Asked for", "within 24 h", "–"] in [row for table in rows for row in table]
    alike = compared_cards(asked_within(24), asked_within(24), context)
    assert not any(row[0] == "Asked for" for card in alike for table in cells(card) for row in table)
    before = msgspec.structs.replace(asked_within(24), asked=None)
    assert not any(
        row[0] == "Asked for"
        for card in compared_cards(before, asked_within(24), context)
        for table in cells(card)
        for row in table
    )
