"""Which columns Compare's table shows where there is no room for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QFontMetrics

from advisor.gui.widgets.cell_delegate import _PADDING
from tests.gui.conftest import renew
from tests.gui.shown_page import shown_comparison
from tests.gui.test_compare_page import place, rows

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.compare_page import ComparePage
    from advisor.gui.session import Session


@pytest.fixture
def narrow(window: MainWindow, session: Session, qtbot: QtBot) -> ComparePage:
    """So narrow that columns give way to others."""
    page = shown_comparison(window, session, qtbot)
    window.resize(1080, 720)
    qtbot.waitUntil(lambda: window.width() == 1080 and page._table.table.isColumnHidden(place(page, "memory")))
    return page


def test_who_typed_a_price_sees_the_cost_of_the_job_beside_its_time(narrow: ComparePage) -> None:
    table = narrow._table.table
    assert table.isColumnHidden(place(narrow, "cost")), "no price is known, so no cost"
    assert narrow._table._set_price(rows(narrow)[0], "2.5")
    assert not any(table.isColumnHidden(place(narrow, name)) for name in ("rate", "job", "price", "cost"))
    assert table.horizontalScrollBar().maximum() == 0
    narrow._reset()
    assert table.isColumnHidden(place(narrow, "cost"))


def test_a_typed_price_is_whole_in_the_bold_letters_that_it_is_written_in(narrow: ComparePage) -> None:
    first, table = rows(narrow)[0], narrow._table.table
    assert narrow._table._set_price(first, "123.45")
    font = table.font()
    font.setBold(True)
    written = narrow._table.model.columns[place(narrow, "price")].text(first)
    assert table.columnWidth(place(narrow, "price")) > QFontMetrics(font).horizontalAdvance(written) + 2 * _PADDING


def test_the_menu_of_columns_ticks_those_that_are_seen_and_shows_another_at_once(narrow: ComparePage) -> None:
    card = narrow._table
    assert card.table.isColumnHidden(place(narrow, "memory")), "for lack of room"
    card._fill_column_menu()
    memory = next(action for action in card._menu.actions() if action.text() == "Memory")
    assert not memory.isChecked()
    memory.trigger()
    assert not card.table.isColumnHidden(place(narrow, "memory"))
    assert card._set_price(rows(narrow)[0], "2.5")
    assert not card.table.isColumnHidden(place(narrow, "memory")), "asked for, it stays"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("price", ["2.5", "123.45"])
def test_in_the_narrowest_window_a_typed_price_shows_the_cost(
    window: MainWindow, session: Session, qtbot: QtBot, language: str, price: str
) -> None:
    window.commands.choose("language", language)
    renew(window)
    page = shown_comparison(window, session, qtbot)
    table = page._table.table
    window.resize(960, 720)
    qtbot.waitUntil(lambda: window.width() == 960 and table.isColumnHidden(place(page, "memory")))
    told = ("device", "count", "strategy", "precision", "batch", "price")
    assert not any(table.isColumnHidden(place(page, name)) for name in (*told, "rate"))
    assert page._table._set_price(rows(page)[0], price)
    also = ("rate",) if len(price) < 4 else ()  # where the sums leave room for it
    assert not any(table.isColumnHidden(place(page, name)) for name in (*told, "cost", *also))
    assert table.horizontalScrollBar().maximum() == 0
    page._reset()
    assert not table.isColumnHidden(place(page, "pin"))
