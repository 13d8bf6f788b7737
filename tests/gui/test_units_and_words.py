"""The choice of units reaches numbers inside sentences; errors and cases are told in the window's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.gui.texts import Texts
from advisor.gui.threads import Outcome
from advisor.recommend.case_file import bundled_cases
from advisor.sentences import Reason, SaidError, sentence
from tests.gui import fakes

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

NEED = Reason(code="measure-does-not-fit", numbers={"device": "X", "need_bytes": 8 * 2**30, "limit_bytes": 4e9})


def test_a_size_in_a_sentence_follows_the_chosen_units() -> None:
    assert "8.00 GiB" in Texts("en").say(NEED)
    told = Texts("en", "decimal").say(NEED)
    assert "8.59 GB" in told
    assert "4.00 GB" in told
    assert "iB" not in told
    assert "8.59 GB" in Texts("zh", "decimal").say(NEED)


def test_no_page_mixes_the_two_units(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLabel

    window.settings.store("units", "decimal")
    session.show_recorded(fakes.advice())
    window.rebuild()
    for name in ("machine", "measure", "advice", "compare"):
        window.show_page(name)
        qtbot.waitUntil(lambda name=name: not window.page(name).filling)  # type: ignore[misc]
        texts = [label.text() for label in window.page(name).findChildren(QLabel)]
        assert not [text for text in texts if "GiB" in text or "MiB" in text], name


def test_an_error_is_told_in_the_language_of_the_window() -> None:
    error = SaidError((NEED,), Reason(code="window-unknown"))
    outcome = Outcome(kind="problem", text=error.text, remedy=error.remedy, error=error)
    assert Texts("en").problem(outcome) == (error.text, error.remedy)
    text, remedy = Texts("zh").problem(outcome)
    assert text == sentence(NEED.code, "zh", NEED.numbers)
    assert remedy == sentence("window-unknown", "zh")


def test_every_case_tells_its_model_in_both_languages() -> None:
    for case in bundled_cases().values():
        english, chinese = case.model_text("en"), case.model_text("zh")
        assert english.isascii()
        assert any("\u4e00" <= one <= "\u9fff" for one in chinese)
