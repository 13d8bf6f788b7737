"""A table of Compare that is sorted shows the order's beginning, and one that is empty says why it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint

from advisor.gui.pages.compare_page import ComparePage
from tests.gui.at_the_window import press
from tests.gui.shown_page import shown_comparison

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


@pytest.fixture
def page(window: MainWindow, session: Session, qtbot: QtBot) -> ComparePage:
    return shown_comparison(window, session, qtbot)


def test_another_order_is_seen_from_its_first_row(page: ComparePage) -> None:
    table = page._table.table
    bar, header = table.verticalScrollBar(), table.horizontalHeader()
    bar.setValue(bar.maximum())
    assert bar.value() > 0
    place = next(number for number, one in enumerate(page._table.model.columns) if one.name == "rate")
    middle = header.sectionViewportPosition(place) + header.sectionSize(place) // 2
    press(header.viewport(), QPoint(middle, header.height() // 2))
    assert table.order()[0] == place
    assert bar.value() == 0


def test_where_no_row_is_shown_or_ticked_a_sentence_says_why(page: ComparePage) -> None:
    table, charts = page._table, page._charts
    assert table.nothing.isHidden()
    table.search.setText("no such card")
    assert table.nothing.text() == page.texts("compare-none-match")
    table.search.clear()
    assert table.nothing.isHidden()
    for set_up in page._comparison.ticked():
        table._tick(set_up, ticked=False)
    assert charts.bars._rows == []
    assert charts.legend.text() == page.texts("compare-none-ticked")
