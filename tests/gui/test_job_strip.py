"""The job at the foot of the navigation: on every page, with the reason where it failed, and a call at its end."""

from __future__ import annotations

import dataclasses
import threading
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from advisor.core.errors import InputError
from advisor.core.sentences import Reason
from advisor.gui.jobs.forecast import Forecast, Pace, first_pace, keep_pace, known_pace, pace_key, part_of
from advisor.gui.strip.job_strip import JobStrip
from advisor.gui.widgets.notice import EmptyState, Notice
from advisor.measure.events import DeviceEnded, RunProgress
from advisor.protocol.messages import Failed
from tests.gui import fakes
from tests.gui.conftest import renew
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


@pytest.fixture(autouse=True)
def _kept(session: Session, qtbot: QtBot) -> Iterator[None]:
    """What a finished job keeps is written before the window is closed: on a loaded machine that takes its time."""
    yield
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)


def strip_of(window: MainWindow) -> JobStrip:
    found = window.findChildren(JobStrip)
    assert len(found) == 1
    return found[0]


class Told:
    """A job that tells what a test lets it tell, and ends as the test says."""

    def __init__(self, *events: object, result: object = None, error: Exception | None = None) -> None:
        self.events, self.result, self.error = events, result, error
        self.release = threading.Event()

    def __call__(self, cancelled: threading.Event) -> Generator[object, None, object]:
        yield from self.events
        while not (self.release.wait(0.02) or cancelled.is_set()):
            pass
        if self.error is not None:
            raise self.error
        return self.result


def begin(window: MainWindow, session: Session, job: Told, qtbot: QtBot) -> JobStrip:
    session.described.choose(fakes.workload())
    session.runner.start(job, measure=True)
    strip = strip_of(window)
    qtbot.waitUntil(lambda: strip._what.text() not in {"", "starting"})
    return strip


def test_the_job_is_told_on_every_page_and_the_advice_waits_to_be_seen(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    assert not strip_of(window).isVisible()
    job = Told(RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0), result=fakes.advice())
    strip = begin(window, session, job, qtbot)
    for name in ("machine", "history", "measure", "compare"):
        window.show_page(name)
        assert strip.isVisible()
        assert "Training the model" in strip.accessibleName()
    told = session.runner.job.told_percent if session.runner.job is not None else None
    assert strip.ring.value() == told
    assert f" {told} % " in window.page("measure").subtitle.full_text()
    with qtbot.waitSignal(session.runner.ended):
        job.release.set()
    shown = [window.current]
    assert strip.property("role") == "strip-ready"
    assert "Advice ready" in strip.accessibleName()
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton)
    shown.append(window.current)
    assert shown == ["compare", "advice"]
    assert not strip.isVisible()


@pytest.mark.parametrize(("name", "beginning"), [("advice", 2), ("compare", 1), ("history", 1)])
def test_a_button_of_an_empty_page_that_begins_a_job_rests_while_one_runs(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName, beginning: int
) -> None:
    job = Told(RunProgress(phase="advice-phase-detect", fraction=0.2, left_s=10.0))
    begin(window, session, job, qtbot)
    window.show_page(name)
    page = window.page(name)
    qtbot.waitUntil(lambda: len(page.findChildren(EmptyState)) == 1, timeout=60_000)
    buttons = page.findChildren(EmptyState)[0].buttons[:beginning]
    assert [one.isEnabled() for one in buttons] == [False] * beginning
    assert all(one.toolTip() == page.texts("job-busy-tip") for one in buttons)
    session.runner.cancel()
    qtbot.waitUntil(lambda: not session.runner.busy)
    assert [one.isEnabled() for one in buttons] == [True] * beginning
    assert not any(one.toolTip() for one in buttons)


