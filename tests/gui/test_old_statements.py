"""A saved advice whose sentences lack values opens in the window, and each page shows what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QLabel

from advisor.core.sentences import sentence
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.pages.compare_page import ComparePage
from advisor.store import json_file
from tests.gui import fakes
from tests.gui.conftest import renew
from tests.gui.shown_page import shown_page
from tests.store.lost_statements import LANGUAGES, opened

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.core.sentences import Language
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

SHARES = 8


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_show_sentences_that_lost_a_value(
    window: MainWindow, session: Session, qtbot: QtBot, language: Language
) -> None:
    gap = sentence("saved-value-lost", language)
    window.settings.store("language", language)
    renew(window)
    for share in (0, SHARES // 2):
        advice = opened(json_file.encode(fakes.advice()), share, SHARES)
        session.show_recorded(advice)
        page = shown_page(window, "advice", AdvicePage, qtbot)
        shown = " ".join(label.text() for label in page.findChildren(QLabel))
        assert gap in shown
        shown_page(window, "compare", ComparePage, qtbot)
        assert all(window.context.texts.say(caveat) for caveat in advice.caveats)
