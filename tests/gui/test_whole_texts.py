"""In the smallest window that is supported every word of every page is whole, in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from advisor.gui.context import PAGE_NAMES
from advisor.gui.history_access import keep
from advisor.gui.style_sheet import style_sheet
from advisor.gui.theme import DARK, LIGHT, Theme, palette_of
from advisor.gui.widgets.labels import ElidedLabel, QuietLabel, paragraph
from tests.gui import fakes
from tests.gui.cut_texts import cut_texts

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


def cut_on(window: MainWindow, name: str, qtbot: QtBot) -> list[str]:
    window.show_page(name)
    page = window.page(name)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: not page.filling and not getattr(page, "busy", False), timeout=120_000)
    found = []
    tabs = page.findChildren(QTabBar) if name == "model" else []
    for place in range(tabs[0].count()) if tabs else (0,):
        if tabs:
            tabs[0].setCurrentIndex(place)
        qtbot.wait(50)
        found += cut_texts(page)
    return [f"{name}: {text}" for text in found + cut_texts(window.navigation)]


def shown_window(session: Session, settings: Settings, folder: Path, qtbot: QtBot, size: tuple[int, int]) -> MainWindow:
    from advisor.gui.fonts import load_fonts
    from advisor.gui.main_window import MainWindow

    load_fonts()
    advice = fakes.advice()
    session.machine = advice.machine
    session.show_recorded(advice)
    keep(folder, advice)
    window = MainWindow(session, settings)
    qtbot.addWidget(window)
    window.resize(*size)
    window.show()
    qtbot.waitUntil(lambda: window._painted)
    assert (window.width(), window.height()) == size
    return window


@pytest.mark.parametrize("language", ["en", "zh"])
def test_with_the_largest_letters_in_a_narrow_window_tabs_and_lines_to_type_in_are_whole(
    session: Session, settings: Settings, tmp_path: Path, qtbot: QtBot, language: str
) -> None:
    settings.store("language", language)
    settings.store("zoom", "1.6")
    window = shown_window(session, settings, tmp_path, qtbot, (960, 640))
    found = [text for name in ("machine", "model", "compare") for text in cut_on(window, name, qtbot)]
    assert [text for text in found if text.split()[1] in {"tab:", "line:", "button:", "choice:"}] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_text_of_any_page_is_cut(
    session: Session, settings: Settings, tmp_path: Path, qtbot: QtBot, language: str
) -> None:
    settings.store("language", language)
    window = shown_window(session, settings, tmp_path, qtbot, (1024, 700))
    assert [text for name in PAGE_NAMES for text in cut_on(window, name, qtbot)] == []


def test_what_is_cut_is_found(qtbot: QtBot) -> None:
    place = QWidget()
    qtbot.addWidget(place)
    lines = QVBoxLayout(place)
    long = "a text that is far wider than its place is"
    quiet, choice = QuietLabel(), QComboBox()
    quiet.set_text(long)
    choice.addItem(long)
    widgets = [QLabel(long), ElidedLabel(long), QLineEdit(long), QPushButton(long), choice, quiet]
    for widget in widgets:
        widget.setFixedWidth(80)
        lines.addWidget(widget)
    place.show()
    qtbot.waitExposed(place)
    assert cut_texts(place) == [f"{kind}: {long}" for kind in ("label", "elided", "line", "button", "choice")]
    for widget in widgets:
        widget.setFixedWidth(600)
    qtbot.wait(20)
    assert cut_texts(place) == []


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_buttons_of_a_file_dialog_show_their_pictures(qtbot: QtBot, tmp_path: Path, theme: Theme) -> None:
    dialog = QFileDialog(None, "open", str(tmp_path))
    qtbot.addWidget(dialog)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setPalette(palette_of(theme))
    dialog.setStyleSheet(style_sheet(theme))
    dialog.show()
    seen = 0
    for button in dialog.findChildren(QToolButton):
        if button.isVisible() and button.isEnabled() and not button.icon().isNull():
            image = button.grab().toImage()
            xs, ys = range(6, image.width() - 6), range(6, image.height() - 6)
            assert len({image.pixel(x, y) for x in xs for y in ys}) > 3, button.objectName()
            seen += 1
    assert seen


@pytest.mark.parametrize("folder", ["a folder of 60 letters, more or less, as long as they may be/", "x" * 200 + "/"])
def test_a_long_path_in_a_dialog_goes_on_after_a_folder(qtbot: QtBot, folder: str) -> None:
    path = "/" + folder.replace(" ", "_") * 3 + "movie.mkv"
    text = paragraph(path, 300)
    qtbot.addWidget(text)
    lines = text.text().split("\n")
    assert "".join(lines) == path
    assert lines[-1].endswith("movie.mkv")
    assert all(text.fontMetrics().horizontalAdvance(line) <= 300 for line in lines)
