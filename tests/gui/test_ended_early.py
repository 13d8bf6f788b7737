"""A measurement that ended before its time: what is made of it is a press away, and says so wherever it is read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from advisor.core.sentences import Reason
from advisor.gui.jobs.closed_early import measured_alone
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.pages.measure_page import MeasurePage
from advisor.gui.widgets.notice import Notice, Strip
from advisor.measure.events import DeviceEnded, RunProgress
from tests.gui import fakes
from tests.gui.at_the_window import press
from tests.gui.conftest import renew
from tests.gui.shown_page import shown_page
from tests.gui.test_advice_picture import words
from tests.gui.test_job_strip import Told, begin

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


def ended(exit_kind: str, *more: Reason) -> DeviceEnded:
    """A device whose measurement ended with these caveats."""
    measured = fakes.advice().measurements[0]
    measured = msgspec.structs.replace(measured, caveats=(*measured.caveats, *more))
    return msgspec.convert(
        {
            "device_key": measured.device_key,
            "exit_kind": exit_kind,
            "ended_monotonic_s": 2000.0,
            "measurement": measured,
        },
        DeviceEnded,
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("how", ["cancelled", "died"])
def test_the_advice_of_a_measurement_that_ended_early_is_a_press_away_and_says_what_it_rests_on(
    window: MainWindow, session: Session, qtbot: QtBot, language: str, how: str
) -> None:
    window.settings.store("language", language)
    renew(window)
    died = Reason.of("measure-worker-killed", device="Xeon")
    told = Reason.of("advice-interrupted") if how == "cancelled" else died
    made = msgspec.structs.replace(fakes.advice(), caveats=(told,))
    running = RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0)
    job = Told(running, ended(how, *(() if how == "cancelled" else (died,))), result=made)
    begin(window, session, job, qtbot)
    measure = shown_page(window, "measure", MeasurePage, qtbot)
    with qtbot.waitSignal(session.runner.ended):
        session.runner.cancel() if how == "cancelled" else job.release.set()
    offered = [one for notice in measure.findChildren(Notice) for one in notice.findChildren(QPushButton)]
    button = [one for one in offered if one.text() == measure.texts("watch-show-advice")][-1]  # made last
    if how == "died":  # Its words are read first.
        window.show_page("measure")
    qtbot.waitUntil(lambda: button.isVisible() and not button.visibleRegion().isEmpty(), timeout=20_000)
    press(button)
    assert window.current == "advice"
    page = shown_page(window, "advice", AdvicePage, qtbot)
    (strip,) = page.findChildren(Strip)
    assert strip.button.text() == page.texts("advice-measure-again")
    assert words(page).count(page.texts.say(told)) == 1
    assert page.texts.say(told) in "".join(one.text() for one in strip.findChildren(QLabel))


def is_wide(window: MainWindow, width: int) -> bool:
    return window.width() == width


def test_where_one_device_was_timed_at_one_precision_both_are_said_once_and_not_in_every_row(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    advice = fakes.advice()
    session.show_recorded(msgspec.structs.replace(advice, measurements=advice.measurements[:1]))
    page = shown_page(window, "measure", MeasurePage, qtbot)
    qtbot.waitUntil(lambda: page._measured.table.model().rowCount() > 1, timeout=20_000)
    for narrower in (0, 80, 200):  # Whatever the width, columns are shared out anew.
        window.resize(1280 - narrower, 800)
        qtbot.waitUntil(partial(is_wide, window, 1280 - narrower), timeout=20_000)
        titles, _cells = page._measured.table.shown_texts()
        assert titles == [page.texts(f"column-{name}") for name in ("batch", "median", "interval", "verdict")]


def test_a_run_without_an_advice_offers_the_ways_to_one_and_no_command_to_launch(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.show_recorded(measured_alone(fakes.workload(), fakes.machine(), fakes.advice().measurements))
    page = shown_page(window, "advice", AdvicePage, qtbot)
    shown = {one.text() for one in page.findChildren(QPushButton) if one.isVisible()}
    assert {page.texts("menu-measure"), page.texts("menu-predict")} < shown
    assert page.texts("advice-copy-command") not in shown
    session.set_advice(fakes.advice())
    page = shown_page(window, "advice", AdvicePage, qtbot)
    assert page._copy.isVisible()


@pytest.mark.parametrize("goes_on", [False, True])
def test_who_cancels_by_key_can_measure_again_by_key_unless_another_place_was_gone_to(
    window: MainWindow, session: Session, qtbot: QtBot, *, goes_on: bool
) -> None:
    job = Told(RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0), result=fakes.advice())
    begin(window, session, job, qtbot)
    page = shown_page(window, "measure", MeasurePage, qtbot)
    page._cancel.setFocus()
    assert window.focusWidget() is page._cancel
    with qtbot.waitSignal(session.runner.ended):
        session.runner.cancel()
        page._progressed()
        assert not page._cancel.isEnabled()
        if goes_on:
            window.navigation._buttons["history"].setFocus()
    gone_to = window.navigation._buttons["history"] if goes_on else page._start
    assert window.focusWidget() is gone_to
