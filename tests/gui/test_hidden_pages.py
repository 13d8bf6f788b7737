"""A page that nobody sees is not drawn anew when an advice arrives, but as soon as it comes to the front."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
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
