"""What nobody sees costs next to nothing: a page behind is drawn once it comes to the front, a hidden window rests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel

from tests.gui import fakes

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.page import Page
    from advisor.gui.session import Session


def labels(page: Page) -> set[int]:
    return {id(one) for one in page.findChildren(QLabel)}


@pytest.mark.parametrize("name", ["advice", "compare"])
def test_a_hidden_page_shows_a_new_advice_when_it_comes_to_the_front(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName
) -> None:
    window.show()
    qtbot.waitExposed(window)
    window.show_page(name)
    page = window.page(name)
    window.show_page("model")
    qtbot.wait(20)
    before = labels(page)
    advice = fakes.advice()
    session.set_advice(msgspec.structs.replace(advice, predictions=advice.predictions))
    qtbot.wait(20)
    assert labels(page) == before
    window.show_page(name)
    qtbot.waitUntil(lambda: labels(page) != before and not page.filling, timeout=120_000)
    assert len(labels(page)) > len(before)


def wakes_a_minute(window: MainWindow, session: Session) -> float:
    """How often the timers of the window and its session wake the process, as they are set now."""
    timers = [*window.findChildren(QTimer), *session.findChildren(QTimer)]
    return sum(60_000 / one.interval() for one in timers if one.isActive() and not one.isSingleShot())


def test_a_hidden_window_at_rest_wakes_at_most_thirty_times_a_minute(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: window.preload.done, timeout=120_000)
    session.machine = fakes.machine()
    session.feed.start()
    window.show_page("measure")
    qtbot.waitUntil(lambda: not window.page("measure").filling, timeout=120_000)
    shown = wakes_a_minute(window, session)
    window._visibility_changed(hidden=True)
    # The one timer that is left looks for garbage, which also what goes on in a hidden window makes.
    assert 0 < wakes_a_minute(window, session) <= 30
    window._visibility_changed(hidden=False)
    assert wakes_a_minute(window, session) == shown > 300
