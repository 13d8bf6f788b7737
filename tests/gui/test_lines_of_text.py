"""Return and files in a line of text: the dialog's answer, and what is the window's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QPushButton

from advisor.gui.dialogs.settings_dialog import SettingsDialog

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


def test_return_in_a_field_of_the_settings_saves_them(window: MainWindow, settings: Settings, qtbot: QtBot) -> None:
    dialog = SettingsDialog(window, window.context.texts, settings)
    qtbot.addWidget(dialog)
    asked = list[str]()
    for button in dialog.findChildren(QPushButton):
        if button.text() == "Browse…":  # What it opens would wait for a person.
            button.clicked.disconnect()
        button.clicked.connect(partial(asked.append, button.text()))
    dialog.show()
    dialog._lines["max_hours"].setText("12")
    QTest.keyClick(dialog._lines["price_file"], Qt.Key.Key_Return)
    assert asked == ["Save"]
    assert settings.limit("max_hours") == 12.0


@pytest.mark.parametrize("name", ["machine", "model", "cases"])
def test_no_line_of_a_page_takes_a_file_that_is_for_the_window(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName
) -> None:
    session.case_answers = {"none": None}  # type: ignore[dict-item]
    window.show_page(name)
    page = window.page(name)
    qtbot.waitUntil(lambda: not page.filling and bool(page.findChildren(QLineEdit)))
    own = [one for one in page.findChildren(QLineEdit) if not isinstance(one.parent(), QAbstractSpinBox | QComboBox)]
    assert own
    assert not [one.accessibleName() for one in own if one.acceptDrops()]
