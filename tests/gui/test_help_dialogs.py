"""The dialogs of the Help menu: what the program stands on, and a report that names nobody."""

from __future__ import annotations

import getpass
import platform
import re
from importlib.metadata import requires
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QPushButton

from advisor import __version__
from advisor.gui.dialogs import frame
from advisor.gui.dialogs.about import LICENCES
from advisor.gui.dialogs.save_path import save_dialog
from advisor.gui.texts import Texts
from tests.gui import fakes

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.core.sentences import Language
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


def opened(window: MainWindow) -> QDialog:
    dialog = window.findChildren(QDialog)[-1]
    assert dialog.isVisible()
    return dialog


def pressed(dialog: QDialog, text: str) -> None:
    next(button for button in dialog.findChildren(QPushButton) if button.text() == text).click()


def test_about_names_each_package_with_its_version_and_licence(window: MainWindow, qtbot: QtBot) -> None:
    window.commands.show_about()
    dialog = opened(window)
    words = {label.text() for label in dialog.findChildren(QLabel)}
    assert any(__version__ in text for text in words)
    assert {package for package, _licence in LICENCES} <= words
    assert {licence for _package, licence in LICENCES} <= words
    gone = []
    dialog.destroyed.connect(lambda: gone.append(True))
    pressed(dialog, window.commands.texts("window-close"))
    qtbot.waitUntil(lambda: bool(gone), timeout=20_000)


def test_about_leaves_out_no_package_that_users_install() -> None:
    of_developers = re.compile(r"extra == ['\"](?!measure|window|fit)")
    wanted = {normal(line) for line in requires("training-advisor") or [] if not of_developers.search(line)}
    assert {"msgspec", "torch", "pyqtgraph", "scipy"} <= wanted
    assert wanted - {"training-advisor"} <= {normal(package) for package, _licence in LICENCES}


def normal(requirement: str) -> str:
    """The name of a requirement's package as the index writes it."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace(".", "-").replace("_", "-")


def test_a_problem_report_is_copied_and_names_neither_user_nor_host_nor_home(
    window: MainWindow, session: Session
) -> None:
    session.machine = fakes.machine()
    window.commands.report_problem()
    dialog = opened(window)
    text = dialog.findChildren(QPlainTextEdit)[0].toPlainText()
    assert __version__ in text
    for private in (str(Path.home()), platform.node(), getpass.getuser()):
        assert not re.search(rf"\b{re.escape(private)}\b", text)
    pressed(dialog, window.commands.texts("window-copy"))
    assert QGuiApplication.clipboard().text() == text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_dialog_is_called_as_its_menu_entry_without_the_dots_that_lead_to_it(
    window: MainWindow, language: Language
) -> None:
    texts = Texts(language)
    for code in ("menu-report-problem", "menu-open", "menu-export-pdf"):
        dialog, _layout = frame.opened(window, texts(code))
        assert dialog.windowTitle() == texts(code).removesuffix("…")
        dialog.deleteLater()
    saving = save_dialog(window, texts("menu-export-pdf"), "advice.pdf")
    assert saving.windowTitle() == texts("menu-export-pdf").removesuffix("…")
    saving.deleteLater()
