"""Threads, signals, and work that goes on without torch."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject, Signal
from shiboken6 import delete, isValid

from advisor.core.errors import InputError
from advisor.gui.job_request import job_for
from advisor.gui.jobs.job_state import JobState
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.threads import Crew, Outcome, call_as_job
from advisor.measure.events import DeviceEnded, DeviceStarted, RunProgress
from advisor.protocol.messages import Progress
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.test_job_strip import Told

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from tests.gui.conftest import QuietSource


def outcome_of(qtbot: QtBot, job: object) -> Outcome:
    crew, ended = Crew(), list[Outcome]()
    crew.start(job, ended.append)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: bool(ended), timeout=120_000)
    assert crew.close()
    return ended[0]


def test_the_four_ways_to_end_are_told_apart(qtbot: QtBot) -> None:
    def refused() -> object:
        text = "bad file"
        raise InputError(text, "mend it")

    def broken() -> object:
        return 1 // 0

    assert outcome_of(qtbot, call_as_job(lambda: 7)) == Outcome(kind="finished", result=7)
    told = outcome_of(qtbot, call_as_job(refused))
    assert told.kind == "problem"
    assert told.error is not None
    assert (told.error.text, told.error.remedy) == ("bad file", "mend it")
    bug = outcome_of(qtbot, call_as_job(broken))
    assert bug.kind == "bug"
    assert "ZeroDivisionError" in bug.detail


def test_events_wait_for_the_window_in_their_order(qtbot: QtBot) -> None:
    def counting(cancelled: threading.Event) -> Generator[object, None, object]:
        del cancelled
        yield from range(1000)
        return "done"

    crew, ended = Crew(), list[Outcome]()
    thread = crew.start(counting, ended.append)
    thread.wait(5000)
    assert thread.drain() == list(range(1000))
    qtbot.waitUntil(lambda: bool(ended))
    assert crew.close()


def test_an_answer_whose_asker_is_gone_is_dropped(qtbot: QtBot) -> None:
    crew, ended, owner = Crew(), list[Outcome](), QObject()
    release = threading.Event()
    crew.start(call_as_job(lambda: release.wait(10)), ended.append, owner=owner)
    owner.deleteLater()
    qtbot.wait(20)
    release.set()
    qtbot.waitUntil(lambda: not crew._threads)
    assert ended == []


def test_work_that_outlives_its_crew_ends_without_a_word(qtbot: QtBot) -> None:
    crew, ended, release = Crew(), list[Outcome](), threading.Event()
    thread = crew.start(call_as_job(lambda: release.wait(120)), ended.append)
    delete(crew)
    release.set()
    # pytest-qt fails a test in which a slot raises.
    qtbot.waitUntil(lambda: not isValid(thread), timeout=120_000)
    assert ended == []


class Emitter(QObject):
    told = Signal(object)


def emit(count: int) -> int:
    emitter, heard = Emitter(), [0]

    def hear(value: object) -> None:
        heard[0] += value is not None

    emitter.told.connect(hear)
    for number in range(count):
        emitter.told.emit(number % 2 == 0)
    return heard[0]


def test_signals_survive_many_emits() -> None:
    assert emit(20_000) == 20_000


@pytest.mark.nightly
def test_signals_survive_a_million_emits(record_property: Callable[[str, object], None]) -> None:
    assert emit(1_000_000) == 1_000_000
    record_property("figure", "1,000,000 emits heard")


def test_the_run_tells_the_progress_and_not_a_single_worker() -> None:
    state = JobState(measure=True, started_s=0.0)
    state.apply([Progress(phase="load", fraction=0.9)])
    assert state.fraction == 0.9
    state.apply([RunProgress(phase="measure-phase-load", fraction=0.2, left_s=20.0)])
    state.apply([Progress(phase="load", fraction=0.9)])
    assert (state.phase, state.fraction, state.left_s(5.0)) == ("measure-phase-load", 0.2, 20.0)


def test_recorded_measurements_fill_the_page_again() -> None:
    state = JobState.of_measurements(fakes.advice().measurements)
    assert len(state.series) == 9
    assert all(one.ended and one.median_s() for one in state.series.values())


def test_the_monitor_pauses_while_a_job_tells_its_own_readings(qtbot: QtBot, source: QuietSource) -> None:
    del qtbot
    feed = MonitorFeed(lambda _interval: source)
    feed.start()
    feed.job_feeds(feeding=True)
    assert source.intervals.pop() is None
    feed.take(fakes.readings(fakes.machine(), count=20))
    feed.job_feeds(feeding=False)
    assert source.intervals[-1] == 1.0
    feed.stop()
    assert (source.entered, source.left) == (1, 1)


def test_after_its_last_device_a_job_that_goes_on_leaves_the_plots_to_the_monitor(
    window: MainWindow, session: Session, source: QuietSource, qtbot: QtBot
) -> None:
    session.feed.start()
    readings, measured = fakes.readings(fakes.machine(), count=20), fakes.advice().measurements[0]
    key = measured.device_key
    started = DeviceStarted(device_key=key, device_name=measured.device_name, started_monotonic_s=1000.0)
    ended = DeviceEnded(device_key=key, measurement=measured, exit_kind="finished", ended_monotonic_s=1002.0)
    tracing = RunProgress(phase="advice-phase-predict", fraction=0.9, left_s=5.0)
    job = Told(started, *readings, ended, tracing)
    session.described.choose(fakes.workload())
    session.runner.start(job, measure=True)
    state = session.runner.job
    assert state is not None
    qtbot.waitUntil(lambda: state.phase == "advice-phase-predict", timeout=120_000)
    assert session.runner.busy
    assert source.intervals[-1] == 1.0
    source.waiting = fakes.readings(fakes.machine(), count=3, start_s=5000.0)
    session.feed.drain()
    assert session.feed.buffer is not None
    assert session.feed.buffer.latest == fakes.readings(fakes.machine(), count=3, start_s=5000.0)[-1]
    job.release.set()
    qtbot.waitUntil(lambda: not session.runner.busy, timeout=120_000)
    assert window.isVisible()


def test_without_torch_a_bundled_workload_is_still_predicted(
    window: MainWindow, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    broken = tmp_path / "broken" / "torch"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('libtorch is missing')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(broken.parent))
    session.described.choose(load_workload("bert_base_sst2"))
    with qtbot.waitSignal(session.runner.ended, timeout=120_000):
        session.runner.start(job_for(session, window.settings, measure=False), measure=False)
    assert isinstance(session.advice, AdviceRecord)
    assert session.advice.recommendation is not None
    assert session.advice.model.parameter_count == pytest.approx(109.5e6, rel=0.01)


def test_what_is_asked_of_a_closed_crew_is_never_run() -> None:
    crew, done = Crew(), list[object]()
    assert crew.close()
    thread = crew.start(call_as_job(lambda: done.append(1)), done.append)
    assert not thread.isRunning()
    assert crew.close()
    assert not done
