"""What a job leaves: kept when the window is closed on it, and followed by the one that was asked for meanwhile."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from advisor.core.drive import drive
from advisor.gui.history_access import in_history, keep, read_history
from advisor.gui.jobs.answers import answer
from advisor.gui.jobs.apart import apart
from advisor.gui.jobs.asks import DetectAsk, NewestAdviceAsk
from advisor.gui.jobs.closed_early import measured_alone
from advisor.gui.session import _CLOSE_S, _KEEP_S, Session
from advisor.measure.events import DeviceEnded, RunProgress
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.at_the_window import press, strike_key
from tests.gui.conftest import renew
from tests.gui.test_at_the_window import active
from tests.gui.test_job_strip import strip_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.page import Page
    from advisor.gui.settings import Settings
    from advisor.gui.threads import Job
    from tests.gui.conftest import QuietSource

_CLOSING_S = 2.0


def measuring(window: MainWindow, session: Session, settings: Settings, qtbot: QtBot) -> None:
    """A real measurement that has timed its first steps."""
    settings.store("budget_s", 60)
    session.machine = fakes.machine(0)
    session.described.choose(load_workload("iris_mlp"), reference="iris_mlp")
    active(window, qtbot)
    strike_key(window, Qt.Key.Key_F5)
    assert session.runner.busy
    qtbot.waitUntil(lambda: session.runner.job is not None and session.runner.job.step_count > 0, timeout=120_000)


def test_what_was_measured_is_kept_when_the_window_is_closed_on_the_job(
    window: MainWindow, session: Session, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    measuring(window, session, settings, qtbot)
    window.close()
    assert window.isHidden()
    (run,) = in_history(tmp_path, read_history).runs
    assert run.head.measured
    assert run.head.workload_name == load_workload("iris_mlp").name


def silent_after(events: Iterable[object], monkeypatch: pytest.MonkeyPatch, given_up: list[bool] | None = None) -> Job:
    """A job in a child that tells these events, and answers nothing until it is given up, which `given_up` gathers."""

    def silent(_child: object, cancelled: threading.Event) -> Generator[object, None, object]:
        yield from events
        while not getattr(cancelled, "at_once", False):
            time.sleep(0.01)
        if given_up is not None:
            given_up.append(True)
        return None

    monkeypatch.setattr("advisor.gui.jobs.apart._relay", silent)
    return apart(DetectAsk)


def test_a_job_that_does_not_answer_is_given_up_within_two_seconds_of_closing(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = fakes.advice().measurements[0].steps[0].samples[0]
    given_up: list[bool] = []
    session.runner.start(silent_after([sample], monkeypatch, given_up), measure=True)
    qtbot.waitUntil(lambda: session.runner.job is not None and session.runner.job.sample_count > 0, timeout=120_000)
    window.close()
    assert window.closed_cleanly
    assert given_up == [True]
    assert _KEEP_S < _CLOSE_S < _CLOSING_S
    assert not in_history(tmp_path, read_history).runs


def test_a_job_is_asked_to_end_before_the_sampler_is_waited_for(
    session: Session, source: QuietSource, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(type(source), "__exit__", lambda *_: asked.append(session.runner.cancelling))
    session.feed.start()
    session.runner.start(silent_after([], monkeypatch), measure=True)
    qtbot.waitUntil(lambda: session.runner.busy)
    assert session.close()
    assert asked == [True]


def test_what_was_timed_but_not_yet_fetched_as_the_window_closes_is_kept(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = fakes.advice().measurements[0]
    ended = DeviceEnded(
        device_key=measured.device_key, measurement=measured, exit_kind="cancelled", ended_monotonic_s=2000.0
    )
    told = threading.Event()
    session.machine = fakes.machine()
    session.described.choose(fakes.workload())

    def events() -> Generator[object, None, None]:
        yield measured.steps[0].samples[0]
        yield ended
        told.set()

    session.runner.start(silent_after(events(), monkeypatch), measure=True)
    assert told.wait(120)
    assert session.runner.job is not None
    assert session.runner.job.sample_count == 0  # The event loop had no turn.
    session.close()
    (run,) = in_history(tmp_path, read_history).runs
    assert run.head.measured


def test_measurements_whose_advice_does_not_come_in_time_are_kept_alone_and_are_not_the_last_advice(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path, fakes.advice())
    measured = fakes.advice().measurements[0]
    ended = DeviceEnded(
        device_key=measured.device_key, measurement=measured, exit_kind="cancelled", ended_monotonic_s=2000.0
    )
    session.machine = fakes.machine()
    session.described.choose(fakes.workload())
    session.runner.start(silent_after([measured.steps[0].samples[0], ended], monkeypatch), measure=True)
    qtbot.waitUntil(lambda: session.runner.job is not None and session.runner.job.sample_count > 0, timeout=120_000)
    session.described.edit(load_workload("iris_mlp"), "")
    window.close()
    newest, _before = in_history(tmp_path, read_history).runs
    assert (newest.head.workload_name, newest.head.measured) == (fakes.workload().name, True)
    advice = in_history(tmp_path, lambda history: history.load(newest.entry_index))
    assert isinstance(advice, AdviceRecord)
    assert advice.measurements == (measured,)
    assert advice.main is None
    assert [one.code for one in advice.caveats] == ["advice-window-closed"]
    asked = answer(NewestAdviceAsk(folder=str(tmp_path)), threading.Event())
    restored = drive(asked, None)
    assert isinstance(restored, AdviceRecord)
    assert restored.predictions


def nothing_to_come(page: Page) -> bool:
    return not page.filling


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_run_of_measurements_alone_opens_on_every_page(
    window: MainWindow, session: Session, language: str, qtbot: QtBot
) -> None:
    alone = measured_alone(fakes.workload(), fakes.machine(), fakes.advice().measurements)
    window.settings.store("language", language)
    renew(window)
    session.show_recorded(alone)
    for name in ("machine", "model", "measure", "advice", "compare", "history"):
        window.show_page(name)
        shown = window.page(name)
        qtbot.waitUntil(partial(nothing_to_come, shown), timeout=120_000)
    told = "\n".join(one.text() for one in window.page("advice").findChildren(QLabel))
    assert window.context.texts.say(alone.caveats[0])[:20] in told


def test_a_run_that_ended_as_the_window_closes_is_kept(session: Session, tmp_path: Path) -> None:
    session.keep(fakes.advice())
    assert session.close()
    assert len(in_history(tmp_path, read_history).runs) == 1


class Begun:
    """Stands for what makes the main job: each one it made ends when it is let go, however often it is cancelled."""

    def __init__(self) -> None:
        self.let_go: list[threading.Event] = []

    def __call__(self, *_: object, **_more: object) -> Job:
        gone = threading.Event()
        self.let_go.append(gone)

        def job(_cancelled: threading.Event) -> Generator[object, None, object]:
            yield RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0)
            gone.wait(120)
            return None

        return job


@pytest.fixture
def begun(window: MainWindow, session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Begun:
    made = Begun()
    monkeypatch.setattr("advisor.gui.job_request.job_for", made)
    session.described.choose(fakes.workload())
    active(window, qtbot)
    return made


def test_f5_while_a_job_is_being_cancelled_starts_the_next_one(
    window: MainWindow, session: Session, begun: Begun, qtbot: QtBot
) -> None:
    for key in (Qt.Key.Key_F5, Qt.Key.Key_F5, Qt.Key.Key_Escape):  # While it runs, the second asks for nothing more.
        strike_key(window, key)
    assert session.runner.cancelling
    strike_key(window, Qt.Key.Key_F5)
    assert window.statusBar().currentMessage() == window.context.texts("job-next")
    begun.let_go[0].set()
    qtbot.waitUntil(lambda: len(begun.let_go) > 1, timeout=120_000)
    told = strip_of(window)._cancel
    qtbot.waitUntil(told.isEnabled, timeout=120_000)
    press(told)
    assert not told.isEnabled()
    begun.let_go[1].set()
    qtbot.waitUntil(lambda: not session.runner.busy, timeout=120_000)
    qtbot.wait(50)
    assert (len(begun.let_go), session.runner.busy) == (2, False)


def test_cancelling_once_more_takes_back_what_was_to_come_next(
    window: MainWindow, session: Session, begun: Begun, qtbot: QtBot
) -> None:
    for key in (Qt.Key.Key_F5, Qt.Key.Key_Escape, Qt.Key.Key_F5, Qt.Key.Key_Escape):
        strike_key(window, key)
    begun.let_go[0].set()
    qtbot.waitUntil(lambda: not session.runner.busy, timeout=120_000)
    qtbot.wait(50)
    assert (len(begun.let_go), session.runner.busy) == (1, False)
