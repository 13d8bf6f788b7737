"""A training log given to the window is explained there: opened, dropped, pasted, or refused in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QPushButton

from advisor.gui.pages.cases_page import CasesPage
from advisor.gui.pages.log_card import LogCard
from tests.gui.conftest import renew
from tests.gui.shown_page import shown_page
from tests.gui.test_files_given import drop
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings

TRAINER = """ 10%|█         | 100/1000 [00:52<07:48,  1.92it/s]
 20%|██        | 200/1000 [01:44<06:56,  1.92it/s]
{'eval_loss': 1.9, 'eval_runtime': 60.5, 'eval_samples_per_second': 100.1, 'epoch': 0.2}
 30%|███       | 300/1000 [03:36<06:04,  1.92it/s]
 40%|████      | 400/1000 [04:28<05:12,  1.92it/s]
"""
LIGHTNING = """Epoch 0: 100%|██████████| 500/500 [01:40<00:00,  5.00it/s, v_num=0, train_loss=0.5]
Validation DataLoader 0: 100%|██████████| 100/100 [00:20<00:00,  5.00it/s]
Epoch 1: 100%|██████████| 500/500 [01:40<00:00,  5.00it/s, v_num=0, train_loss=0.4]
"""
KERAS = """Epoch 1/3
1875/1875 [==============================] - 12s 6ms/step - loss: 0.2 - accuracy: 0.9 - val_loss: 0.1
Epoch 2/3
1875/1875 [==============================] - 11s 6ms/step - loss: 0.2 - accuracy: 0.9 - val_loss: 0.1
"""


def told(window: MainWindow, session: Session, qtbot: QtBot) -> str:
    """What the card says once the log that was given is read."""
    qtbot.waitUntil(lambda: not session.log.reading, timeout=120_000)
    (card,) = window.page("cases").findChildren(LogCard)
    return words_of(card).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("hf.log", TRAINER, "A step takes 520 ms"),
        ("slurm-1.out", LIGHTNING, "A step takes 200 ms"),
        ("keras.txt", KERAS, "A step takes 6.13 ms"),
        ("nonsense.log", "hello\n", "The log tells no step times."),
    ],
)
def test_a_dropped_log_is_explained_on_the_page_of_cases(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    drop(window, path)
    assert window.current == "cases"
    words = told(window, session, qtbot)
    assert said in words
    assert name in words
    assert window.settings.recent_files == (str(path),)
    assert not [one for one in window.findChildren(QDialog) if one.isVisible()]


def test_copied_lines_of_a_log_are_explained_in_the_language_of_the_window(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    window.show_page("cases")
    (card,) = window.page("cases").findChildren(LogCard)
    paste = next(one for one in card.findChildren(QPushButton) if one.text() == card._texts("logs-paste"))
    QGuiApplication.clipboard().setText(" ")
    paste.click()
    assert "The clipboard holds no text" in words_of(card)
    QGuiApplication.clipboard().setText(LIGHTNING + "\ud800")
    paste.click()
    assert "A step takes 200 ms" in told(window, session, qtbot)
    settings.store("language", "zh")
    renew(window)
    words = told(window, session, qtbot)
    assert "每步需要 200 ms" in words
    assert "A step takes" not in words


def test_of_two_logs_given_the_later_one_is_told(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    for name, text in (("first.log", TRAINER), ("second.log", LIGHTNING)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        window.commands.open_path(tmp_path / name)
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)
    words = told(window, session, qtbot)
    assert "first.log" not in words
    assert "second.log" in words
    assert "A step takes 200 ms" in words


def test_logs_are_among_the_files_that_may_be_opened(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    offered: list[str] = []

    def ask(_parent: object, _title: str, _folder: str, kinds: str) -> tuple[str, str]:
        offered.append(kinds)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    window.commands.act("open")
    window.commands.act("open-log")
    logs = "Training logs (*.log *.txt *.out *.err *.csv *.jsonl)"
    assert offered == [f"Workloads, models, saved advice, GPUs and prices (*.toml *.json *.py);;{logs}", logs]


def test_with_the_largest_letters_nothing_of_the_page_is_beyond_the_narrowest_window(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    settings.store("zoom", "1.6")
    renew(window)
    window.resize(960, 620)
    page = shown_page(window, "cases", CasesPage, qtbot)
    buttons = page.findChildren(LogCard)[0].findChildren(QPushButton)
    assert len(buttons) == 2
    seen = page.scroll_area.viewport()
    qtbot.waitUntil(
        lambda: all(one.mapTo(seen, one.rect().topRight()).x() < seen.width() for one in buttons), timeout=120_000
    )
