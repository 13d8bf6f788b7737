"""What was described and advised is there again after a restart; two windows and two languages share one history."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec
import pytest

from advisor.gui.history_access import keep
from advisor.gui.job_request import job_for
from advisor.gui.main_window import MainWindow
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.pages.history_page import HistoryPage
from advisor.gui.pages.measure_page import MeasurePage
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.gui.start.last_time import keep_last, restore_last
from advisor.gui.strip.job_strip import JobStrip
from advisor.measure.events import RunProgress
from advisor.store import json_file
from advisor.workload.workload import DEFAULT_WORKLOAD, with_training
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.shown_page import shown_page
from tests.gui.test_job_strip import strip_of

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.gui.conftest import QuietSource


@pytest.mark.parametrize("reference", ["bert_base_sst2", "/gone/intent/config.json"])
def test_a_restart_brings_back_the_edited_workload_and_the_newest_advice(
    session: Session, settings: Settings, source: QuietSource, tmp_path: Path, qtbot: QtBot, reference: str
) -> None:
    before = load_workload("bert_base_sst2")
    session.described.choose(before, reference=reference)
    session.described.edit(with_training(before, batch_size=48), "training.batch_size")
    keep_last(session, settings)
    keep(tmp_path, fakes.advice())
    later = Session(settings, MonitorFeed(lambda _interval: source))
    restore_last(later, settings)
    qtbot.waitUntil(lambda: later.described.workload is not None and later.advice is not None, timeout=120_000)
    assert later.described.workload is not None
    assert later.described.workload.training.batch_size == 48
    assert (later.described.base, later.described.reference) == (before, reference)
    assert later.advice == fakes.advice()
    assert later.runner.advice_seen
    qtbot.waitUntil(lambda: not later.crew._threads, timeout=120_000)
    assert later.close()


def test_what_another_window_chooses_counts_there_and_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "shared.ini"
    first, second = Settings(file), Settings(file)
    assert [one.gpu_keys for one in (first, second)] == [None, None]
    second.store("gpu_keys", "h200")
    for one in (second, first):
        one._store.sync()
    assert [one.gpu_keys for one in (first, second, Settings(file))] == [None, ("h200",), ("h200",)]
    second.add_recent(file)
    for one in (second, first):
        one._store.sync()
    assert first.recent_files == (str(file),)


def test_what_was_kept_badly_counts_as_nothing(session: Session, settings: Settings, qtbot: QtBot) -> None:
    settings.store("last_workload", '{"name": 7}')
    restore_last(session, settings)
    qtbot.waitUntil(lambda: session.described.workload is not None, timeout=120_000)
    assert session.described.reference == DEFAULT_WORKLOAD
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)
    assert session.advice is None


def test_what_one_window_keeps_the_other_shows_at_once(
    window: MainWindow, session: Session, settings: Settings, source: QuietSource, qtbot: QtBot
) -> None:
    other_session = Session(settings, MonitorFeed(lambda _interval: source))
    other = MainWindow(other_session, settings)
    qtbot.addWidget(other)
    other.show()
    qtbot.waitExposed(other)
    qtbot.waitUntil(lambda: other._painted, timeout=120_000)
    page = shown_page(other, "history", HistoryPage, qtbot)
    qtbot.waitUntil(lambda: not page.busy, timeout=120_000)
    assert not _table_words(other)
    session.keep(fakes.advice())  # It is told by the folder alone: the page stays in front.
    qtbot.waitUntil(lambda: "BERT-base on SST-2" in _table_words(other), timeout=120_000)
    assert window.session is not other.session
    qtbot.waitUntil(lambda: not other_session.crew._threads, timeout=120_000)
    other.close()


def _table_words(window: MainWindow) -> str:
    from advisor.gui.widgets.table import Table

    return " ".join(
        column.text(record)
        for table in window.page("history").findChildren(Table)
        for record in table.table_model.records
        for column in table.table_model.columns
    )


def test_the_language_may_change_while_a_job_runs(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    release = threading.Event()

    def job(cancelled: threading.Event) -> Generator[object, None, object]:
        yield RunProgress(phase="measure-phase-steps", fraction=0.4, left_s=10.0)
        while not (release.wait(0.02) or cancelled.is_set()):
            pass
        return fakes.advice()

    session.described.choose(fakes.workload())
    session.runner.start(job, measure=True)
    window.show_page("measure")
    qtbot.waitUntil(lambda: session.runner.job is not None and bool(session.runner.job.phase))
    window.commands.choose("language", "zh")
    qtbot.waitUntil(lambda: window.context.texts.language == "zh")
    strips = window.findChildren(JobStrip)
    assert len(strips) == 1
    assert session.runner.busy
    assert "训练" in strips[0].accessibleName()
    release.set()
    qtbot.waitUntil(lambda: window.current == "advice", timeout=120_000)
    qtbot.waitUntil(lambda: not window.page("advice").filling, timeout=120_000)
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)


def test_a_real_prediction_goes_on_while_the_language_changes(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.described.choose(load_workload("iris_mlp"))
    session.runner.start(job_for(session, window.settings, measure=False), measure=False)
    window.commands.choose("language", "zh")
    window.commands.choose("scheme", "dark")
    qtbot.waitUntil(lambda: session.advice is not None, timeout=120_000)
    assert session.runner.end != "failed"
    assert window.context.theme.dark
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)


def test_a_saved_advice_that_is_opened_brings_its_model_its_set_ups_and_what_was_measured_for_it(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    measured = fakes.advice()
    predicted = msgspec.structs.replace(measured, measurements=(), workload=load_workload("iris_mlp"))
    measure = shown_page(window, "measure", MeasurePage, qtbot)
    for name, advice in (("measured", measured), ("predicted", predicted), ("again", measured)):
        path = tmp_path / f"{name}.json"
        json_file.write(advice, path)
        window.commands.open_path(path)
        qtbot.waitUntil(lambda: session.advice == advice, timeout=120_000)  # noqa: B023 - waited for here
        qtbot.waitUntil(lambda: window.current == "advice" and not window.page("advice").filling, timeout=120_000)
        assert (session.described.workload, session.advice) == (advice.workload, advice)
        window.show_page("measure")
        timed = (
            [one.batch_size for one in measure._measured.model.records] if not measure._measured.card.isHidden() else []
        )
        assert timed == [step.batch_size for one in advice.measurements for step in one.steps]
        title = window.context.texts.title(advice.workload.name)
        assert title in measure.subtitle.full_text()
        assert shown_page(window, "compare", ComparePage, qtbot)._comparison.predictions == advice.predictions
        assert not strip_of(window).isVisible()
