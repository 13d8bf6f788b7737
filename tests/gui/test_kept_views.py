"""What a page knows comes through a change of language, as long as it is about what is shown still."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from advisor.gui.pages.live_page import LivePage
from tests.gui import fakes
from tests.gui.conftest import renew

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.plots.live_grid import LiveGrid
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


@pytest.mark.parametrize("name", ["machine", "measure"])
def test_switching_the_language_keeps_the_span_and_the_curves_of_the_live_plots(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot, name: PageName
) -> None:
    session.machine = fakes.machine()
    session.machine_changed.emit()
    window.show_page(name)

    def grid() -> LiveGrid | None:
        page = window.page(name)
        return page.grid if isinstance(page, LivePage) and not page.filling else None

    qtbot.waitUntil(lambda: grid() is not None)
    before = grid()
    assert before is not None
    before.zoom(600.0)
    before.hide_devices([fakes.FIRST])
    settings.store("language", "zh")
    renew(window)
    qtbot.waitUntil(lambda: grid() not in {None, before})
    after = grid()
    assert after is not None
    assert after.span_s == 600.0
    assert [series.device for series in after.series if not series.shown] == [fakes.FIRST]
    assert [device for device, button in after._legend.items() if not button.isChecked()] == [fakes.FIRST]


def test_switches_that_were_set_for_one_advice_do_not_come_back_for_the_next_in_another_language(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    window.show_page("compare")
    page = window.page("compare")
    page.restore({"precision": "fp32", "batch": 16, "count": 2, "goal": "energy", "filter": "4090", "ticked": ()})
    qtbot.waitUntil(lambda: not page.filling)
    window.show_page("cases")
    qtbot.waitUntil(lambda: not page.isVisible())
    session.show_recorded(fakes.advice())
    settings.store("language", "zh")
    renew(window)
    window.show_page("compare")
    qtbot.waitUntil(lambda: window.page("compare") is not page and not window.page("compare").filling)
    told = window.page("compare").view_state()
    assert (told["goal"], told["filter"]) == ("time", "")
    assert told["ticked"]


def test_switches_of_a_page_that_was_thrown_away_do_not_come_back_for_the_next_advice(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    window.show_page("compare")
    page = window.page("compare")
    page.restore({"precision": "fp32", "batch": 16, "count": 2, "goal": "energy", "filter": "4090", "ticked": ()})
    qtbot.waitUntil(lambda: not page.filling)
    window.show_page("cases")
    settings.store("language", "zh")
    renew(window)
    assert "compare" not in window._stack.made
    session.show_recorded(fakes.advice())
    window.show_page("compare")
    qtbot.waitUntil(lambda: not window.page("compare").filling)
    told = window.page("compare").view_state()
    assert (told["goal"], told["filter"]) == ("time", "")
    assert told["ticked"]
