"""What can be done with a row of a table by keyboard and by its menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMenu

from advisor.gui.history_access import keep
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.pages.history_page import HistoryPage
from tests.gui import fakes
from tests.gui.at_the_window import strike, strike_key
from tests.gui.shown_page import shown_page
from tests.gui.test_at_the_window import active

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QAction
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.widgets.table import Table


def menu_of(table: Table, qtbot: QtBot) -> dict[str, QAction]:
    """The open menu of the row that has the keys, by its words."""
    for old in table.findChildren(QMenu):
        old.close()
        old.setParent(None)
    table.customContextMenuRequested.emit(table.visualRect(table.currentIndex()).center())
    (menu,) = table.findChildren(QMenu)
    qtbot.waitUntil(menu.isVisible)
    return {action.text(): action for action in menu.actions() if not action.isSeparator()}


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_row_of_compare_is_ticked_pinned_and_priced_by_keys_and_by_its_menu(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    card = shown_page(window, "compare", ComparePage, qtbot)._table
    texts, table = card.texts, card.table
    active(window, qtbot)
    table.setFocus()
    table.selectRow(2)
    one = table.record_at(table.currentIndex())
    strike_key(window, Qt.Key.Key_F2)
    (editor,) = table.viewport().findChildren(QLineEdit)
    qtbot.waitUntil(editor.hasFocus)
    strike(window, "3")
    strike_key(window, Qt.Key.Key_Return)
    assert session.prices_in("USD") == {one.prediction.device.key: 3.0}
    ticked = one.ticked
    menu_of(table, qtbot)[texts("compare-untick" if ticked else "compare-tick")].trigger()
    assert one.ticked != ticked
    menu_of(table, qtbot)[texts("compare-pin")].trigger()
    assert one.pinned
    assert table.record_at(table.currentIndex()) is one
    offered = menu_of(table, qtbot)
    assert texts("compare-unpin") in offered
    assert texts("compare-set-price") in offered
    card._choose_column("price", shown=False)
    assert texts("compare-set-price") not in menu_of(table, qtbot)
    for menu in table.findChildren(QMenu):
        menu.close()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_menu_of_a_run_offers_what_the_buttons_offer(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    keep(tmp_path, fakes.advice())
    keep(tmp_path, fakes.advice())
    page = shown_page(window, "history", HistoryPage, qtbot)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy, timeout=120_000)
    offered = [page.texts(f"history-{name}") for name in ("open", "export", "delete")]
    assert list(menu_of(page._table, qtbot))[:-1] == offered
    page._table.selectAll()
    qtbot.waitUntil(lambda: not page.busy, timeout=120_000)
    both = [page.texts(f"history-{name}") for name in ("compare", "delete")]
    assert list(menu_of(page._table, qtbot))[:-1] == both
    page._table.selectRow(0)
    menu_of(page._table, qtbot)[page.texts("history-open")].trigger()
    qtbot.waitUntil(lambda: window.current == "advice", timeout=120_000)
    assert session.advice is not None
