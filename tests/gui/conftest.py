"""A window of its own for each test: its own settings and data folder, and no sampler unless asked for."""

from __future__ import annotations

import gc
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from advisor.gui.fonts import load_fonts
from advisor.gui.main_window import MainWindow
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.gui.threads import JobThread
from advisor.hardware.monitor import Monitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from pytestqt.qtbot import QtBot

    from advisor.core.sentences import Reason
    from advisor.gui.start.start_card import StartCard
    from advisor.hardware.machine import Reading


class QuietSource(Monitor):
    """A monitor that tells only what a test puts into it."""

    problem: Reason | None = None

    def __init__(self) -> None:
        self.waiting: list[Reading] = []
        self.intervals: list[float | None] = []
        self.entered = self.left = 0

    def __enter__(self) -> Self:
        self.entered += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.left += 1

    def readings(self) -> list[Reading]:
        waiting, self.waiting = self.waiting, []
        return waiting

    def set_interval(self, interval_s: float | None) -> None:
        self.intervals.append(interval_s)


@pytest.fixture(autouse=True)
def _counted_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Qt starts the threads of jobs, so that coverage does not hear of them as it does of Python's own."""
    trace, run = threading.gettrace(), JobThread.run

    def counted(thread: JobThread) -> None:
        sys.settrace(trace)
        run(thread)

    if trace is not None:
        monkeypatch.setattr(JobThread, "run", counted)


@pytest.fixture(autouse=True)
def _garbage_of_this_thread() -> Iterator[None]:
    """A window is deleted here, not in the thread of some job: what Qt made does not survive that.

    What was there before the test is set aside, so that no test pays for the objects of all before it.
    """
    gc.disable()
    gc.freeze()
    yield
    gc.collect()
    gc.unfreeze()
    gc.enable()


@pytest.fixture
def source() -> QuietSource:
    return QuietSource()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    made = Settings(tmp_path / "window.ini")
    made.store("language", "en")
    made.store("scheme", "light")
    made.store("currency", "USD")  # whatever the place of whoever runs the tests has
    made.store("data_folder", str(tmp_path))
    return made


@pytest.fixture
def session(qtbot: QtBot, settings: Settings, source: QuietSource) -> Iterator[Session]:
    del qtbot
    made = Session(settings, MonitorFeed(lambda _interval: source))
    yield made
    # Each close waits two seconds, which a busy machine may need more than once.
    assert any(made.close() for _ in range(10))


@pytest.fixture
def window(qtbot: QtBot, session: Session, settings: Settings) -> MainWindow:
    load_fonts()
    made = MainWindow(session, settings)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    qtbot.waitUntil(lambda: made._painted)
    return made


@pytest.fixture
def card(window: MainWindow, session: Session, qtbot: QtBot) -> StartCard:
    """The card that a job starts from, with a workload and the usual GPUs."""
    from advisor.gui.pages.machine_page import MachinePage
    from advisor.workload.workload_file import load_workload

    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    page = window.page("machine")
    assert isinstance(page, MachinePage)
    qtbot.waitUntil(lambda: bool(page.start.chips.keys), timeout=120_000)
    return page.start


def renew(window: MainWindow) -> None:
    """Everything anew at once, where a test has no turns of the event loop to wait for.

    That takes the place of what was asked for to be done soon, which would otherwise drop the page that a test holds.
    """
    window.rebuild_soon()
    window._rebuild_timer.stop()
    for _ in window._rebuilding:
        pass