def test_what_each_of_eight_cards_alike_reports_is_said_once(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    alike = Failed(exception="RuntimeError", text="no CUDA here", traceback="")
    other = msgspec.structs.replace(alike, text="a card is lost")
    job = Told(*[alike] * 8, other, RunProgress(phase="advice-phase-detect", fraction=0.2, left_s=10.0))
    begin(window, session, job, qtbot)
    session.runner.cancel()
    qtbot.waitUntil(lambda: not session.runner.busy)
    window.show_page("measure")
    page = window.page("measure")

    def reports() -> list[Notice]:
        title = page.texts("watch-worker-failed")
        return [one for one in page.findChildren(Notice) if one.isVisible() and title in words_of(one)]

    qtbot.waitUntil(lambda: len(reports()) == 2, timeout=60_000)
    first, second = map(words_of, reports())
    assert "no CUDA here" in first
    assert "a card is lost" in second


def test_cancel_in_the_strip_ends_the_job(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    job = Told(RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0))
    strip = begin(window, session, job, qtbot)
    with qtbot.waitSignal(session.runner.ended):
        QTest.mouseClick(strip._cancel, Qt.MouseButton.LeftButton)
    window.show_page("measure")
    assert "Cancelled before a step was timed" in words_of(window.page("measure"))
    assert "kept" not in words_of(window.page("measure"))


def test_a_failed_job_is_red_with_its_reason_and_stays_where_it_is(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    job = Told(
        RunProgress(phase="measure-phase-load", fraction=0.1, left_s=10.0), error=InputError("The disk is gone.", "")
    )
    strip = begin(window, session, job, qtbot)
    window.show_page("measure")
    with qtbot.waitSignal(session.runner.ended):
        job.release.set()
    assert strip.property("role") == "strip-failed"
    assert "The disk is gone." in strip.accessibleName()
    assert window.current == "measure"


def test_a_dead_worker_does_not_pass_for_an_advice_that_went_well(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    measurement = fakes.advice().measurements[0]
    killed = Reason.of("measure-worker-killed-early", device="CPU")
    lost = msgspec.structs.replace(measurement, steps=(), caveats=(killed,))
    ended = DeviceEnded(device_key="cpu", exit_kind="died", ended_monotonic_s=1.0, measurement=lost)
    job = Told(RunProgress(phase="measure-phase-load", fraction=0.1, left_s=9.0), ended, result=fakes.advice())
    strip = begin(window, session, job, qtbot)
    window.show_page("measure")
    with qtbot.waitSignal(session.runner.ended):
        job.release.set()
    assert window.current == "measure"
    assert strip.property("role") == "strip-failed"
    told = strip.accessibleName()
    assert "was killed before a step was timed" in told
    assert "…" not in told
    assert len(told) < len(strip.toolTip())
    assert "was killed before a step was timed" in words_of(window.page("measure"))
    assert "is kept" not in words_of(window.page("measure"))


def test_a_screen_reader_hears_the_per_cent(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    job = Told(RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0))
    strip = begin(window, session, job, qtbot)
    strip.ring.show_percent(40)
    reader = QAccessible.queryAccessibleInterface(strip.ring)
    assert reader.role() == QAccessible.Role.ProgressBar
    assert reader.valueInterface().currentValue() == 40
    job.release.set()
    qtbot.waitUntil(lambda: not session.runner.busy)


def test_share_and_time_left_are_monotone_whatever_the_phases_do() -> None:
    forecast = Forecast(pace=Pace(prepare_s=5, measure_s=20, predict_s=5), started_s=100.0)
    shares, lefts = [], []
    for tick in range(600):
        now_s = 100.0 + 0.1 * tick
        if tick == 180:
            forecast.note("measure-phase-calibrate", now_s)
        if tick == 300:
            forecast.note("measure-phase-load", now_s)
        if tick == 301:
            forecast.note("advice-phase-trace", now_s)
        if tick == 420:
            forecast.note("advice-phase-predict", now_s)
        share, left_s = forecast.at(now_s)
        shares.append(share)
        lefts.append(left_s)
    assert shares == sorted(shares)
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[-1] > 0
    assert shares[-1] <= 0.99


def test_a_run_like_the_last_one_is_foretold_within_a_tenth() -> None:
    pace = Pace(prepare_s=6, measure_s=24, predict_s=6)
    forecast = Forecast(pace=pace, started_s=0.0)
    for tick in range(360):
        now_s = 0.1 * tick
        if now_s >= 6:
            forecast.note("measure-phase-steps", now_s)
        if now_s >= 30:
            forecast.note("advice-phase-predict", now_s)
        _share, left_s = forecast.at(now_s)
        assert abs(now_s + left_s - 36.0) <= 3.6
    assert forecast.seen(36.0).measure_s == forecast.pace.measure_s


def test_no_job_stands_at_its_last_per_cent_while_most_of_it_is_to_come() -> None:
    forecast = Forecast(pace=Pace(prepare_s=2, measure_s=0, predict_s=6), started_s=0.0)
    assert [forecast.is_late(now_s) for now_s in (2.9, 3.1)] == [False, True]
    forecast.note("advice-phase-predict", 3.2)
    assert not forecast.is_late(3.3)
    shares = [forecast.at(3.2 + 0.1 * tick)[0] for tick in range(400)]
    assert 0.8 < shares[-1] < 0.95


def test_no_second_is_told_where_the_last_part_takes_much_longer_than_foreseen(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    forecast = Forecast(pace=Pace(prepare_s=2, measure_s=0, predict_s=6), started_s=0.0)
    forecast.note("advice-phase-predict", 20.0)
    slow = 9.0 * 3.0**0.5  # The first part took so much longer that the machine counts as slow.
    assert [forecast.is_late(20.0 + later_s) for later_s in (0.0, slow - 0.1, slow + 0.1)] == [False, False, True]
    job = Told(RunProgress(phase="advice-phase-predict", fraction=0.2, left_s=10.0))
    strip = begin(window, session, job, qtbot)
    assert session.runner.job is not None
    session.runner.job.forecast = Forecast(pace=Pace(prepare_s=0, measure_s=0, predict_s=0.01), started_s=0.0)
    session.runner.job.forecast.note("advice-phase-predict", 0.0)
    session.runner.progressed.emit()
    late = window.context.texts("watch-late")
    qtbot.waitUntil(lambda: strip._left.text() == late, timeout=20_000)
    session.runner.cancel()
    qtbot.waitUntil(lambda: not session.runner.busy)


def test_phases_belong_to_their_parts() -> None:
    names = ("", "advice-phase-detect", "measure-phase-trace", "measure-phase-load", "advice-phase-predict")
    assert [part_of(name) for name in names] == ["prepare", "prepare", "prepare", "measure", "predict"]


def test_what_jobs_took_is_kept_by_workload_and_budget(settings: Settings) -> None:
    key = pace_key("BERT", 30, measure=True)
    assert known_pace(settings, key, 30, measure=True) == first_pace(30, measure=True)
    keep_pace(settings, key, Pace(prepare_s=1, measure_s=2, predict_s=3))
    assert known_pace(settings, key, 30, measure=True) == Pace(prepare_s=1, measure_s=2, predict_s=3)
    unseen = known_pace(settings, pace_key("GPT", 30, measure=True), 30, measure=True)
    assert unseen == dataclasses.replace(first_pace(30, measure=True), measure_s=2)
    assert known_pace(settings, pace_key("GPT", 60, measure=True), 60, measure=True) == first_pace(60, measure=True)
    settings.store("pace", "no json")
    assert known_pace(settings, key, 30, measure=True) == first_pace(30, measure=True)


@pytest.mark.parametrize("zoom", ["0.9", "1.0", "1.5"])
def test_the_ring_is_round_at_every_size_of_letters(window: MainWindow, settings: Settings, zoom: str) -> None:
    settings.store("zoom", zoom)
    renew(window)
    ring = strip_of(window).ring
    ring.ensurePolished()
    strip_of(window).show()
    assert ring.minimumSize() == ring.maximumSize()
    assert ring.width() == ring.height() == round(40 * float(zoom))
