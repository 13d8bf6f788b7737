"""On a screen of 640 × 480 no page is wider than the window and no dialog higher than the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from advisor.gui.advised.switches import SwitchesCard
from advisor.gui.context import PAGE_NAMES
from advisor.gui.dialogs.settings_dialog import SettingsDialog
from advisor.gui.history_access import keep
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.widgets.buttons import WordsOfBox
from advisor.recommend.switches import SwitchKind
from tests.gui.conftest import renew
from tests.gui.shown_page import shown_page
from tests.gui.test_advice_picture import with_switches

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.core.sentences import Language
    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.store.advice_record import AdviceRecord

SMALLEST = (624, 440)
"""What 640 × 480 leaves inside a frame."""


def with_every_switch() -> AdviceRecord:
    advice = with_switches()
    one = advice.switches[0]
    every = tuple(msgspec.structs.replace(one, kind=kind) for kind in get_args(SwitchKind))
    return msgspec.structs.replace(advice, switches=every)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PAGE_NAMES)
def test_no_page_is_wider_than_the_window(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName, language: Language
) -> None:
    advice = with_every_switch()
    session.show_recorded(advice)
    keep(session.settings.history_folder, advice)
    window.settings.store("language", language)
    renew(window)
    window.setMinimumSize(*SMALLEST)
    window.resize(*SMALLEST)
    window.show_page(name)
    page = window.page(name)
    qtbot.waitUntil(lambda: not page.filling and not getattr(page, "busy", False), timeout=120_000)
    content, seen = page.scroll_area.widget(), page.scroll_area.viewport()
    assert content is not None
    qtbot.waitUntil(lambda: content.width() <= seen.width(), timeout=20_000)
    assert window.width() == SMALLEST[0]


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_no_page_that_is_still_empty_is_wider_than_the_window(window: MainWindow, qtbot: QtBot, name: PageName) -> None:
    window.setMinimumSize(*SMALLEST)
    window.resize(*SMALLEST)
    window.show_page(name)
    page = window.page(name)
    qtbot.waitUntil(lambda: not page.filling and not getattr(page, "busy", False), timeout=120_000)
    content, seen = page.scroll_area.widget(), page.scroll_area.viewport()
    assert content is not None
    qtbot.waitUntil(lambda: content.width() <= seen.width(), timeout=20_000)


def test_the_words_of_a_switch_press_it_and_stand_whole_in_as_many_lines_as_they_need(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.show_recorded(with_every_switch())
    window.setMinimumSize(*SMALLEST)
    window.resize(*SMALLEST)
    page = shown_page(window, "advice", AdvicePage, qtbot)
    card = page.findChild(SwitchesCard)
    assert isinstance(card, SwitchesCard)
    named = [one for one in card.findChildren(WordsOfBox) if one.box in card._boxes.values()]
    assert len(named) == len(card._boxes) > 3
    qtbot.waitUntil(lambda: all(one.height() >= one.heightForWidth(one.width()) for one in named), timeout=20_000)
    assert max(one.height() for one in named) > 2 * min(one.height() for one in named) - 2
    for one in named:
        was = one.box.isChecked()
        QTest.mouseClick(one, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
        assert one.box.isChecked() != was
        assert one.box.accessibleName().replace(" ", "") in one.text().replace("\N{NO-BREAK SPACE}", "").replace(
            " ", ""
        )
    QTest.mousePress(named[0], Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    was = named[0].box.isChecked()
    QTest.mouseRelease(named[0], Qt.MouseButton.LeftButton, pos=QPoint(5, -50))
    assert named[0].box.isChecked() == was


def test_the_answers_of_the_settings_stay_on_a_small_screen_and_a_wrong_field_comes_into_sight(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    dialog = SettingsDialog(window, window.context.texts, session.settings)
    qtbot.addWidget(dialog)
    dialog.show()
    room = window.screen().availableSize()
    qtbot.waitUntil(lambda: dialog.height() <= room.height(), timeout=20_000)
    dialog.resize(dialog.width(), SMALLEST[1])
    qtbot.waitUntil(lambda: dialog.scrolled.verticalScrollBar().maximum() > 0, timeout=20_000)
    assert dialog.rect().contains(dialog.accepting.mapTo(dialog, dialog.accepting.rect().bottomRight()))
    dialog.scrolled.verticalScrollBar().setValue(dialog.scrolled.verticalScrollBar().maximum())
    wrong = dialog._lines["budget_s"]
    wrong.setText("soon")
    dialog.scrolled.verticalScrollBar().setValue(dialog.scrolled.verticalScrollBar().maximum())
    dialog.accept()
    seen = dialog.scrolled.viewport()
    assert seen.rect().contains(wrong.mapTo(seen, wrong.rect().center()))
    assert dialog.scrolled.horizontalScrollBar().maximum() == 0
