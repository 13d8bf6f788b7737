"""A page of the window as a user has it before them: shown, and filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.pages.page import Page
from tests.gui import fakes

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

P = TypeVar("P", bound=Page)


def shown_page(window: MainWindow, name: PageName, kind: type[P], qtbot: QtBot) -> P:
    """Go to the page, which is of that class, and wait until nothing of it is missing."""
    window.show_page(name)
    page = window.page(name)
    assert isinstance(page, kind)
    qtbot.waitUntil(lambda: page.isVisible() and not page.filling, timeout=120_000)
    return page


def shown_comparison(window: MainWindow, session: Session, qtbot: QtBot) -> ComparePage:
    """Compare with a recorded advice, in a window that shows all of it."""
    session.show_recorded(fakes.advice())
    window.resize(1280, 1000)
    return shown_page(window, "compare", ComparePage, qtbot)
