"""How a job ends in the history: cancelled ones are told apart, and a verified one is brought into view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from advisor.core.sentences import Reason
from advisor.gui.history_access import in_history, keep, read_history
from advisor.gui.pages.history_page import HistoryPage
from advisor.gui.pages.measure_page import MeasurePage
from advisor.measure.events import RunProgress
from tests.gui import fakes
from tests.gui.test_history_page import cells
from tests.gui.test_job_strip import Told, begin, strip_of
from tests.present.fakes import truth

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


def test_the_call_of_a_verified_prediction_brings_the_comparison_into_view(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    for _ in range(12):
        keep(settings.history_folder, fakes.advice())
    window.resize(1280, 640)
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: page._listed is not None and not page.busy, timeout=120_000)
    job = Told(RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0), result=truth())
    session.runner.start(job, measure=True, kind="verify")
    window.show_page("measure")
    measure = window.page("measure")
    assert isinstance(measure, MeasurePage)
    assert measure._measured.card.isHidden()  # A verification tells no single steps.
    job.release.set()
    bar = page.scroll_area.verticalScrollBar()
    qtbot.waitUntil(lambda: window.current == "history" and bar.value() > 0, timeout=120_000)
    qtbot.waitUntil(lambda: not page.busy, timeout=120_000)
    bar.setValue(0)
    QTest.mouseClick(strip_of(window), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page._ledger is not None and not page._ledger.visibleRegion().isEmpty(), timeout=120_000)


@pytest.mark.parametrize("timed", [True, False])
def test_a_cancelled_job_is_a_run_only_where_it_timed_a_step(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot, *, timed: bool
) -> None:
    told = Reason.of("advice-interrupted" if timed else "advice-interrupted-early")
    measured = fakes.advice().measurements if timed else ()
    made = msgspec.structs.replace(fakes.advice(), measurements=measured, caveats=(told,))
    job = Told(RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0), result=made)
    begin(window, session, job, qtbot)
    with qtbot.waitSignal(session.runner.ended):
        session.runner.cancel()
    assert session.advice == (made if timed else None)
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)
    runs = in_history(settings.history_folder, read_history).runs
    assert [(run.head.measured, run.head.interrupted) for run in runs] == [(True, True)] * timed
    window.show_page("history")
    page = window.page("history")
    words = page.texts("history-cancelled", basis=page.texts("basis-specified"))
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: page._listed is not None and not page.busy, timeout=120_000)
    assert [row[-1] for table in cells(page) for row in table if row[-1] == words] == [words] * timed
