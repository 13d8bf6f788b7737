"""Everything by keyboard: the order of Tab on the Model page, Return and Delete in the history, tips, letters."""

from __future__ import annotations

import ast
import shlex
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLineEdit, QPushButton, QToolButton, QToolTip, QWidget

from advisor.gui.context import PAGE_NAMES
from advisor.gui.history_access import keep
from advisor.gui.pages.history_page import HistoryPage
from advisor.gui.pages.model_page import ModelPage
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.at_the_window import strike_key
from tests.gui.shown_page import shown_comparison
from tests.gui.test_at_the_window import active

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.start.start_card import StartCard


def order_of(first: QWidget, wanted: dict[QWidget, str]) -> list[str]:
    """The names of the wanted widgets in the order in which Tab comes by them."""
    found: list[str] = []
    one: QWidget | None = first
    for _ in range(400):
        if one is None:
            break
        if one in wanted:
            found.append(wanted[one])
        one = one.nextInFocusChain()
        if one is first:
            break
    return found


def test_tab_goes_through_the_model_page_as_one_reads(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    window.show_page("model")
    page = window.page("model")
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    names = ["precision", "batch_size", "epochs", "samples", "sequence_length", "trainable", "compile"]
    wanted: dict[QWidget, str] = {page._sources_card.preset.list: "presets", page._known.layer_table: "layers"}
    for _section, form in page._forms.values():
        wanted |= {form.editor(name): name for name in names if name in form.names}
    assert order_of(page._sources_card.preset.list, wanted) == ["presets", *names, "layers"]


def test_the_focus_goes_to_the_page_that_a_dialog_opens(window: MainWindow, qtbot: QtBot) -> None:
    buttons = window.navigation._buttons
    buttons["machine"].setFocus()
    dialog = QDialog(window)
    line = QLineEdit(dialog)
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    line.setFocus()
    qtbot.waitUntil(line.hasFocus)
    window.show_page("cases")
    assert window.focusWidget() is buttons["cases"]


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_whatever_tab_comes_to_is_in_sight(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, name: PageName
) -> None:
    keep(tmp_path, fakes.advice())
    session.machine = fakes.machine()
    session.machine_changed.emit()
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    session.show_recorded(fakes.advice())
    window.resize(1024, 640)
    window.show_page(name)
    page = window.page(name)
    qtbot.waitUntil(lambda: not page.filling and not getattr(page, "busy", False), timeout=120_000)
    with qtbot.waitActive(window):
        window.activateWindow()
    begin = window.navigation._buttons[name]
    for steps in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        # Scrolled away from where Tab enters the page.
        bar = page.scroll_area.verticalScrollBar()
        bar.setValue(bar.maximum() if steps == Qt.Key.Key_Tab else 0)
        begin.setFocus()
        met: list[QWidget] = []
        while not met or window.focusWidget() is not begin:
            strike_key(window, steps)
            field = window.focusWidget()
            assert field is not None
            met.append(field)
            assert not field.visibleRegion().isEmpty(), (name, len(met), type(field), field.accessibleName())
            assert len(met) < 200
        assert len(met) > 2


def test_the_page_is_turned_by_keys_wherever_the_focus_is(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    session.show_recorded(fakes.advice())
    window.resize(1024, 640)
    window.show_page("advice")
    page = window.page("advice")
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    with qtbot.waitActive(window):
        window.activateWindow()
    bar = page.scroll_area.verticalScrollBar()
    inside = next(one for one in page.scroll_area.findChildren(QPushButton) if one.isVisible())
    for focused in (window.navigation._buttons["advice"], inside):
        focused.setFocus()
        strike_key(window, Qt.Key.Key_Home)
        assert bar.value() == 0
        strike_key(window, Qt.Key.Key_PageDown)
        assert 0 < bar.value() < bar.maximum()
        strike_key(window, Qt.Key.Key_PageUp)
        assert bar.value() == 0
        strike_key(window, Qt.Key.Key_End)
        assert bar.value() == bar.maximum() > 0


def test_return_opens_a_run_and_delete_asks(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path, fakes.advice())
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy, timeout=120_000)
    asked: list[int] = []
    monkeypatch.setattr("advisor.gui.dialogs.frame.QMessageBox.exec", lambda _box: asked.append(1))
    with qtbot.waitActive(window):
        window.activateWindow()
    page._table.setFocus()
    QTest.keyClick(page._table, Qt.Key.Key_Delete)
    assert asked == [1]
    QTest.keyClick(page._table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.current == "advice", timeout=120_000)
    assert session.described.workload == fakes.advice().workload


def test_f1_shows_the_tip_of_what_has_the_focus(
    window: MainWindow, session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.described.choose(load_workload("bert_base_sst2"))
    window.show_page("model")
    page = window.page("model")
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    with qtbot.waitActive(window):
        window.activateWindow()
    field = next(form.editor("batch_size") for _section, form in page._forms.values() if "batch_size" in form.names)
    field.setFocus()
    shown: list[str] = []
    # The offscreen platform complains of real ones.
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, *_rest: shown.append(text))
    window.commands.act("tip")
    assert "micro-batch" in shown[0]


def test_what_has_no_tip_says_so_by_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    active(window, qtbot)
    button = window.navigation._buttons["machine"]
    button.setToolTip("")
    button.setFocus()
    qtbot.waitUntil(button.hasFocus, timeout=60_000)
    window.commands.act("tip")
    assert window.statusBar().currentMessage() == window.commands.texts("tip-none")


def test_plus_and_minus_change_the_letters(window: MainWindow, qtbot: QtBot) -> None:
    def height() -> int:
        field = QLineEdit(window)
        field.ensurePolished()
        return field.fontMetrics().height()

    usual = height()
    window.commands.act("zoom-in")
    window.commands.act("zoom-in")
    qtbot.waitUntil(lambda: height() > usual)
    window.commands.act("zoom-usual")
    qtbot.waitUntil(lambda: height() == usual)
    for _ in range(20):
        window.commands.act("zoom-out")
    assert window.settings.zoom == 0.8
    window.commands.act("zoom-usual")
    qtbot.wait(10)


def test_the_launch_command_names_a_script_that_is_there(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    session.set_advice(fakes.advice())
    path = tmp_path / "my run" / "train it.py"
    path.parent.mkdir()
    window.commands.save_and_copy(path)
    qtbot.waitUntil(lambda: str(path) in QGuiApplication.clipboard().text(), timeout=120_000)
    assert str(path) in shlex.split(QGuiApplication.clipboard().text())
    ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_return_presses_the_button_that_has_the_focus(
    card: StartCard, window: MainWindow, qtbot: QtBot, key: Qt.Key
) -> None:
    active(window, qtbot)
    before = len(card.chips.keys)
    card.chips._chips[0].setFocus()
    strike_key(window, key)
    assert len(card.chips.keys) == before - 1
    page = window.navigation._buttons["history"]
    page.setFocus()
    strike_key(window, key)
    assert window.current == "history"


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_return_opens_the_menu_of_a_button(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    page = shown_comparison(window, session, qtbot)
    active(window, qtbot)
    (columns,) = (one for one in page._table.findChildren(QToolButton) if one.menu() is not None)
    opened: list[bool] = []

    def opens() -> None:
        opened.append(True)
        QTimer.singleShot(0, page._table._menu.close)

    page._table._menu.aboutToShow.connect(opens)
    columns.setFocus()
    strike_key(window, Qt.Key.Key_Return)
    assert opened


def test_tab_shows_which_row_of_a_table_the_keys_act_on(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    page = shown_comparison(window, session, qtbot)
    table = page._table.table
    active(window, qtbot)
    page._table.fitting.setFocus(Qt.FocusReason.TabFocusReason)
    accent = page.context.theme.accent
    assert table.selectionModel().selectedRows() == []

    def lines(row: int = 0) -> int:
        """Rows of pixels across a name of the table that are the accent's, and not of a letter."""
        column = table.columnViewportPosition(page._table._place("device")) + 2
        drawn, top = table.viewport().grab().toImage(), table.rowViewportPosition(row)
        span = range(top, top + table.row_height)
        return sum(drawn.pixelColor(column, y).name() == accent.lower() for y in span)

    assert lines() == 0
    table.setFocus(Qt.FocusReason.TabFocusReason)
    assert lines() == 2
    strike_key(window, Qt.Key.Key_Down)
    assert [one.row() for one in table.selectionModel().selectedRows()] == [1]
    assert (lines(), lines(1)) == (0, 2)
