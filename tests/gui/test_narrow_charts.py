"""Charts and tables of the smallest window: no word covers another, and what must go is what is told elsewhere."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF

from advisor.core.units import around, exactly
from advisor.gui.fonts import load_fonts
from advisor.gui.plots.bars import Bar, BarChart
from advisor.gui.plots.curves import Curve, CurveChart, Mark, Point
from advisor.gui.theme import LIGHT, TEXT_SIZE
from tests.gui.shown_page import shown_comparison
from tests.gui.test_small_screens import SMALLEST

if TYPE_CHECKING:
    import pytest
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


def test_the_words_of_three_marks_that_lie_close_cover_none_of_each_other(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_fonts()
    chart = CurveChart(LIGHT, "figures", ("batch", "rate"))
    qtbot.addWidget(chart)
    chart.resize(230, 230)
    places: dict[str, QRectF] = {}
    monkeypatch.setattr(chart, "write", lambda _painter, place, text, **_how: places.update({text: QRectF(place)}))
    points = tuple(Point(x=2.0**power, estimate=exactly(1.0, "specified"), tip="") for power in range(10))
    words = {64.0: "knee 64", 256.0: "advised 256", 504.0: "fits up to 504"}
    marks = [Mark(x=x, text=text, colour="#000000") for x, text in words.items()]
    chart.show_curves([Curve(name="", colour="#000000", points=points)], marks)
    chart.grab()
    for first, second in itertools.combinations(words.values(), 2):
        assert not places[first].intersects(places[second])


def test_where_bars_have_no_room_a_mark_stands_below_its_value(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    load_fonts()
    chart = BarChart(LIGHT, "figures")
    qtbot.addWidget(chart)
    places: dict[str, QRectF] = {}
    whiskers: list[float] = []
    monkeypatch.setattr(chart, "write", lambda _painter, place, text, **_how: places.update({text: QRectF(place)}))
    monkeypatch.setattr(chart, "whisker", lambda _painter, _low, high, _y: whiskers.append(high))
    name = "2 × V100 SXM2 32 GB"
    figure = around(5.0, 4.0, 6.0, "specified")
    one, other = (Bar(name=name, estimate=figure, text=text, tie=0) for text in ("1,970 /s", "1,960 /s"))
    chart.show_bars([replace(one, mark="over a limit"), other])
    for width in (226, 600):
        whiskers.clear()
        chart.resize(width, chart.height())
        chart.grab()
        assert whiskers[0] <= places["1,970 /s"].right() - chart.width_of("1,970 /s", TEXT_SIZE)
        assert not places["over a limit"].intersects(places["1,970 /s"])
        assert places["over a limit"].width() >= chart.width_of("over a limit", 11)


def test_the_smallest_comparison_leaves_devices_their_names(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    page = shown_comparison(window, session, qtbot)
    window.setMinimumSize(*SMALLEST)
    window.resize(*SMALLEST)
    table = page._table.table
    place = next(place for place, column in enumerate(table.table_model.columns) if column.name == "device")
    qtbot.waitUntil(lambda: table.columnWidth(place) >= 100, timeout=20_000)
    shown = sum(table.columnWidth(one) for one in range(len(table.table_model.columns)))
    assert shown <= table.viewport().width()
