"""A path that is pasted with quotes, as an address or with `~` is the file that it names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from advisor.gui.dialogs.settings_dialog import SettingsDialog
from advisor.gui.models.typed_path import typed_path
from advisor.gui.pages.model_page import ModelPage
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings

CONFIG = (
    '{"model_type": "bert", "architectures": ["BertForSequenceClassification"], "hidden_size": 64, '
    '"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128, "vocab_size": 100}'
)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/a b/config.json", "/a b/config.json"),
        ('  "/a b/config.json" ', "/a b/config.json"),
        ("'/a b/config.json'", "/a b/config.json"),
        ("“/a b/config.json”", "/a b/config.json"),
        ("file:///a%20b/config.json", "/a b/config.json"),
        ('"file:///a%20b/config.json"', "/a b/config.json"),
        ("~/config.json", str(Path.home() / "config.json")),
        ("~nobody-of-this-name/config.json", "~nobody-of-this-name/config.json"),
        ("bert-base-uncased", "bert-base-uncased"),
        ("org/file-model", "org/file-model"),
        ('"', '"'),
        ('""', ""),
        ("  ", ""),
        ("\"/a'", "\"/a'"),
    ],
)
def test_what_is_typed_means_a_path(text: str, path: str) -> None:
    assert typed_path(text) == path


@pytest.mark.parametrize("form", ['"{}"', "'{}'", "file://{}"])
def test_a_pasted_folder_of_a_model_is_opened(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, form: str
) -> None:
    folder = tmp_path / "my model"
    folder.mkdir()
    (folder / "config.json").write_text(CONFIG, encoding="utf-8")
    line = shown_page(window, "model", ModelPage, qtbot)._sources_card.hub.line
    line.setText(form.format(folder))
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.described.reference == str(folder), timeout=60_000)


def test_pasted_paths_of_the_settings_are_kept_as_paths(
    window: MainWindow, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    prices = tmp_path / "my prices.toml"
    prices.write_text("", encoding="utf-8")
    dialog = SettingsDialog(window, window.context.texts, settings)
    qtbot.addWidget(dialog)
    dialog._lines["price_file"].setText(f'"{prices}"')
    dialog._lines["data_folder"].setText(f"'{tmp_path / 'runs'}'")
    dialog.accept()
    assert (settings.price_file, settings.data_folder) == (prices, tmp_path / "runs")
