"""Pages with numbers from the data sheet tell how right such numbers were; pages of measured ones do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtWidgets import QLabel

from advisor.present.accuracy_lines import accuracy_line
from tests.gui import fakes

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

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
    return [one for one in page.findChildren(QLabel) if one.text().replace("\u00a0", " ") == accuracy_line("en")]


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
