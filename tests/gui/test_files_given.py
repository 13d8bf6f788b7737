"""A file that is given to the window opens or is refused in one dialog, and is never moved from its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDialog

from advisor import advise
from advisor.core.bundled import workloads_folder
from advisor.gui.job_request import ask_for
from advisor.gui.jobs.answers import request_of
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.pages.machine_page import MachinePage
from advisor.store import json_file
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


def drop(window: MainWindow, *paths: Path) -> None:
    """Let files fall on the window."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    at, copied = QPoint(5, 5).toPointF(), Qt.DropAction.CopyAction
    window.dropEvent(QDropEvent(at, copied, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier))


def test_of_several_dropped_files_the_first_is_opened_and_that_is_said(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    json_file.write(fakes.advice(), first)
    json_file.write(fakes.advice(), second)
    drop(window, first, second)
    told = window.statusBar().currentMessage()
    assert told == f"Of 2 dropped files only the first is opened, {first}; drop the others one at a time."
    assert window.statusBar().isVisible()
    qtbot.waitUntil(lambda: session.advice is not None, timeout=120_000)
    assert window.settings.recent_files == (str(first),)
    assert window.statusBar().currentMessage() == told


def test_a_file_that_is_dropped_to_be_moved_is_only_read(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    json_file.write(fakes.advice(), path)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    either = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    dragged = QDragEnterEvent(QPoint(5, 5), either, data, left, plain)
    dropped = QDropEvent(QPoint(5, 5).toPointF(), either, data, left, plain)
    for event in (dragged, dropped):
        event.setDropAction(Qt.DropAction.MoveAction)
    window.dragEnterEvent(dragged)
    window.dropEvent(dropped)
    for event in (dragged, dropped):
        assert (event.dropAction(), event.isAccepted()) == (Qt.DropAction.CopyAction, True)


def test_a_dropped_advice_opens(window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "saved.json"
    json_file.write(fakes.advice(), path)
    drop(window, path)
    assert window.statusBar().currentMessage() == f"Opening {path} …"
    qtbot.waitUntil(lambda: window.current == "advice", timeout=120_000)
    assert session.advice == fakes.advice()
    assert not window.statusBar().currentMessage()
    assert window.settings.recent_files == (str(path),)
    qtbot.wait(1)


def test_an_advice_that_is_damaged_is_told_in_one_dialog_and_opens_nothing(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"a":', encoding="utf-8")
    for _ in range(2):
        drop(window, path)
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)
    (shown,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    assert "broken.json: this is not all of the file" in words_of(shown)
    shown.close()
    assert session.advice is None
    assert window.settings.recent_files == ()


@pytest.mark.parametrize(
    "text", ['{"model_type": "bert", "hidden_size": 256, "num_hid', '{"model_type": "bert",, "hidden_size": 256}']
)
def test_a_damaged_configuration_of_any_name_is_told_as_one_and_not_as_an_advice(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, text: str
) -> None:
    path = tmp_path / "my_model.json"
    path.write_text(text, encoding="utf-8")
    drop(window, path)
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(QDialog)), timeout=120_000)
    (shown,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    assert "my_model.json: this is not valid JSON" in words_of(shown)
    assert "advice" not in words_of(shown)
    shown.close()
    assert path.read_text(encoding="utf-8") == text
    assert session.described.workload is None


def test_a_file_of_no_known_kind_is_refused_in_one_dialog(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "movie.mkv"
    path.write_bytes(b"\0")
    for _ in range(3):
        window.commands.open_path(path)
    qtbot.wait(5)
    shown = [one for one in window.findChildren(QDialog) if one.isVisible()]
    assert len(shown) == 1
    assert "movie.mkv" in words_of(shown[0])
    shown[0].close()


CARDS = """
# The lab's own.
[[gpu]]
key = "lab-x1"
name = "Acme X1"
compute_capability = "8.9"
sm_count = 100
boost_clock_hz = 2.5e9
fp32_flop_per_s = 40e12
fp16_flop_per_s = 160e12
memory_bytes = 48e9
memory_bandwidth_bytes_per_s = 900e9
source = "data sheet"
checked = "2026-11-01"
"""


def test_cards_of_a_file_are_compared_from_then_on_and_the_file_stays_as_it_was(
    window: MainWindow, settings: Settings, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "lab.toml"
    path.write_text(CARDS, encoding="utf-8")
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    page = window.page("machine")
    assert isinstance(page, MachinePage)
    chips = page.start.chips
    qtbot.waitUntil(lambda: chips.loaded, timeout=120_000)
    usual = chips.keys
    window.show_page("model")
    drop(window, path)
    qtbot.waitUntil(lambda: chips.keys == (*usual, "lab-x1"), timeout=120_000)
    assert window.current == "machine"
    assert window.statusBar().currentMessage() == "Compared with from now on: Acme X1."
    assert chips.mine.isVisible()
    assert session.described.reference == "bert_base_sst2"
    assert session.described.workload is not None
    request = request_of(ask_for(session.described.workload, settings, measure=False, allow_code=False))
    assert request.gpu_keys == (*usual, "lab-x1")
    assert [one.name for one in request.extra_specs] == ["Acme X1"]
    assert path.read_text(encoding="utf-8") == CARDS
    assert settings.gpu_file == tmp_path / "my_gpus.toml"
    assert settings.recent_files == ()  # It is no workload to be chosen again.


def test_a_card_of_a_file_that_lacks_a_figure_is_told_and_none_is_taken(
    window: MainWindow, settings: Settings, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "lab.toml"
    path.write_text(CARDS.replace("memory_bytes = 48e9\n", ""), encoding="utf-8")
    drop(window, path)
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)
    (shown,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    assert "lab.toml" in words_of(shown)
    assert "memory_bytes" in words_of(shown)
    shown.close()
    assert (settings.gpu_file, settings.gpu_keys) == (None, None)


PRICES = """
currency = "EUR"
date = "2026-01-31"
[devices]
a100-sxm4-40 = 1.5
rtx3090 = 0.35
"""


def test_prices_of_a_file_are_told_from_then_on_and_asked_with(
    window: MainWindow, settings: Settings, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, encoding="utf-8")
    session.set_advice(advise("bert_base_sst2", measure=False, gpus="rtx3090,a100-sxm4-40", counts=(1,)))
    window.show_page("model")
    drop(window, path)
    qtbot.waitUntil(lambda: settings.price_file == path, timeout=120_000)
    assert window.current == "compare"
    told = f"From now on costs are told by {path}: EUR of 2026-01-31, 2 devices."
    assert window.statusBar().currentMessage() == told
    page = window.page("compare")
    assert isinstance(page, ComparePage)
    qtbot.waitUntil(lambda: page._ready, timeout=120_000)
    assert page._comparison.has_cost()
    assert {one.prediction.currency for one in page._comparison.set_ups} == {"EUR"}
    request = request_of(ask_for(load_workload("bert_base_sst2"), settings, measure=False, allow_code=False))
    assert request.prices is not None
    assert request.prices.devices == {"a100-sxm4-40": 1.5, "rtx3090": 0.35}
    # Other prices are told at once, and are what is typed over.
    path.write_text(PRICES.replace("1.5", "3.0"), encoding="utf-8")
    window.commands.open_path(path)
    qtbot.waitUntil(lambda: page._ready and page._comparison.price_per_hour("a100-sxm4-40") == 3.0, timeout=120_000)
    assert settings.recent_files == ()  # It is no workload to be chosen again.


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("rtx3090 =", "rtx3099 =", "rtx3099"),
        ('"EUR"', '"euro"', "currency"),
        ('"EUR"', '"$"', 'Allowed: text such as "USD", "EUR" or "CNY".'),
        ('date = "2026-01-31"', "", "date"),
        ("2026-01-31", "2026-13-31", "is not a date"),
        ("0.35", "-1", "devices"),
    ],
)
def test_a_price_file_that_is_wrong_is_told_by_its_field_and_not_taken(
    window: MainWindow, settings: Settings, tmp_path: Path, qtbot: QtBot, before: str, after: str, said: str
) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES.replace(before, after), encoding="utf-8")
    drop(window, path)
    qtbot.waitUntil(lambda: bool([one for one in window.findChildren(QDialog) if one.isVisible()]), timeout=120_000)
    (shown,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    assert "prices.toml" in words_of(shown)
    assert said in words_of(shown)
    shown.close()
    assert settings.price_file is None


def test_prices_of_a_card_of_ones_own_are_known(
    window: MainWindow, settings: Settings, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    cards, path = tmp_path / "lab.toml", tmp_path / "prices.toml"
    cards.write_text(CARDS, encoding="utf-8")
    path.write_text(PRICES + "lab-x1 = 2\n", encoding="utf-8")
    settings.store("gpu_file", str(cards))
    drop(window, path)
    qtbot.waitUntil(lambda: settings.price_file == path, timeout=120_000)
    assert session.advice is None
    assert window.current != "compare"


def test_a_file_that_could_not_be_read_is_not_offered_again(
    window: MainWindow, settings: Settings, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "half.toml"
    path.write_text('name = "mine"\nmodle = 1\n', encoding="utf-8")
    drop(window, path)
    qtbot.waitUntil(lambda: bool([one for one in window.findChildren(QDialog) if one.isVisible()]), timeout=120_000)
    (shown,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    assert "modle" in words_of(shown)
    shown.close()
    assert not settings.recent_files
    path.write_bytes((workloads_folder() / "iris_mlp.toml").read_bytes())
    drop(window, path)
    qtbot.waitUntil(lambda: session.described.workload is not None, timeout=120_000)
    assert settings.recent_files == (str(path),)


def test_a_log_that_was_opened_is_no_model_to_be_chosen(
    window: MainWindow, settings: Settings, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    log, model = tmp_path / "train.log", tmp_path / "net.py"
    for path in (model, log):
        path.write_text("{'loss': 1.0, 'epoch': 1.0}\n", encoding="utf-8")
        settings.add_recent(path)
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    page = window.page("machine")
    assert isinstance(page, MachinePage)
    qtbot.waitUntil(lambda: page.start.model.count() > 0, timeout=120_000)
    listed = [page.start.model.itemText(place) for place in range(page.start.model.count())]
    assert "net.py" in listed
    assert "train.log" not in listed


def test_configurations_that_were_opened_are_offered_again_and_told_apart_by_their_folders(
    window: MainWindow, settings: Settings, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    for place in ("tiny/config.json", "large/config.json", "saved_advice.json", "net.py", "unet/model.py"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("{}", encoding="utf-8")
        settings.add_recent(tmp_path / place)
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    page = window.page("machine")
    assert isinstance(page, MachinePage)
    qtbot.waitUntil(lambda: page.start.model.count() > 0, timeout=120_000)
    listed = [page.start.model.itemText(place) for place in range(page.start.model.count())]
    assert {"tiny/config.json", "large/config.json", "net.py", "unet/model.py"} <= set(listed)
    assert not any("saved_advice" in one for one in listed)
