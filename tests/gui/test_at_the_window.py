"""What a pointer and a keyboard do, told to the window and not to a widget: what covers a button takes its press."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import psutil
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QPushButton, QTabBar

from advisor.gui.main_window import MainWindow
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.plots.device_rows import ROW
from advisor.gui.session import Session
from advisor.gui.start.last_time import restore_last
from advisor.gui.strip.job_strip import JobStrip
from advisor.gui.threads import Outcome
from advisor.measure.events import RunProgress
from advisor.workload.workload_file import load_workload
from tests.fake_nvml.stub import nvml_libraries, nvml_stub
from tests.gui import fakes
from tests.gui.at_the_window import bring_into_view, press, strike, strike_key, turn_wheel
from tests.gui.test_drivers import live, look
from tests.gui.test_job_strip import Told
from tests.gui.test_typing import editor_of, page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.pages.model_page import ModelPage
    from advisor.gui.settings import Settings
    from tests.fake_nvml.stub import NvmlStub
    from tests.gui.conftest import QuietSource

__all__ = ["live", "nvml_libraries", "nvml_stub", "page"]

_CONTROL = Qt.KeyboardModifier.ControlModifier


def active(window: MainWindow, qtbot: QtBot) -> None:
    """Keys go to the window that is in front."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=120_000)


def button(window: MainWindow, words: str) -> QPushButton:
    """The button of the page in front that says these words."""
    shown = window.page(window.current).findChildren(QPushButton)
    return next(one for one in shown if one.text() == words and one.isVisible())


def test_the_wheel_over_a_choice_turns_the_page_and_not_the_job(
    page: ModelPage, session: Session, window: MainWindow
) -> None:
    window.resize(1024, 700)
    before, choice = session.described.workload, editor_of(page, "precision")
    bring_into_view(choice)
    bar = page.scroll_area.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    bring_into_view(choice)
    at = bar.value()
    turn_wheel(choice, -1 if at == bar.maximum() else 1)
    assert bar.value() != at
    assert session.described.workload == before
    assert not session.described.undo.canUndo()


def test_the_wheel_over_the_models_sources_opens_none(page: ModelPage, window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1024, 700)
    active(window, qtbot)
    (tabs,) = page.findChildren(QTabBar)
    tabs.setCurrentIndex(1)
    for notches in (1, -1):  # Qt turns the tabs by either, and at their ends by one of them alone.
        bring_into_view(tabs)
        turn_wheel(tabs, notches)
        assert tabs.currentIndex() == 1


def test_a_field_that_is_not_allowed_starts_nothing_and_what_is_typed_then_survives_a_restart(
    page: ModelPage, session: Session, window: MainWindow, settings: Settings, source: QuietSource, qtbot: QtBot
) -> None:
    active(window, qtbot)
    field = editor_of(page, "batch_size")
    press(field)
    strike_key(window, Qt.Key.Key_A, _CONTROL)
    strike(window, "999999999")
    assert session.described.invalid
    press(window.navigation._buttons["measure"])
    assert window.current == "measure"
    qtbot.waitUntil(lambda: not window.page("measure").filling, timeout=120_000)
    press(button(window, window.context.texts("menu-measure")))
    assert (session.runner.busy, window.current) == (False, "model")
    qtbot.waitUntil(field.hasFocus, timeout=120_000)
    strike_key(window, Qt.Key.Key_A, _CONTROL)
    strike(window, "32")
    assert not session.described.invalid
    assert session.described.workload is not None
    assert session.described.workload.training.batch_size == 32
    window.close()
    later = Session(settings, MonitorFeed(lambda _interval: source))
    restore_last(later, settings)
    qtbot.waitUntil(lambda: later.described.workload is not None, timeout=120_000)
    assert later.described.workload is not None
    assert later.described.workload.training.batch_size == 32
    qtbot.waitUntil(lambda: not later.crew._threads, timeout=120_000)
    assert later.close()


