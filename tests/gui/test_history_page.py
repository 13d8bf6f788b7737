"""The history page: two kept runs side by side, the earlier one first, and a run's own check."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from advisor.gui.context import Context
from advisor.gui.dialogs.old_runs import OldRunsDialog
from advisor.gui.history_access import in_history, keep, read_history
from advisor.gui.jobs.closed_early import measured_alone
from advisor.gui.pages.history_details import compared_cards, measured_card
from advisor.gui.pages.history_page import HistoryPage
from advisor.gui.widgets.notice import Strip
from advisor.gui.widgets.table import Table
from advisor.present.checked_steps import checked_steps
from advisor.store.history import Run, RunHead
from tests.gui import fakes
from tests.gui.at_the_window import strike_key
from tests.gui.conftest import renew
from tests.gui.test_at_the_window import active
from tests.present.recorded import recorded

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings
    from advisor.store.advice_record import AdviceRecord


def later(advice: AdviceRecord, factor: float) -> AdviceRecord:
    """The same run a day after, under another torch, every step `factor` times as long."""
    software = msgspec.structs.replace(advice.machine.software, torch="9.9.9")
    return msgspec.structs.replace(
        advice,
        created_utc="2031-01-02T03:04:05Z",
        machine=msgspec.structs.replace(advice.machine, software=software),
        predictions=tuple(msgspec.structs.replace(one, step_s=one.step_s.scaled(factor)) for one in advice.predictions),
    )


def cells(widget: QWidget) -> list[list[list[str]]]:
    """The texts of each table in it, row by row."""
    return [
        [[column.text(record) for column in table.table_model.columns] for record in table.table_model.records]
        for table in widget.findChildren(Table)
    ]


def page_context(window: MainWindow) -> Context:
    return window.page("history").context


def test_two_kept_runs_are_compared_with_the_earlier_one_first(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    advice = fakes.advice()
    folder = settings.history_folder
    keep(folder, later(advice, 3.0))
    keep(folder, advice)
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy, timeout=120_000)
    page._table.selectAll()
    qtbot.waitUntil(lambda: "9.9.9" in str(cells(page)) and not page.busy, timeout=120_000)
    said = "\n".join(label.text() for label in page.findChildren(QLabel))
    assert said.index(page.texts("history-first")) < said.index(page.texts("history-second"))
    assert [table for table in cells(page) if any("9.9.9" in row[2] for row in table)]
    steps = [row for table in cells(page) for row in table if row[-1] == page.texts("history-predicted")]
    assert any(row[5] == "× 3.00" for row in steps if len(row) > 5)


def listed(window: MainWindow, qtbot: QtBot) -> HistoryPage:
    """The page once it shows the runs that are kept."""
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy, timeout=120_000)
    return page


def shows(page: HistoryPage, wanted: list[int]) -> bool:
    """Whether the runs of these numbers are listed, in this order."""
    return [run.entry_index for run in page._model.records] == wanted and not page.busy


def kept_three(folder: Path) -> list[int]:
    """The numbers of three kept runs, the newest first."""
    for _ in range(3):
        keep(folder, fakes.advice())
    return [run.entry_index for run in in_history(folder, read_history).runs]


def test_a_run_that_another_window_deletes_is_no_longer_listed_and_the_selected_one_stays_selected(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    first, second, third = kept_three(settings.history_folder)
    page = listed(window, qtbot)
    page._table.selectRow(2)
    in_history(settings.history_folder, lambda history: history.delete(second))
    qtbot.waitUntil(lambda: len(page._model.records) == 2 and not page.busy, timeout=120_000)
    assert [run.entry_index for run in page._model.records] == [first, third]
    assert [run.entry_index for run in page._selected()] == [third]


def test_a_run_that_cannot_be_written_is_told_on_the_advice_page_in_the_words_of_the_history(
    window: MainWindow, session: Session, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "file").touch()
    settings.store("data_folder", str(tmp_path / "file" / "runs"))
    window.show_page("advice")
    session.set_advice(recorded())
    session.keep(recorded())
    page = window.page("advice")
    qtbot.waitUntil(lambda: bool(page.findChildren(Strip)), timeout=120_000)
    told = [strip.toolTip() for strip in page.findChildren(Strip) if "cannot be written" in strip.toolTip()]
    assert len(told) == 1
    assert str(tmp_path / "file" / "runs") in told[0]
    window.show_page("history")
    history = window.page("history")
    words = told[0].removeprefix("<qt>").removesuffix("</qt>")
    qtbot.waitUntil(lambda: words in [label.text() for label in history.findChildren(QLabel)], timeout=120_000)
    settings.store("data_folder", str(tmp_path))
    session.keep(recorded())
    qtbot.waitUntil(lambda: not session.unkept, timeout=120_000)
    window.show_page("advice")
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert not [strip for strip in page.findChildren(Strip) if "cannot be written" in strip.toolTip()]


def test_order_and_selection_of_the_runs_survive_another_page_and_another_language(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    first, second, third = kept_three(settings.history_folder)
    page = listed(window, qtbot)
    page._table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    page._table.selectRow([run.entry_index for run in page._model.records].index(second))
    window.show_page("machine")
    assert listed(window, qtbot) is page
    assert [run.entry_index for run in page._selected()] == [second]
    before = [run.entry_index for run in page._model.records]
    settings.store("language", "zh")
    renew(window)
    page = listed(window, qtbot)
    assert page.texts.language == "zh"
    assert page._table.order() == (0, 0)
    assert [run.entry_index for run in page._selected()] == [second]
    assert [run.entry_index for run in page._model.records] == before
    assert sorted(before) == [third, second, first]


def test_after_a_run_was_deleted_the_keys_go_to_the_one_in_its_place(
    window: MainWindow, settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = kept_three(settings.history_folder)
    page = listed(window, qtbot)
    active(window, qtbot)
    monkeypatch.setattr("advisor.gui.dialogs.frame.QMessageBox.exec", lambda _box: 0)
    yes = page.texts("history-delete")
    monkeypatch.setattr(
        "advisor.gui.dialogs.frame.QMessageBox.clickedButton",
        lambda box: next(one for one in box.buttons() if one.text() == yes),
    )
    page._table.setFocus()
    for left in ([first, third], [first]):
        page._table.selectRow(1)
        strike_key(window, Qt.Key.Key_Delete)
        qtbot.waitUntil(partial(shows, page, left), timeout=120_000)
        assert window.focusWidget() is page._table
    assert [run.entry_index for run in page._selected()] == [first]
    assert second not in [run.entry_index for run in in_history(settings.history_folder, read_history).runs]


def test_an_age_that_is_none_deletes_nothing_by_the_age_before(window: MainWindow, qtbot: QtBot) -> None:
    run = Run(
        entry_index=1,
        created_utc="2020-01-01T00:00:00Z",
        head=RunHead(
            workload_name="old",
            device_name=None,
            count=None,
            strategy=None,
            precision="fp32",
            batch_size_per_device=None,
            job_s=None,
            measured=False,
        ),
    )
    dialog = OldRunsDialog(window, window.context.texts, [run])
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.days.setFocus()
    for typed, possible in (
        ("0", False),
        ("30", True),
        ("", False),
        ("abc", False),
        ("365", True),
        ("9x", False),
        ("12", True),
    ):
        dialog.days.selectAll()
        QTest.keyClick(dialog.days, Qt.Key.Key_Delete)
        QTest.keyClicks(dialog.days, typed)
        assert dialog.accepting.isEnabled() == possible, typed
        assert ("allowed" in dialog.told.text()) != possible, typed
        assert dialog.days.text() == typed  # Nothing is dropped without a word.


def test_runs_that_differ_in_nothing_show_no_settings_and_no_clear_step(window: MainWindow, qtbot: QtBot) -> None:
    advice = recorded()
    cards = compared_cards(advice, advice, page_context(window))
    for card in cards:
        qtbot.addWidget(card)
    shown = [row for card in cards for table in cells(card) for row in table]
    assert len(cards) == 2
    assert shown
    assert all("× 1.00" in row or "–" in row for row in shown)


def test_a_figure_that_one_run_lacks_has_no_clear_difference_nor_an_unclear_one(
    window: MainWindow, qtbot: QtBot
) -> None:
    advice = recorded()
    cards = compared_cards(msgspec.structs.replace(advice, recommendation=None), advice, page_context(window))
    for card in cards:
        qtbot.addWidget(card)
    rows = [row for row in cells(cards[0])[0] if row[1] == "–"]
    assert rows
    assert {(row[3], row[4]) for row in rows} == {("–", "–")}


def test_a_runs_check_shows_every_batch_size_that_was_timed(window: MainWindow, qtbot: QtBot) -> None:
    advice = recorded()
    card = measured_card(advice, page_context(window))
    assert card is not None
    qtbot.addWidget(card)
    (rows,) = cells(card)
    assert len(rows) == len(checked_steps(advice)) > 0


def test_one_run_alone_takes_the_whole_width_of_its_table(window: MainWindow, settings: Settings, qtbot: QtBot) -> None:
    keep(settings.history_folder, recorded())
    window.resize(1280, 800)
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy, timeout=120_000)
    table = page._table
    columns = range(len(table.table_model.columns))
    qtbot.waitUntil(lambda: table.width() > 900 and not table.verticalScrollBar().isVisible(), timeout=60_000)
    shown = sum(table.columnWidth(place) for place in columns if not table.isColumnHidden(place))
    assert shown == table.viewport().width()


def test_columns_that_no_row_could_fill_are_not_shown(window: MainWindow, qtbot: QtBot) -> None:
    advice, texts = recorded(), page_context(window).texts
    timed = {(one.device_key, step.batch_size) for one in advice.measurements for step in one.steps}
    alone = [
        one for one in advice.predictions if (one.device.key, one.batch_size_per_device) in timed and one.count == 1
    ]
    assert alone
    for measured in (False, True):
        predictions = tuple(msgspec.structs.replace(one, measured=measured) for one in advice.predictions)
        card = measured_card(msgspec.structs.replace(advice, predictions=predictions), page_context(window))
        assert card is not None
        qtbot.addWidget(card)
        (table,) = card.findChildren(Table)
        titles = [column.title for column in table.table_model.columns]
        assert (texts("column-error") in titles) == (texts("column-predicted") in titles) == (not measured)
        title = texts("history-only-measured-title" if measured else "history-measured-title")
        assert title in [one.text() for one in card.findChildren(QLabel)]


def test_a_predicted_time_is_not_called_measured_because_its_run_measured_something(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    advice = recorded()
    assert advice.measurements
    assert advice.recommendation is not None
    assert advice.recommendation.job_s is not None
    job_s = msgspec.structs.replace(advice.recommendation.job_s, basis="specified")
    recommendation = msgspec.structs.replace(advice.recommendation, job_s=job_s)
    advice = msgspec.structs.replace(advice, recommendation=recommendation)
    keep(settings.history_folder, advice)
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy, timeout=120_000)
    assert [row[-1] for row in cells(page)[0]] == [page.texts("basis-specified")]


def test_a_run_whose_window_was_closed_says_that_it_has_no_advice(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    advice = recorded()
    keep(settings.history_folder, measured_alone(advice.workload, advice.machine, advice.measurements))
    page = listed(window, qtbot)
    assert [row[-1] for row in cells(page)[0]] == [page.texts("history-no-advice")]


def test_while_two_runs_are_read_it_is_said(window: MainWindow, settings: Settings, qtbot: QtBot) -> None:
    for factor in (1.0, 2.0):
        keep(settings.history_folder, later(recorded(), factor))
    page = listed(window, qtbot)
    page._table.selectAll()
    reading = page.texts("history-reading-two")
    assert reading in [one.text() for one in page.findChildren(QLabel)]
    compared = page.texts("history-compared")
    qtbot.waitUntil(lambda: compared in [one.text() for one in page.findChildren(QLabel)], timeout=120_000)
    qtbot.waitUntil(lambda: reading not in [one.text() for one in page.findChildren(QLabel)], timeout=120_000)


def shown_history(window: MainWindow, qtbot: QtBot) -> HistoryPage:
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy, timeout=120_000)
    return page


def kept_runs(page: HistoryPage) -> list[Run]:
    return list(in_history(page._folder, read_history).runs)


def answer(page: HistoryPage, days: int, *, yes: bool) -> list[str]:
    """Open the dialog for old runs, type an age, and press a button once it is shown; what the dialog then said."""
    said: list[str] = []

    def press() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, OldRunsDialog)
        dialog.days.setValue(days)
        said.extend((dialog.told.text(), dialog.accepting.text()))
        dialog.accepting.click() if yes and dialog.accepting.isEnabled() else dialog.reject()

    QTimer.singleShot(0, press)
    page._buttons["older"].click()
    return said


def test_runs_over_an_age_are_deleted_after_a_yes_that_names_them(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    folder = settings.history_folder
    keep(folder, later(fakes.advice(), 1.0))
    for day in (3, 4):
        keep(folder, msgspec.structs.replace(fakes.advice(), created_utc=f"2021-02-0{day}T00:00:00Z"))
    page = shown_history(window, qtbot)
    told, button = answer(page, 365, yes=False)
    assert "2021-02-03" in told
    assert "2021-02-04" in told
    assert "2" in button
    assert len(kept_runs(page)) == 3
    answer(page, 365, yes=True)
    qtbot.waitUntil(lambda: len(kept_runs(page)) == 1, timeout=120_000)
    assert kept_runs(page)[0].created_utc.startswith("2031")
    qtbot.waitUntil(lambda: not page.busy, timeout=120_000)
    told, _button = answer(page, 365, yes=True)
    assert "365" in told
    assert len(kept_runs(page)) == 1
