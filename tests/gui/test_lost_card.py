"""A card that falls off the bus while the window watches it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from advisor.gui.pages.machine_page import MachinePage
from tests.gui import fakes
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


def test_a_card_that_is_lost_is_told_so_and_shows_none_of_the_figures_that_it_told_last(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.machine = fakes.machine()
    session.machine_changed.emit()
    page = shown_page(window, "machine", MachinePage, qtbot)
    (reading,) = fakes.readings(session.machine, count=1)
    page._show_reading(reading)
    key = reading.gpus[0].key
    shown = {name: one.full_text() for name, one in page._cards[key]._values.items()}
    assert "–" not in shown.values()
    gone = msgspec.structs.replace(reading.gpus[0], lost=True)
    page._show_reading(msgspec.structs.replace(reading, gpus=(gone, *reading.gpus[1:])))
    values = {name: one.full_text() for name, one in page._cards[key]._values.items()}
    assert values == {**dict.fromkeys(shown, "–"), "use": page.texts("machine-lost")}
    total = page.texts("machine-memory-total", total=page.texts.size(session.machine.gpus[0].memory_total_bytes))
    assert page._cards[key]._memory.full_text() == total
