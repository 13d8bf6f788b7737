"""Whatever Tab comes to has a name for a screen reader, shows that it has the focus, and comes as one reads."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from advisor.gui.context import PAGE_NAMES
from advisor.gui.history_access import keep
from tests.gui import fakes
from tests.gui.at_the_window import strike_key
from tests.gui.test_at_the_window import active
from tests.gui.test_screen_reader import said, with_advice

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.page import Page
    from advisor.gui.session import Session

_MOST = 400
"""Strokes of Tab in which it has been everywhere in the window."""


def reached(page: Page) -> list[QWidget]:
    """What Tab comes to on a page, in its order, from one round through the window."""
    found: list[QWidget] = []
    for _ in range(_MOST):
        strike_key(page, Qt.Key.Key_Tab)
        widget = QApplication.focusWidget()
        assert widget is not None
        if widget in found[:-1]:
            return [one for one in found[found.index(widget) :] if page.isAncestorOf(one)]
        if widget not in found:  # Each link of a text takes a further stroke.
            found.append(widget)
    raise AssertionError(f"Tab was struck {_MOST} times and did not come round")


def named(widget: QWidget) -> bool:
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    labels = interface.relations(QAccessible.RelationFlag.Label)
    return bool(said(widget, QAccessible.Text.Name) or [one for one, _flag in labels])


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_what_tab_comes_to_has_a_name_shows_its_focus_and_comes_as_one_reads(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName
) -> None:
    with_advice(session)
    for _ in range(2):
        keep(session.settings.history_folder, fakes.advice())
    window.resize(1280, 800)
    window.show_page(name)
    page = window.page(name)
    qtbot.waitUntil(lambda: not page.filling and not getattr(page, "busy", False), timeout=120_000)
    active(window, qtbot)
    window.navigation._buttons[name].setFocus()
    widgets = reached(page)
    assert len(widgets) >= 5
    assert [type(one).__name__ for one in widgets if not named(one)] == []
    page.scroll_area.verticalScrollBar().setValue(0)  # Tab scrolled to what it came to.
    places = [QRect(one.mapTo(page, QPoint()), one.size()) for one in widgets]
    # Up goes only what begins a further column.
    jumps = [(first, then) for first, then in pairwise(places) if then.bottom() < first.top() and then.x() <= first.x()]
    assert jumps == []
    elsewhere, unseen = window.navigation._buttons[name], []
    for widget in widgets:
        if isinstance(widget, QLabel):  # Its link shows the focus that the key brings, and no other.
            continue
        elsewhere.setFocus()
        without = widget.grab().toImage()
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if widget.hasFocus() and widget.grab().toImage() == without:
            unseen.append((type(widget).__name__, said(widget, QAccessible.Text.Name)))
    assert unseen == []
