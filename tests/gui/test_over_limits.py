"""Set-ups over a limit that was given are marked wherever Compare shows them, in words where a mark is not heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import Qt

from advisor.gui.pages.compare_page import ComparePage
from tests.gui import fakes
from tests.gui.shown_page import shown_page
from tests.gui.test_compare_page import page, place, rows
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

__all__ = ["page"]


def test_a_set_up_over_a_limit_is_marked_in_table_tips_speech_and_bars(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    advice = fakes.advice()
    over = next(place for place, one in enumerate(advice.predictions) if one.fits and one.count == 2)
    session.show_recorded(msgspec.structs.replace(advice, over_limits=(over,)))
    page = shown_page(window, "compare", ComparePage, qtbot)
    marked = [one for one in rows(page) if one.over_limits]
    assert [one.prediction for one in marked] == [advice.predictions[over]]
    model, column = page._table.model, place(page, "device")

    def told(role: Qt.ItemDataRole) -> list[str]:
        return [model.data(model.index(row, column), role) for row in range(model.rowCount())]

    said = window.context.texts("advice-tip-over-limits")
    assert [text.endswith(" †") for text in told(Qt.ItemDataRole.DisplayRole)].count(True) == 1
    assert sum(said in text for text in told(Qt.ItemDataRole.ToolTipRole)) == 1
    (spoken,) = (text for text in told(Qt.ItemDataRole.AccessibleTextRole) if text.endswith(", over a limit"))
    assert "†" not in spoken
    assert window.context.texts("compare-over-limits-note", mark="†") in words_of(page)
    for one in page._comparison.set_ups:
        one.ticked = one.over_limits
    page._comparison.set_price(marked[0].prediction.device.key, 3.0)  # At another price it is still over the limit.
    page._table_changed()
    (bar,) = page._charts.bars._rows
    assert said in bar.tip
    assert page._charts.bars.accessibleDescription().endswith("over a limit")


def test_without_limits_nothing_is_said_of_them(page: ComparePage, window: MainWindow) -> None:
    assert "†" not in words_of(page)
    assert not any(one.over_limits for one in rows(page))
    assert window.context.texts("advice-tip-over-limits") not in page._charts.bars._rows[0].tip
