"""What was painted is kept: a change paints itself, and nothing beside it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QPixmap, QPixmapCache
from PySide6.QtWidgets import QApplication, QWidget

from advisor.gui.models.table_model import Column, TableModel
from advisor.gui.plots.bars import Bar, BarChart
from advisor.gui.plots.traces import line_icon
from advisor.gui.theme import DARK, LIGHT, Theme
from advisor.gui.widgets.card import Card, KeyFigure
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.table import Table
from tests.gui import fakes
from tests.gui.conftest import renew

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPainter
    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


class Painted(QObject):
    """Counts the paints of a widget."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's own name
        self.count += event.type() == QEvent.Type.Paint
        return False


def at_rest() -> None:
    for _ in range(20):
        QApplication.processEvents()


def test_what_comes_or_goes_leaves_the_rest_of_the_page_unpainted(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    window.show()
    qtbot.waitExposed(window)
    behind: tuple[PageName, ...] = ("history", "measure", "machine")
    for name in behind:
        window.show_page(name)
        qtbot.waitUntil(window.page(name).isVisible)
    window.show_page("advice")
    page = window.page("advice")
    qtbot.waitUntil(lambda: page.isVisible() and not page.filling, timeout=120_000)
    at_rest()
    first = page.findChildren(KeyFigure)[0]
    figure = Painted(first)

    def paints_with(change: Callable[[], None]) -> int:
        figure.count = 0
        change()
        qtbot.waitUntil(lambda: not page.filling)
        at_rest()
        return figure.count

    def add(below: QWidget) -> None:
        page._steps_left.extend([partial(page._make_part, lambda: below), page._add_part])
        page._next_step()

    # Each of them would paint it; what else may happen meanwhile, and does so once, does not happen with each.
    assert min(paints_with(partial(window._stack.drop, name)) for name in behind) == 0
    added = [label(f"last {number}") for number in range(3)]
    assert min(paints_with(partial(add, below)) for below in added) == 0
    assert all(below.isVisible() and below.y() > first.y() for below in added)
    figure.count = 0
    first.update()
    qtbot.waitUntil(lambda: figure.count > 0)


def test_a_chart_is_drawn_again_only_when_it_tells_something_else(qtbot: QtBot) -> None:
    drawn: list[str] = []

    class Drawn(BarChart):
        def draw(self, painter: QPainter) -> None:
            drawn.append("")
            super().draw(painter)

    chart = Drawn(LIGHT, "bars")
    qtbot.addWidget(chart)
    chart.resize(400, 100)
    for _ in range(3):
        picture = chart.grab().toImage()
    assert len(drawn) == 1
    chart.show_bars([Bar(name="one", estimate=None, text="nothing", tip="")])
    assert chart.grab().toImage() != picture
    chart.resize(420, 100)
    chart.grab()
    assert len(drawn) == 3


def test_a_cell_looks_the_same_the_first_time_as_ever_after(qtbot: QtBot) -> None:
    icon = line_icon("#aa3300", Qt.PenStyle.SolidLine)
    columns = [
        Column[int](title="name", text=lambda one: f"name {one}"),
        Column[int](title="mark", text=str, icon=lambda _one: icon),
        Column[int](title="tick", text=str, ticked=lambda one: one > 1),
        Column[int](title="bold", text=lambda one: f"bold {one}", bold=lambda _one: True),
    ]
    model: TableModel[int] = TableModel(columns)
    table = Table(model, "table", visible_rows=3)
    qtbot.addWidget(table)
    table.resize(500, 160)
    model.show([1, 2, 3])
    first, second = (table.grab().toImage() for _ in range(2))
    assert first == second
    model.show([4, 5, 6])
    assert table.grab().toImage() != second


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_letters_in_two_lines_are_as_heavy_as_those_in_one(
    window: MainWindow, settings: Settings, qtbot: QtBot, theme: Theme
) -> None:
    settings.store("scheme", "dark" if theme is DARK else "light")
    renew(window)
    names = ["RoBERTa-large classification", "RoBERTa-large"]
    model: TableModel[str] = TableModel([Column[str](title="name", text=str)])
    table, holder = Table(model, "table", visible_rows=3), Card("card")
    holder.put(table)
    qtbot.addWidget(holder)
    model.show(names)
    holder.resize(table.fontMetrics().horizontalAdvance(names[0]), 260)
    holder.show()
    qtbot.waitExposed(holder)
    picture, inks = holder.grab().toImage(), []
    for row in range(2):
        cell = table.visualRect(table.model().index(row, 0))
        top = cell.top() + (3 if row == 0 else (cell.height() - table.fontMetrics().height()) // 2)
        place = table.viewport().mapTo(holder, QPoint(cell.left(), top))
        ground = picture.pixelColor(place).lightness()
        inks.append(
            sum(
                abs(picture.pixelColor(x, y).lightness() - ground)
                for x in range(place.x(), place.x() + cell.width())
                for y in range(place.y(), place.y() + table.fontMetrics().height())
            )
        )
    assert table.rowHeight(0) > 40
    assert inks[0] == pytest.approx(inks[1], rel=0.03)


def test_pictures_of_cells_take_a_bounded_room_however_many_sizes_a_cell_had(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []

    class Cache(QPixmapCache):
        @staticmethod
        def insert(key: str, picture: QPixmap) -> bool:  # type: ignore[override]
            kept.append(key)
            return QPixmapCache.insert(key, picture)

    columns = [Column[int](title="bold", text=lambda one: f"bold {one}", bold=lambda _one: True)]
    model: TableModel[int] = TableModel(columns)
    table = Table(model, "table", visible_rows=3)
    qtbot.addWidget(table)
    limit_kb = QPixmapCache.cacheLimit()
    monkeypatch.setattr("advisor.gui.widgets.cell_delegate.QPixmapCache", Cache)
    QPixmapCache.setCacheLimit(256)
    try:
        model.show([1, 2, 3])
        for width in range(300, 400, 5):
            table.resize(width, 160)
            table.grab()
        made, picture = len(kept), QPixmap()
        table.grab()
        assert len(kept) == made >= 60
        held = [picture.width() * picture.height() * 4 for key in kept if QPixmapCache.find(key, picture)]
        assert 3 <= len(held) < made
        assert sum(held) <= 256 * 1024
    finally:
        QPixmapCache.setCacheLimit(limit_kb)
