"""The history page shows what is chosen now, in whatever order runs are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from advisor.gui.history_access import keep
from tests.gui import fakes
from tests.gui.test_history_page import later, listed

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.settings import Settings
    from advisor.store.advice_record import AdviceRecord
    from advisor.store.history import Run


def test_of_runs_that_were_chosen_before_nothing_is_shown_however_late_they_are_read(
    window: MainWindow, settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(settings.history_folder, later(fakes.advice(), 3.0))
    keep(settings.history_folder, fakes.advice())
    page = listed(window, qtbot)
    read: list[Callable[[], None]] = []
    shown: list[object] = []

    def load(run: Run, then: Callable[[AdviceRecord], None]) -> None:
        read.append(lambda: then(msgspec.structs.replace(fakes.advice(), created_utc=run.created_utc)))

    monkeypatch.setattr(page, "_load", load)
    monkeypatch.setattr(page, "_show_details", lambda advice: shown.append(advice.created_utc))
    monkeypatch.setattr(
        page, "_show_comparison", lambda first, second: shown.append((first.created_utc, second.created_utc))
    )
    times = [run.created_utc for run in page._model.records]
    page._table.selectRow(1)
    page._table.selectAll()
    page._table.selectRow(0)
    page._table.selectRow(1)
    for one in reversed(read):
        one()
    assert shown == [times[1]]
    read.clear()
    page._table.selectAll()
    assert len(read) == 2  # Both at once.
    for one in reversed(read):
        one()
    assert shown == [times[1], tuple(sorted(times))]