def test_two_windows_keep_their_jobs_apart(
    page: ModelPage, session: Session, window: MainWindow, settings: Settings, source: QuietSource, qtbot: QtBot
) -> None:
    other_session = Session(settings, MonitorFeed(lambda _interval: source))
    other = MainWindow(other_session, settings)
    qtbot.addWidget(other)
    other.show()
    qtbot.waitExposed(other)
    before = load_workload("iris_mlp")
    other_session.described.choose(before, reference="iris_mlp")
    active(other, qtbot)
    press(other.navigation._buttons["history"])
    active(window, qtbot)
    press(editor_of(page, "batch_size"))
    strike_key(window, Qt.Key.Key_A, _CONTROL)
    strike(window, "64")
    assert session.described.workload is not None
    assert session.described.workload.training.batch_size == 64
    assert (other_session.described.workload, other.current, window.current) == (before, "history", "model")
    qtbot.waitUntil(lambda: not other_session.crew._threads, timeout=120_000)
    assert other_session.close()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_menu_changes_the_language_while_a_job_runs(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    job = Told(RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0))
    session.described.choose(fakes.workload())
    session.runner.start(job, measure=True)
    press(window.navigation._buttons["measure"])
    qtbot.waitUntil(lambda: session.runner.job is not None and bool(session.runner.job.phase), timeout=120_000)
    view = next(one for one in window.menuBar().actions() if one.text() == window.context.texts("menu-view"))
    press(window.menuBar(), window.menuBar().actionGeometry(view).center())
    opened = view.menu()
    assert isinstance(opened, QMenu)
    qtbot.waitUntil(opened.isVisible, timeout=120_000)
    languages = next(one for one in opened.actions() if one.menu() is not None)
    press(opened, opened.actionGeometry(languages).center())
    below = languages.menu()
    assert isinstance(below, QMenu)
    qtbot.waitUntil(below.isVisible, timeout=120_000)
    press(below, below.actionGeometry(below.actions()[1]).center())
    qtbot.waitUntil(
        lambda: window.context.texts.language == "zh" and not window._rebuild_timer.isActive(), timeout=120_000
    )
    assert session.runner.busy
    assert window.page("measure").texts.language == "zh"
    (strip,) = window.findChildren(JobStrip)
    assert "训练" in strip.accessibleName()
    job.release.set()
    qtbot.waitUntil(lambda: not session.runner.busy, timeout=120_000)
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)


def test_a_worker_killed_after_the_start_button_is_told_in_red(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    settings.store("budget_s", 4)
    session.described.choose(load_workload("iris_mlp"), reference="iris_mlp")
    press(window.navigation._buttons["measure"])
    qtbot.waitUntil(lambda: not window.page("measure").filling, timeout=120_000)
    press(button(window, window.context.texts("menu-measure")))
    while session.runner.busy:
        for one in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if "advisor.worker" in one.cmdline():
                    one.kill()
        qtbot.wait(50)
    assert session.runner.end == "failed"
    (strip,) = window.findChildren(JobStrip)
    assert strip.property("role") == "strip-failed"
    assert "killed" in strip.accessibleName()
    press(window.navigation._buttons["machine"])
    press(strip)
    assert window.current == "measure"
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)


@pytest.mark.needs_compiler
@pytest.mark.parametrize(("scenario", "count"), [("a100_8", 8), ("a100_16", 16)])
def test_every_row_of_many_gpus_is_reached_by_the_wheel(
    live: MainWindow, qtbot: QtBot, nvml_stub: NvmlStub, scenario: str, count: int
) -> None:
    nvml_stub.use(scenario)
    look(live, qtbot)
    shown = live.page("machine")
    qtbot.waitUntil(lambda: shown.grid is not None and not shown.filling)  # type: ignore[attr-defined]
    rows = shown.grid.rows  # type: ignore[attr-defined]
    assert len(rows._devices) == count + 1
    assert rows.height() >= (count + 1) * ROW
    area = shown.scroll_area

    def reached() -> bool:
        turn_wheel(area.viewport(), 3)
        foot = rows.mapTo(area.viewport(), QPoint(0, rows.height())).y()
        return bool(0 < foot <= area.viewport().height())

    qtbot.waitUntil(reached, timeout=120_000)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_job_that_ends_closes_no_open_menu(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.show_recorded(fakes.advice())
    window.show_page("measure")
    menu = next(one for one in window.menuBar().findChildren(QMenu) if one.title() == "&View")
    menu.popup(window.mapToGlobal(QPoint(100, 40)))
    qtbot.waitUntil(menu.isVisible)
    session.runner.outcome = Outcome(kind="finished")
    session.runner.ended.emit()
    qtbot.wait(400)
    assert menu.isVisible()
    assert window.current == "measure"
    menu.close()
    qtbot.waitUntil(lambda: window.current == "advice", timeout=60_000)
