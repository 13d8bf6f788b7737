"""Pages with numbers from the data sheet tell how right such numbers were; pages of measured ones do not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

import msgspec
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from advisor.core.bundled import document
from advisor.gui.dialogs.document import DocumentView, show_document
from advisor.gui.texts import Texts
from advisor.predict.accuracy_record import DOCUMENT, HeldOut, accuracy_record
from advisor.present.accuracy_lines import accuracy_line
from tests.gui import fakes

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.core.sentences import Language
    from advisor.core.units import Basis
    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.page import Page
    from advisor.gui.session import Session
    from advisor.store.advice_record import AdviceRecord


def based_on(advice: AdviceRecord, basis: Basis) -> AdviceRecord:
    """The same advice, every step time on one basis."""

    def same(one: object) -> object:
        return msgspec.structs.replace(one, step_s=msgspec.structs.replace(one.step_s, basis=basis))  # type: ignore[attr-defined, type-var]

    return msgspec.structs.replace(
        advice,
        predictions=tuple(same(one) for one in advice.predictions),
        recommendation=same(advice.recommendation),
    )


def captions(page: Page) -> list[QLabel]:
    said = (accuracy_line("en") or "").replace(DOCUMENT, "How far to trust which number")
    return [one for one in page.findChildren(QLabel) if one.accessibleName() == said]


@pytest.fixture
def caption(window: MainWindow, session: Session, qtbot: QtBot) -> QLabel:
    session.show_recorded(based_on(fakes.advice(), "specified"))
    window.show_page("advice")
    qtbot.waitUntil(lambda: not window.page("advice").filling)
    (made,) = captions(window.page("advice"))
    return made


@pytest.mark.parametrize("name", ["advice", "compare"])
def test_a_number_from_the_data_sheet_tells_how_far_to_trust_it(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName
) -> None:
    session.show_recorded(based_on(fakes.advice(), "specified"))
    window.show_page(name)
    qtbot.waitUntil(lambda: not window.page(name).filling)
    (caption,) = captions(window.page(name))
    assert "80 %" in caption.toolTip()
    session.show_recorded(based_on(fakes.advice(), "measured"))
    qtbot.waitUntil(lambda: not captions(window.page(name)), timeout=120_000)


def shown_pages(window: MainWindow) -> list[DocumentView]:
    return [one for one in window.findChildren(DocumentView) if one.isVisible()]


def test_the_page_that_the_caption_names_is_read_in_the_window_without_a_network(
    window: MainWindow, caption: QLabel, qtbot: QtBot
) -> None:
    caption.linkActivated.emit(DOCUMENT)
    qtbot.waitUntil(lambda: bool(shown_pages(window)))
    (page,) = shown_pages(window)
    first = document("accuracy.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    qtbot.waitUntil(lambda: page.toPlainText().startswith(first), timeout=30_000)
    page.anchorClicked.emit(QUrl("#what-single-cards-reach"))
    assert page.textCursor().block().text() == "What single cards reach"
    page.anchorClicked.emit(QUrl("scaling.md"))
    assert page.toPlainText() != ""
    assert not page.toPlainText().startswith(first)
    page.window().close()


def test_the_link_is_reached_and_followed_by_keyboard(window: MainWindow, caption: QLabel, qtbot: QtBot) -> None:
    assert caption.focusPolicy() & Qt.FocusPolicy.TabFocus
    caption.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(caption, Qt.Key.Key_Tab)
    QTest.keyClick(caption, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(shown_pages(window)))
    shown_pages(window)[0].window().close()


def test_a_chinese_reader_finds_the_errors_in_chinese_above_the_english_page(window: MainWindow, qtbot: QtBot) -> None:
    dialog = show_document(window, Texts("zh"), "accuracy.md")
    (page,) = shown_pages(window)
    qtbot.waitUntil(lambda: bool(page.toPlainText()), timeout=30_000)
    words, first = page.toPlainText(), document("accuracy.md").read_text(encoding="utf-8").splitlines()[0]
    head = words[: words.index(first.removeprefix("# "))]
    record = accuracy_record()
    for held_out in get_args(HeldOut):
        score = record.score(held_out)
        assert score is not None
        assert f"{100 * score.mean_error_fraction:.1f} %" in head
        assert f"{100 * score.covered_fraction:.1f} %" in head
    assert "以下内容为英文" in head
    page.anchorClicked.emit(QUrl("#what-single-cards-reach"))
    assert page.textCursor().block().text() == "What single cards reach"
    dialog.close()


@pytest.mark.parametrize(
    ("language", "title"), [("en", "How far to trust which number"), ("zh", "哪些数字可信到什么程度")]
)
def test_the_dialog_is_called_as_the_page_that_it_shows(
    language: Language, title: str, window: MainWindow, qtbot: QtBot
) -> None:
    dialog = show_document(window, Texts(language), "accuracy.md")
    qtbot.waitUntil(lambda: dialog.windowTitle() == title, timeout=30_000)
    (page,) = shown_pages(window)
    page.anchorClicked.emit(QUrl("memory.md"))
    assert dialog.windowTitle() == "Memory: predicted largest batches against published ones"
    dialog.close()


def test_a_page_that_did_not_come_along_is_said_to_be_missing(window: MainWindow, qtbot: QtBot) -> None:
    dialog = show_document(window, Texts("en"), "none.md")
    (page,) = shown_pages(window)
    qtbot.waitUntil(lambda: "none.md did not come with this installation" in page.toPlainText())
    dialog.close()


def test_every_page_and_picture_that_the_shown_page_leads_to_comes_with_it() -> None:
    text = document("accuracy.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\((\w+\.(?:md|svg))", text))
    assert named
    assert {name for name in named if not document(name).is_file()} == set()
