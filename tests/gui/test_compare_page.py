"""Compare as a workbench: all rows sorted, filtered, pinned and priced, and what is ticked is what is drawn."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from advisor.gui.job_request import ask_for
from advisor.gui.jobs.answers import request_of
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.pages.compare_figures import PredictionIndex, precision_orders
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.texts import CHANGED
from advisor.gui.widgets.notice import Strip
from tests.gui import fakes
from tests.gui.at_the_window import press, turn_wheel
from tests.gui.shown_page import shown_comparison, shown_page

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.compare_figures import ComparedSetUp
    from advisor.gui.session import Session


@pytest.fixture
def page(window: MainWindow, session: Session, qtbot: QtBot) -> ComparePage:
    return shown_comparison(window, session, qtbot)


def rows(page: ComparePage) -> list[ComparedSetUp]:
    return page._table.table.shown_records()


def place(page: ComparePage, name: str) -> int:
    return next(number for number, one in enumerate(page._table.model.columns) if one.name == name)


def click_header(page: ComparePage, name: str) -> None:
    header = page._table.table.horizontalHeader()
    middle = header.sectionViewportPosition(place(page, name)) + header.sectionSize(place(page, name)) // 2
    press(header.viewport(), QPoint(middle, header.height() // 2))


def cell(page: ComparePage, row: int, name: str) -> QPoint:
    table = page._table.table
    return table.visualRect(table.model().index(row, place(page, name))).center()


def bars(page: ComparePage) -> list[str]:
    return [one.name for one in page._charts.bars._rows]


def test_sorting_by_samples_puts_the_fastest_of_all_rows_first(page: ComparePage) -> None:
    advice = page.session.advice
    assert advice is not None
    fitting = [one for one in advice.predictions if one.fits is not False]
    assert len(advice.predictions) > 400
    click_header(page, "rate")
    shown = [one.prediction.samples_per_s.value for one in rows(page)]
    assert shown == sorted(shown, reverse=True)
    assert len(shown) == len(fitting)
    assert shown[0] == max(one.samples_per_s.value for one in fitting)


def test_in_the_narrowest_window_no_two_rows_look_alike_that_are_different_set_ups(
    page: ComparePage, window: MainWindow, qtbot: QtBot
) -> None:
    table = page._table.table
    window.resize(960, 620)
    qtbot.waitUntil(lambda: window.width() == 960 and table.isColumnHidden(place(page, "memory")))
    shown = {one.name for number, one in enumerate(page._table.model.columns) if not table.isColumnHidden(number)}
    assert {"device", "count", "strategy", "precision", "batch", "rate", "price"} <= shown
    assert table.columnWidth(place(page, "device")) >= 120


@pytest.mark.parametrize("clicks", [1, 2])
def test_what_does_not_fit_stands_last_in_either_order(page: ComparePage, clicks: int) -> None:
    page._table.fitting.setChecked(False)
    for _ in range(clicks):
        click_header(page, "rate")
    fits = [one.prediction.fits is not False for one in rows(page)]
    assert not all(fits)
    assert fits == sorted(fits, reverse=True)


def test_what_does_not_fit_is_hidden_until_asked_for(page: ComparePage) -> None:
    assert all(one.prediction.fits is not False for one in rows(page))
    fewer = len(rows(page))
    page._table.fitting.setChecked(False)
    assert len(rows(page)) > fewer


def test_a_pinned_row_stays_at_the_top_in_every_order(page: ComparePage) -> None:
    last = rows(page)[-1]
    page._table.search.setText(page._table._searched(last))
    table = page._table.table
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell(page, 0, "pin"))
    pinned = [one for one in rows(page) if one.pinned]
    assert len(pinned) == 1
    page._table.search.clear()
    for _ in range(2):
        click_header(page, "step")
        assert rows(page)[0] is pinned[0]


@pytest.mark.parametrize("height", [1000, 1011, 1023])
def test_no_row_is_cut_at_the_foot_of_a_table_that_scrolls(
    page: ComparePage, window: MainWindow, qtbot: QtBot, height: int
) -> None:
    window.resize(1280, height)
    table = page._table.table
    shown = table.viewport()
    qtbot.waitUntil(lambda: window.height() == height and shown.height() % table.row_height == 0)
    assert table.verticalScrollBar().maximum() > 0
    turn_wheel(shown, 1)
    assert table.verticalScrollBar().value() > 0
    assert table.rowViewportPosition(table.rowAt(1)) == 0


def test_in_a_narrow_window_the_page_is_no_wider_than_it(page: ComparePage, window: MainWindow, qtbot: QtBot) -> None:
    window.resize(960, 620)
    page._table.counted.setText("1,288 of 1,288")
    content, seen = page.scroll_area.widget(), page.scroll_area.viewport()
    assert content is not None
    qtbot.waitUntil(lambda: window.width() == 960 and content.width() <= seen.width())
    assert page.scroll_area.horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("width", [1024, 1100, 1280])
def test_columns_that_fit_into_the_table_need_no_bar_to_scroll_them(
    page: ComparePage, window: MainWindow, qtbot: QtBot, width: int
) -> None:
    window.resize(width, 1000)
    table = page._table.table
    header = table.horizontalHeader()
    qtbot.waitUntil(lambda: window.width() == width and header.length() <= table.viewport().width())
    assert table.horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("height", [788, 800, 811])
def test_the_page_comes_to_rest_whatever_the_height_of_the_window(
    page: ComparePage, window: MainWindow, qtbot: QtBot, height: int
) -> None:
    window.resize(1280, height)
    qtbot.waitUntil(lambda: window.height() == height)
    heights = []
    for _ in range(40):
        QApplication.processEvents()
        heights.append((page._table.height(), page._table.table.height()))
    assert len(set(heights[20:])) == 1


def test_what_is_ticked_is_what_is_drawn(page: ComparePage) -> None:
    before = bars(page)
    table = page._table.table
    row = next(number for number, one in enumerate(rows(page)) if not one.ticked)
    table.scrollTo(table.model().index(row, 0))
    box = table.visualRect(table.model().index(row, 0))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(box.left() + 16, box.center().y()))
    assert rows(page)[row].ticked
    assert len(bars(page)) == len(before) + 1
    table.setCurrentIndex(table.model().index(row, 2))
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert bars(page) == before


def test_a_price_typed_into_the_table_makes_cost_a_goal(page: ComparePage, qtbot: QtBot) -> None:
    table = page._table.table
    assert page._boxes["goal"].findData("cost") < 0
    first = rows(page)[0]
    table.scrollTo(table.model().index(0, place(page, "price")))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell(page, 0, "price"))
    QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell(page, 0, "price"))
    editor = table.findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    QTest.keyClicks(editor, "3.6")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: first.prediction.cost is not None)
    one = first.prediction
    assert one.job_s is not None
    assert one.cost is not None
    assert one.cost.value == pytest.approx(3.6 * one.count * one.job_s.value / 3600)
    assert page._boxes["goal"].findData("cost") >= 0
    others = [other for other in rows(page) if other.prediction.device.key != one.device.key]
    assert all(other.prediction.cost is None for other in others)
    assert CHANGED in page._table.model.columns[place(page, "price")].text(first)
    titles, exported = page._table.table.shown_texts()
    assert all(titles)
    assert all(len(line) == len(titles) for line in exported)
    assert not any(CHANGED in text for line in exported for text in line)
    page._reset_button.click()
    assert first.prediction.cost is None
    assert page._boxes["goal"].findData("cost") < 0


def test_the_best_of_what_is_ticked_and_the_advised_one_have_a_line(page: ComparePage) -> None:
    fitting = [one for one in page._comparison.set_ups if one.prediction.fits is not False]
    advice = page.session.advice
    assert advice is not None
    assert advice.recommendation is not None
    for one in fitting:
        one.ticked = True
    page._ticks_changed()
    shown = page._charts._first_ranked(fitting, page._comparison.ranked(fitting, "time"))
    assert len(shown) == 12
    best = max(fitting, key=lambda one: one.prediction.samples_per_s.value)
    assert shown[0] is best
    assert advice.recommendation.set_up in {one.prediction.set_up for one in shown}
    told = page._charts.order_note.text().replace(" ", "")
    assert f"{len(fitting):,}" in told or str(len(fitting)) in told
    assert page._charts.order_note.isVisible()
    for one in fitting[4:]:
        one.ticked = False
    page._ticks_changed()
    assert not page._charts.order_note.isVisible()


def test_devices_change_places_between_precisions_only_where_their_difference_is_clear(page: ComparePage) -> None:
    index = page._comparison
    ticked = [one for one in index.ticked() if one.prediction.fits is not False]
    for given in (ticked, ticked[::-1]):
        orders = precision_orders(index, given, "time")
        assert len(orders) > 1
        for order in orders.values():
            own = [one for one in index.set_ups if id(one.prediction) in {id(other) for _, other in order}]
            place = {id(row.prediction): row.place for row in index.ranked(own, "time")}
            assert order == sorted(order, key=lambda pair: (place[id(pair[1])], pair[0]))


def test_one_device_alone_has_no_order_to_show(page: ComparePage) -> None:
    assert page._charts.order_card.isVisible()
    _first, *others = page._comparison.ticked()
    for ticked in (False, True):
        for one in others:
            one.ticked = ticked
        page._ticks_changed()
        assert bars(page)
        assert page._charts.order_card.isVisible() == ticked


def test_one_precision_alone_turns_no_order(page: ComparePage, session: Session, qtbot: QtBot) -> None:
    advice = fakes.advice()
    alone = tuple(one for one in advice.predictions if one.precision == advice.workload.training.precision)
    assert 1 < len(alone) < len(advice.predictions)
    session.show_recorded(msgspec.structs.replace(advice, predictions=alone))
    qtbot.waitUntil(lambda: len(page._comparison.set_ups) == len(alone) and not page.filling, timeout=60_000)
    assert len(bars(page)) > 1
    assert not page._charts.order_card.isVisible()


@pytest.mark.parametrize("typed", ["free", "-1", "nan", "inf"])
def test_a_price_that_makes_no_sense_changes_nothing(page: ComparePage, typed: str) -> None:
    first = rows(page)[0]
    assert not page._table._set_price(first, typed)
    assert first.prediction.cost is None


def test_a_switch_that_was_changed_has_a_dot_and_reset_takes_it_back(page: ComparePage) -> None:
    assert not page._reset_button.isVisible()
    other = next(one for one in page._buttons if one != page._precision)
    QTest.mouseClick(page._buttons[other], Qt.MouseButton.LeftButton)
    page._boxes["batch"].setCurrentIndex(0 if page._boxes["batch"].currentIndex() else 1)
    assert page._buttons[other].text().startswith(CHANGED)
    assert page._labels["batch"].text().startswith(CHANGED)
    assert not page._labels["count"].text().startswith(CHANGED)
    QTest.mouseClick(page._reset_button, Qt.MouseButton.LeftButton)
    assert not page._reset_button.isVisible()
    assert not page._labels["batch"].text().startswith(CHANGED)


def test_the_export_holds_exactly_the_rows_and_columns_that_are_shown(
    page: ComparePage, tmp_path: Path, qtbot: QtBot
) -> None:
    page._table.search.setText("4090 ddp")
    page._table._choose_column("memory", shown=False)
    click_header(page, "rate")
    path = tmp_path / "set-ups.csv"
    page._table.export(path)
    qtbot.waitUntil(path.exists)
    titles, *lines = csv.reader(path.read_text(encoding="utf-8").splitlines())
    columns = page._table.model.columns
    assert page.texts("column-memory") not in titles
    assert len(lines) == len(rows(page)) > 1
    device, rate = titles.index(page.texts("column-device")), titles.index(page.texts("compare-rate"))
    assert [line[device] for line in lines] == [columns[place(page, "device")].text(one) for one in rows(page)]
    assert [line[rate] for line in lines] == [columns[place(page, "rate")].text(one) for one in rows(page)]


def test_the_selection_follows_its_row_when_the_table_is_sorted(page: ComparePage) -> None:
    table = page._table.table
    table.selectRow(3)
    chosen = rows(page)[3]
    click_header(page, "job")
    assert [rows(page)[index.row()] for index in table.selectionModel().selectedRows()] == [chosen]


def test_a_price_read_back_from_a_cost_is_the_price_that_made_it() -> None:
    plain = PredictionIndex(fakes.advice(), currency="USD")
    key = next(one.prediction.device.key for one in plain.set_ups if not one.prediction.device.local)
    plain.set_price(key, 2.25)
    priced = msgspec.structs.replace(fakes.advice(), predictions=plain.predictions)
    again = PredictionIndex(priced)
    assert again.currency == "USD"
    assert again.price_per_hour(key) == pytest.approx(2.25)


def test_a_typed_price_shows_in_the_advice_and_is_weighed_by_the_next_one(
    page: ComparePage, window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    before = session.advice
    assert before is not None
    assert before.recommendation is not None
    chosen = before.recommendation.device.key
    first = next(one for one in rows(page) if one.prediction.device.key == chosen)
    assert page._table._set_price(first, "3.5")
    window.show_page("advice")
    shown = window.page("advice")
    assert isinstance(shown, AdvicePage)
    qtbot.waitUntil(lambda: not shown.filling, timeout=120_000)
    assert shown._picture is not None
    assert any(row.prediction.cost is not None for row in shown._picture.rows)
    told = shown._advice
    assert told is not None
    assert told.recommendation is not None
    assert told.recommendation.cost is not None
    hours = before.recommendation.job_s.value / 3600 if before.recommendation.job_s else 0.0
    assert told.recommendation.cost.value == pytest.approx(3.5 * before.recommendation.count * hours)
    assert len(shown.findChildren(Strip)) == 1
    assert session.described.workload is not None
    ask = ask_for(session.described.workload, window.settings, measure=False, allow_code=False, prices=session.prices)
    prices = request_of(ask).prices
    assert prices is not None
    assert prices.devices == {chosen: 3.5}
    page._reset()
    assert session.prices is None
    assert session.advice is before


def test_other_letters_keep_the_order_of_the_rows(window: MainWindow, page: ComparePage, qtbot: QtBot) -> None:
    click_header(page, "device")
    order, first = page._table.table.order(), rows(page)[0].prediction
    assert order == (place(page, "device"), 0)
    window.commands.act("zoom-in")
    qtbot.waitUntil(lambda: window.page("compare") is not page, timeout=120_000)
    made = shown_page(window, "compare", ComparePage, qtbot)
    assert made._table.table.order() == order
    assert rows(made)[0].prediction == first
    made._reset()
    assert made._table.table.order()[0] == -1


def test_the_legend_tells_what_is_drawn_and_nothing_else(page: ComparePage) -> None:
    texts = page.texts
    hatched, tied = texts("compare-disturbed-note"), texts("compare-tie-note")
    assert texts("compare-bars-note") in page._charts.legend.text()
    assert (tied in page._charts.legend.text()) == any(one.tie is not None for one in page._charts.bars._rows)
    assert hatched not in page._charts.legend.text()
    device = page._comparison.ticked()[0].prediction.device.key
    page._comparison.untrusted = {device: "unstable"}
    page._ticks_changed()
    assert not all(one.trusted for one in page._charts.bars._rows)
    assert hatched in page._charts.legend.text()


@pytest.mark.parametrize("restored", [False, True])
@pytest.mark.parametrize("steps", [2, 3, 4, 5])
def test_a_switch_that_is_clicked_before_the_table_is_there_counts(
    page: ComparePage, qtbot: QtBot, steps: int, restored: bool
) -> None:
    if restored:
        page.restore(page.view_state())
    else:
        page._rebuild(now=False)
    for _ in range(steps):
        page._turns.stop()
        page._next_step()
    assert page.filling
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # The table of the last build is gone.
    other = next(name for name in page._buttons if name != page._precision)
    page._reset_button.click()
    page._buttons[other].click()
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    ticked = [one.prediction for one in rows(page) if one.ticked]
    assert ticked
    assert {one.precision for one in ticked} == {other}
    assert page._buttons[other].isChecked()
    assert page._reset_button.isVisible()
