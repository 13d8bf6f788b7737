"""Letters as large as the system's, and a window that is narrow for them: nothing is cut, nothing lies sideways."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QStyle, QStyleOptionButton

from advisor.gui.context import PAGE_NAMES
from advisor.gui.fonts import system_zoom
from advisor.gui.history_access import keep
from tests.gui import fakes
from tests.gui.conftest import renew
from tests.gui.cut_texts import cut_texts

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.page import Page
    from advisor.gui.session import Session


@pytest.mark.parametrize(
    ("letters", "zoom"), [(0, 1.0), (9, 1.0), (12, 1.0), (15, 1.0), (19, 1.25), (21, 1.4), (27, 1.6), (60, 1.6)]
)
def test_letters_are_larger_where_the_systems_are(letters: int, zoom: float) -> None:
    assert system_zoom(letters) == zoom


def test_who_chose_no_size_of_letters_has_the_systems_and_comes_back_to_it(window: MainWindow, qtbot: QtBot) -> None:
    window.settings.usual_zoom = 1.4
    window.rebuild_soon()
    qtbot.waitUntil(lambda: window.context.theme.zoom == 1.4, timeout=20_000)
    window.commands.act("zoom-in")
    qtbot.waitUntil(lambda: window.context.theme.zoom == 1.6, timeout=20_000)
    window.commands.act("zoom-usual")
    qtbot.waitUntil(lambda: window.context.theme.zoom == 1.4, timeout=20_000)


@pytest.mark.parametrize(
    ("size", "zoom", "language"),
    [((660, 380), 1.0, "en"), ((660, 380), 1.0, "zh"), ((768, 500), 1.25, "en"), ((960, 620), 1.6, "zh")],
)
def test_in_a_window_that_is_narrow_for_its_letters_nothing_is_cut_and_nothing_lies_sideways(
    window: MainWindow, session: Session, qtbot: QtBot, size: tuple[int, int], zoom: float, language: str
) -> None:
    window.settings.store("zoom", f"{zoom}")
    window.settings.store("language", language)
    renew(window)
    keep(session.settings.history_folder, fakes.advice())
    session.show_recorded(fakes.advice())
    window.setMinimumSize(0, 0)
    window.resize(*size)
    qtbot.waitUntil(lambda: window.width() == size[0], timeout=20_000)
    for name in PAGE_NAMES:
        window.show_page(name)
        page = window.page(name)
        qtbot.waitUntil(partial(is_filled, page), timeout=120_000)
        qtbot.waitUntil(partial(is_no_wider_than_seen, page), timeout=20_000)
        qtbot.waitUntil(partial(is_whole, page), timeout=20_000)


def is_filled(page: Page) -> bool:
    return not page.filling and not getattr(page, "busy", False)


def is_whole(page: Page) -> None:
    """An example of what may be typed is no text to be read: it goes as soon as something is."""
    assert [text for text in cut_texts(page) if text != f"line: {page.texts('cases-example-1')}"] == []


def is_no_wider_than_seen(page: Page) -> bool:
    content = page.scroll_area.widget()
    return content is not None and content.width() <= page.scroll_area.viewport().width()


def test_an_icon_without_its_name_is_seen_whole(window: MainWindow, qtbot: QtBot) -> None:
    window.setMinimumSize(0, 0)
    window.resize(700, 400)
    buttons = window.navigation._buttons.values()
    qtbot.waitUntil(lambda: all(not one.text() for one in buttons), timeout=20_000)
    for one in buttons:
        option = QStyleOptionButton()
        one.initStyleOption(option)
        inside = one.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, one)
        assert inside.width() >= one.iconSize().width()
