"""What keeps the event loop free: pages filled in turns, full collections at rest, early imports, quiet labels."""

from __future__ import annotations

import gc
import sys
import threading
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from advisor.gui.idle_collection import IdleCollection
from advisor.gui.jobs.job_state import StepSeries
from advisor.gui.models.table_model import Column, TableModel
from advisor.gui.pages.page import Page
from advisor.gui.plots.curves import CurveChart
from advisor.gui.theme import LIGHT
from advisor.gui.widgets.card import KeyFigure
from advisor.gui.widgets.labels import QuietLabel, label
from advisor.protocol.messages import Sample
from tests.gui import fakes
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


def test_the_advice_comes_a_card_at_a_time_and_whole_in_the_end(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    window.show_page("advice")
    session.set_advice(fakes.advice())
    page = window.page("advice")
    assert page.filling
    assert not page.findChildren(KeyFigure)
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert len(page.findChildren(KeyFigure)) >= 4
    assert len(page.findChildren(CurveChart)) == 2


def test_a_second_advice_takes_the_place_of_one_that_is_still_being_shown(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    window.show_page("advice")
    page = window.page("advice")
    session.set_advice(fakes.advice())
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    count = page.body.count()
    session.set_advice(fakes.advice())
    session.set_advice(fakes.advice())
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert page.body.count() == count


@pytest.fixture
def owner(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[QObject]:
    """What owns collections, where no window is open and Python collects by itself."""
    del qtbot
    monkeypatch.setattr("advisor.gui.idle_collection._going_on", [])
    was_on = gc.isenabled()
    gc.enable()
    yield QObject()
    (gc.enable if was_on else gc.disable)()


def test_full_collections_wait_for_rest(owner: QObject) -> None:
    busy = [True]
    collection = IdleCollection(lambda: busy[0], owner)
    gc.collect()
    for _ in range(gc.get_threshold()[2] + 1):
        gc.collect(1)
    collections = gc.get_stats()[2]["collections"]
    for _ in range(400):
        collection._look()
    assert gc.get_stats()[2]["collections"] == collections
    busy[0] = False
    for _ in range(400):
        collection._look()
    assert gc.get_stats()[2]["collections"] == collections + 1
    collection.end()


def test_young_garbage_is_collected_in_the_windows_thread_alone(owner: QObject, qtbot: QtBot) -> None:
    where: list[threading.Thread] = []

    def note(phase: str, _told: dict[str, int]) -> None:
        if phase == "start":
            where.append(threading.current_thread())

    def litter() -> None:
        for _ in range(20_000):
            ring: list[object] = []
            ring.append(ring)

    collection = IdleCollection(lambda: True, owner)
    gc.callbacks.append(note)
    try:
        other = threading.Thread(target=litter)
        other.start()
        other.join()
        assert where == []
        qtbot.waitUntil(lambda: bool(where), timeout=20_000)
    finally:
        gc.callbacks.remove(note)
        collection.end()
    assert set(where) == {threading.main_thread()}


def test_the_last_of_two_windows_gives_pythons_own_collections_back(owner: QObject) -> None:
    first, second = (IdleCollection(lambda: False, owner) for _ in range(2))
    first.end()
    first.end()
    assert not gc.isenabled()
    second.end()
    assert gc.isenabled()


def test_every_page_is_imported_before_it_is_asked_for(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.preload.done, timeout=120_000)
    assert {"advisor.gui.pages.cases_page", "advisor.gui.pages.history_page", "advisor.gui.jobs.lines"} <= set(
        sys.modules
    )


def test_a_number_that_changes_asks_for_room_only_when_it_needs_more(qtbot: QtBot) -> None:
    quiet = QuietLabel()
    qtbot.addWidget(quiet)
    quiet.set_text("100 %")
    room = quiet.sizeHint()
    quiet.set_text("7 %")
    assert (quiet.text(), quiet.sizeHint()) == ("7 %", room)
    quiet.set_text("100 % · 100 %")
    assert quiet.sizeHint().width() > room.width()


def test_a_part_that_fails_keeps_neither_the_page_nor_the_other_parts_back(window: MainWindow, qtbot: QtBot) -> None:
    page = shown_page(window, "machine", Page, qtbot)
    other = label("other")

    def fail() -> QWidget:
        raise ValueError("part")

    with qtbot.captureExceptions() as faults:
        with pytest.raises(ValueError, match="part"):
            page.fill([fail, lambda: other, fail])
        assert page.filling
        qtbot.waitUntil(lambda: not page.filling)
    assert [kind for kind, *_ in faults] == [ValueError]
    assert page.body.isEnabled()
    assert other.isVisible()


def test_a_page_that_cannot_be_shown_leaves_the_window_painted(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_page(window, "machine", Page, qtbot)
    window.show_page("history")

    def fail(_page: QWidget) -> None:
        raise ValueError

    with qtbot.captureExceptions() as faults:
        with monkeypatch.context() as broken:
            broken.setattr(window._stack, "setCurrentWidget", fail)
            qtbot.waitUntil(lambda: bool(faults))
        assert window._stack.updatesEnabled()


def test_the_same_records_keep_the_selection_of_a_table(qtbot: QtBot) -> None:
    del qtbot
    model = TableModel([Column[list[int]](title="n", text=lambda one: str(one[0]))])
    records = [[1], [2]]
    resets: list[int] = []
    model.modelReset.connect(lambda: resets.append(1))
    model.show(records)
    records[0][0] = 5
    model.show(records)
    assert (len(resets), model.data(model.index(0, 0))) == (1, "5")
    model.show([[5], [2]])
    assert len(resets) == 2


def test_the_median_of_a_long_series_is_that_of_the_steps_it_still_holds() -> None:
    series = StepSeries("cpu", "CPU", 8, "fp32")
    for number in range(6000):
        wall_s = float((number * 7919) % 6007)
        series.add(
            Sample(
                series="step",
                batch_size=8,
                precision="fp32",
                step_count=1,
                device_s=None,
                started_monotonic_s=float(number),
                wall_s=wall_s,
                warm_up=number % 10 == 0,
            )
        )
    kept = sorted(wall for wall, warm in zip(series.walls_s, series.warm_up, strict=True) if not warm)
    assert len(series.walls_s) == 4000
    middle = len(kept) // 2
    assert series.median_s() == (kept[middle] if len(kept) % 2 else (kept[middle - 1] + kept[middle]) / 2)


def test_another_language_takes_a_page_a_turn_and_the_window_answers_meanwhile(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    for name in ("advice", "compare", "cases", "history"):
        window.show_page(name)
        qtbot.wait(5)
    before = set(window._stack.made)
    window.commands.choose("language", "zh")
    assert set(window._stack.made) == before
    window._rebuild_timer.stop()
    window._rebuild_a_part()
    window._rebuild_timer.stop()
    assert len(window._stack.made) == len(before) - 1
    assert window.current in window._stack.made
    window.navigation.chosen.emit("machine")
    window._rebuild_timer.start()
    qtbot.waitUntil(
        lambda: set(window._stack.made) == {"machine"} and not window._rebuild_timer.isActive(), timeout=120_000
    )
    assert window.page("machine").texts.language == "zh"
    assert window.windowTitle() == window.context.texts("window-title")


def test_the_plots_come_one_at_a_time_with_their_axes(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.preload.done, timeout=120_000)
    session.show_recorded(fakes.advice())
    session.machine = fakes.machine()
    window.show_page("measure")
    page = window.page("measure")
    qtbot.waitUntil(lambda: page.grid is not None, timeout=120_000)  # type: ignore[attr-defined]
    grid = page.grid  # type: ignore[attr-defined]
    assert len(grid.plots) < 6
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert [plot.figure for plot in grid.plots] == [
        "utilisation",
        "memory",
        "memory",
        "power",
        "clock",
        "temperature",
    ]
    assert all(plot.plot.box.viewRange()[0][0] < -50 for plot in grid.plots)


def test_the_axes_of_a_plot_are_right_before_the_first_reading(qtbot: QtBot) -> None:
    from advisor.gui.models.readings import ReadingsBuffer
    from advisor.gui.plots.live_grid import LiveGrid
    from advisor.gui.texts import Texts

    grid = LiveGrid(LIGHT, Texts("en"), fakes.machine(), ReadingsBuffer())
    qtbot.addWidget(grid)
    spans = {tuple(plot.plot.box.viewRange()[0]) for plot in grid.plots}
    assert len(spans) == 1
    assert next(iter(spans))[0] < -59
    assert [round(plot.plot.box.viewRange()[1][1]) for plot in grid.plots[:2]] == [104, 104]


def test_a_case_that_stands_on_the_page_is_not_made_again(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("cases")
    page = window.page("cases")
    qtbot.waitUntil(lambda: not page.busy and not page.filling, timeout=120_000)  # type: ignore[attr-defined]
    first = page._detail.itemAt(0).widget()  # type: ignore[attr-defined]
    window.show_page("machine")
    window.show_page("cases")
    assert page._detail.itemAt(0).widget() is first  # type: ignore[attr-defined]
    assert not page.filling


def test_a_closed_window_that_changed_something_goes_without_a_word(
    qtbot: QtBot, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    from PySide6.QtCore import QCoreApplication

    from advisor.gui.main_window import MainWindow
    from advisor.gui.monitor_feed import MonitorFeed
    from advisor.gui.session import Session

    del qtbot
    session = Session(settings, MonitorFeed())
    window = MainWindow(session, settings)
    session.show_recorded(fakes.advice())
    task = fakes.workload()
    training = msgspec.structs.replace(task.training, batch_size=64)
    session.described.edit(msgspec.structs.replace(task, training=training), "training.batch_size")
    assert session.described.undo.canUndo()
    window.close()
    session.deleteLater()
    QCoreApplication.sendPostedEvents(session, QEvent.Type.DeferredDelete.value)
    window.deleteLater()
    QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)
    assert "already deleted" not in "".join(capfd.readouterr())


def test_the_height_of_a_text_follows_its_width_words_and_font(qtbot: QtBot) -> None:
    made = label("several words " * 40, wrap=True)
    qtbot.addWidget(made)
    plain = QLabel(made.text())
    qtbot.addWidget(plain)
    plain.setWordWrap(True)
    font = made.font()
    for points, count in ((10, 40), (10, 80), (17, 80)):
        font.setPointSize(points)
        for one in (made, plain):
            one.setFont(font)
            one.setText("several words " * count)
        for width in (200, 500, 200):
            assert made.heightForWidth(width) == plain.heightForWidth(width)


def test_a_text_can_be_selected_once_the_mouse_is_over_it(qtbot: QtBot) -> None:
    made = label("several words", wrap=True, selectable=True)
    qtbot.addWidget(made)
    made.show()
    QApplication.sendEvent(made, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
    QTest.mouseDClick(made, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(5, 8))
    assert made.selectedText() == "several"


def test_sorting_asks_each_record_for_its_key_once(qtbot: QtBot) -> None:
    asked: list[int | None] = []

    def order(record: int | None) -> int | None:
        asked.append(record)
        return record

    del qtbot
    model: TableModel[int | None] = TableModel([Column(title="n", text=str, order=order)])
    model.show([3, None, 1, 2, None, 1])
    asked.clear()
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert model.records == [3, 2, 1, 1, None, None]
    assert len(asked) == 6
