"""Where files go: the suffix that nobody typed, a word when it is written, and one dialog where it is not."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QDialog, QFileDialog

from advisor.gui.dialogs.save_path import save_dialog, usual_name
from advisor.gui.history_access import keep
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.pages.history_page import HistoryPage
from advisor.gui.pages.machine_page import MachinePage
from advisor.gui.pages.model_page import ModelPage
from advisor.gui.plots.live_grid import LiveGrid
from advisor.store import json_file
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.shown_page import shown_page
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Answers the next dialogs with a path as a person types it."""

    def chosen(path: Path) -> None:
        def answer(dialog: QFileDialog) -> int:
            dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
            dialog.setDirectory(str(path.parent))
            dialog.selectFile(path.name)
            return 1

        monkeypatch.setattr(QFileDialog, "exec", answer)

    return chosen


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_name_without_a_suffix_takes_the_files_own(window: MainWindow, tmp_path: Path) -> None:
    for typed, expected in (("mine", "mine.json"), ("mine.json", "mine.json"), ("mine.txt", "mine.txt")):
        dialog = save_dialog(window, "save", "advice.json")
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setDirectory(str(tmp_path))
        dialog.selectFile(typed)
        assert [Path(one).name for one in dialog.selectedFiles()] == [expected]
        dialog.deleteLater()


@pytest.mark.parametrize(
    ("about", "name"),
    [
        ("BERT-base on SST-2", "advice-bert-base-on-sst-2.pdf"),
        ("../../etc/passwd", "advice-etc-passwd.pdf"),
        ("我的模型 v1.5", "advice-我的模型-v1-5.pdf"),
        ("x" * 300, f"advice-{'x' * 60}.pdf"),
        ("***", "advice.pdf"),
    ],
)
def test_a_report_is_called_by_its_workload(about: str, name: str) -> None:
    assert usual_name(about, "pdf") == name


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("export-pdf", "advice-bert-base-on-sst-2.pdf"),
        ("export-csv", "advice-bert-base-on-sst-2.csv"),
        ("save-json", "advice.json"),
        ("save-script", "train.py"),
    ],
)
def test_a_second_answers_report_is_not_offered_the_name_of_the_first(
    window: MainWindow, session: Session, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    offered: list[str] = []
    session.set_advice(fakes.advice())
    monkeypatch.setattr("advisor.gui.commands.ask_save_path", lambda _window, _title, usual: offered.append(usual))
    window.commands.act(kind)
    assert offered == [name]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_every_way_to_save_says_where_the_file_went(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, choose: Callable[[Path], None]
) -> None:
    keep(tmp_path, fakes.advice())
    session.machine = fakes.machine()
    session.machine_changed.emit()
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    session.show_recorded(fakes.advice())
    machine = shown_page(window, "machine", MachinePage, qtbot)
    qtbot.waitUntil(lambda: machine.grid is not None and not machine.filling, timeout=120_000)
    grid = machine.grid
    assert isinstance(grid, LiveGrid)
    compare = shown_page(window, "compare", ComparePage, qtbot)
    model = shown_page(window, "model", ModelPage, qtbot)
    history = shown_page(window, "history", HistoryPage, qtbot)
    qtbot.waitUntil(lambda: hasattr(history, "_table") and not history.busy, timeout=120_000)
    ways: dict[str, tuple[Callable[[], object], str]] = {
        "json": (partial(window.commands.act, "save-json"), ".json"),
        "plots": (partial(grid._ask_and_export, "csv"), ".csv"),
        "set-ups": (compare._table._ask_and_export, ".csv"),
        "workload": (model._save, ".toml"),
        "run": (history._export, ".json"),
    }
    for name, (save, suffix) in ways.items():
        path = tmp_path / "saved" / name
        path.parent.mkdir(exist_ok=True)
        choose(path)
        window.statusBar().clearMessage()
        save()
        written = path.with_suffix(suffix)
        qtbot.waitUntil(lambda: bool(window.statusBar().currentMessage()), timeout=120_000)
        assert str(written) in window.statusBar().currentMessage()
        assert written.exists()
    assert json_file.read(tmp_path / "saved" / "run.json").workload == fakes.workload()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_readings_that_cannot_be_written_are_told_in_one_dialog(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, choose: Callable[[Path], None]
) -> None:
    session.machine = fakes.machine()
    session.machine_changed.emit()
    page = shown_page(window, "machine", MachinePage, qtbot)
    qtbot.waitUntil(lambda: page.grid is not None and not page.filling, timeout=120_000)
    assert page.grid is not None
    choose(tmp_path / "readings.csv")
    (tmp_path / "readings.csv").mkdir()
    page.grid._ask_and_export("csv")
    (dialog,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    assert "readings.csv" in words_of(dialog).replace("\n", "")
    dialog.close()
