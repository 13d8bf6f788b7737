"""What came later is told as its own: a second job, a second model, a second worker, a file by another source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QTabBar, QTreeView

from advisor.catalogue.precisions import PRECISIONS
from advisor.gui.jobs.job_state import JobState
from advisor.gui.models.form_fields import fields_of
from advisor.gui.models.readings import ReadingsBuffer
from advisor.gui.pages.measure_page import MeasurePage
from advisor.gui.pages.model_page import ModelPage
from advisor.gui.widgets.card import KeyFigure
from advisor.measure.events import DeviceStarted, RunProgress
from advisor.present.card_names import short_name
from advisor.protocol.messages import Progress, Sample, StageEnded
from advisor.workload.workload import Training
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.at_the_window import press, strike, strike_key
from tests.gui.shown_page import shown_page
from tests.gui.test_job_strip import Told
from tests.gui.test_typing import editor_of, page
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

__all__ = ["page"]


def test_a_second_job_begins_without_the_figures_of_the_first(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    shown = shown_page(window, "measure", MeasurePage, qtbot)
    figures = shown.findChildren(KeyFigure)
    assert all("–" not in one._figure.text() for one in figures)
    job = Told(RunProgress(phase="measure-phase-load", fraction=0.1, left_s=10.0))
    session.runner.start(job, measure=True)
    qtbot.waitUntil(lambda: session.runner.job is not None and bool(session.runner.job.phase), timeout=120_000)
    assert [one._figure.text() for one in figures] == ["–"] * 4
    job.release.set()
    qtbot.waitUntil(lambda: not session.runner.busy and not session.crew._threads, timeout=120_000)


def test_a_second_job_begins_without_the_rows_of_the_first_on_the_one_device_that_was_timed(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    advice = fakes.advice()
    session.show_recorded(msgspec.structs.replace(advice, measurements=advice.measurements[:1]))
    shown = shown_page(window, "measure", MeasurePage, qtbot)
    qtbot.waitUntil(lambda: shown._measured.table.model().rowCount() > 1, timeout=20_000)
    job = Told(RunProgress(phase="measure-phase-load", fraction=0.1, left_s=10.0))
    with qtbot.captureExceptions() as raised:
        session.runner.start(job, measure=True)
        qtbot.waitUntil(lambda: shown._measured.table.model().rowCount() == 0, timeout=20_000)
        job.release.set()
        qtbot.waitUntil(lambda: not session.runner.busy and not session.crew._threads, timeout=120_000)
    assert not raised


def sample(at_s: float, stage: int | None) -> Sample:
    """A block of steps of batch size 1; a long step is sent before its stage begins, as one of none."""
    return Sample(
        series="step",
        batch_size=1,
        precision="fp32",
        step_count=1,
        wall_s=0.5,
        device_s=None,
        started_monotonic_s=at_s,
        warm_up=False,
        stage=stage,
    )


def test_each_model_that_is_built_has_step_times_of_its_own() -> None:
    state = JobState(measure=True, started_s=0.0)
    built = RunProgress(phase="measure-phase-load", fraction=0.1, left_s=10.0)
    ended = StageEnded(series="step", batch_size=1, precision="fp32", reason="cap", stage=0)
    state.apply([DeviceStarted(device_key="cpu", device_name="CPU", started_monotonic_s=0.0), built])
    state.apply([sample(1.0, None), sample(2.0, 3), ended, built, built, sample(9.0, None), sample(10.0, 0)])
    assert [one.times_s for one in state.series.values()] == [[1.0, 2.0], [9.0, 10.0]]
    assert [one.ended for one in state.series.values()] == [True, False]
    state.apply([ended])
    assert [one.ended for one in state.series.values()] == [True, True]


def test_the_whole_models_steps_are_told_before_those_of_a_part() -> None:
    state = JobState(measure=True, started_s=0.0)
    built = RunProgress(phase="measure-phase-load", fraction=0.1, left_s=10.0)
    state.apply([DeviceStarted(device_key="cpu", device_name="CPU", started_monotonic_s=0.0), built])
    state.apply([sample(1.0, 0), built, sample(9.0, 0)])
    whole, part = state.series.values()
    assert state.current() is part
    part.layer_limit, state._live = 1, False  # as once all has ended
    assert state.current() is whole


def test_the_card_whose_memory_an_opened_advice_tells_is_named(page: ModelPage, session: Session, qtbot: QtBot) -> None:
    unknown = page.texts("model-memory-assumption")
    assert unknown in words_of(page)
    advice = fakes.advice()
    session.reopen(advice)
    first = next(
        one.device.name
        for one in advice.predictions
        if one.count == 1
        and one.device.key != "cpu"
        and one.precision == advice.workload.training.precision
        and one.batch_size_per_device == advice.workload.training.batch_size
    )
    named = page.texts("model-memory-of", device=short_name(first))
    qtbot.waitUntil(lambda: named in words_of(page), timeout=120_000)
    qtbot.waitUntil(lambda: unknown not in words_of(page))  # labels taken away are children until they are deleted


def test_a_reading_that_comes_after_a_newer_one_is_left_out() -> None:
    buffer, (first, second, third) = ReadingsBuffer(), fakes.readings(fakes.machine(), count=3)
    buffer.add([first, third])
    buffer.add([second])
    assert buffer.count == 2
    assert buffer.latest is third
    assert (np.diff(buffer.times()) > 0).all()


@pytest.mark.parametrize("name", ["config.json", "bert_tiny.json"])
def test_a_dropped_configuration_is_shown_behind_its_own_source(
    page: ModelPage, window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, name: str
) -> None:
    (tabs,) = page._sources_card.findChildren(QTabBar)
    assert tabs.currentIndex() == 0
    path = tmp_path / name
    sizes = {"vocab_size": 1000, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    path.write_text(json.dumps({"model_type": "bert", "intermediate_size": 128, **sizes}), encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPoint(5, 5).toPointF(), Qt.DropAction.CopyAction, data, left, plain))
    qtbot.waitUntil(lambda: session.described.reference == str(path), timeout=120_000)
    assert tabs.currentIndex() == 1
    assert page._sources_card.hub.isVisible()
    assert str(path) in {one.text() for one in page._sources_card.hub.findChildren(QLineEdit)}
    session.described.undo.undo()
    assert tabs.currentIndex() == 0


def test_a_source_that_comes_while_the_page_is_still_filled_stands_open_when_it_is_whole(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    session.described.load("bert_base_sst2")
    qtbot.waitUntil(lambda: session.described.workload is not None, timeout=120_000)
    path = tmp_path / "config.json"
    sizes = {"vocab_size": 1000, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    path.write_text(json.dumps({"model_type": "bert", "intermediate_size": 128, **sizes}), encoding="utf-8")
    window.show_page("model")
    page = window.page("model")
    assert isinstance(page, ModelPage)
    assert page.filling
    session.described.choose(load_workload(str(path)), reference=str(path))
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert page._sources_card.hub.isVisible()


def test_what_a_field_contradicted_is_not_told_of_what_is_typed_now(page: ModelPage, window: MainWindow) -> None:
    field = editor_of(page, "batch_size")
    press(field)
    strike_key(window, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    strike(window, "999999")
    assert "Batch size is 999999" in words_of(page)
    strike(window, "9")
    assert "Batch size is 999999" not in words_of(page)
    assert "training.batch_size" in page.session.described.invalid


def test_steps_of_some_blocks_alone_are_told_as_that_while_they_come(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    measure = shown_page(window, "measure", MeasurePage, qtbot)
    whole = Sample(
        series="step",
        batch_size=8,
        precision="fp32",
        step_count=1,
        wall_s=0.5,
        device_s=None,
        started_monotonic_s=1.0,
        warm_up=False,
    )
    part = msgspec.structs.replace(whole, started_monotonic_s=2.0, figures={"blocks": 1.0, "full_blocks": 12.0})
    state, built = JobState(measure=True, started_s=0.0), Progress(phase="measure-phase-load", fraction=0.0)
    session.runner.show(state)
    rates = []
    for sample in (whole, part):
        state.apply([built, sample])
        measure._measured.show(state)
        rates.append(measure._measured.figures["rate"].accessibleName())
    assert rates == ["Throughput: 16.0 samples/s FP32", "Throughput: – FP32"]
    assert measure._measured.figures["median"].accessibleName() == "Median step: 500 ms batch 8 (1 block)"


def test_choices_stand_in_the_order_of_the_catalogue() -> None:
    (precision,) = (one for one in fields_of(Training) if one.name == "precision")
    assert precision.choices == tuple(PRECISIONS)


def test_the_file_dialog_speaks_chinese_in_a_chinese_window(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    def words() -> set[str]:
        dialog = QFileDialog(window, "", str(tmp_path))
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        qtbot.addWidget(dialog)
        columns = dialog.findChildren(QTreeView)[0].model()
        size = str(columns.headerData(1, Qt.Orientation.Horizontal))
        return {one.text() for one in dialog.findChildren(QLabel)} - {""} | {size}

    english = words()
    window.commands.choose("language", "zh")
    qtbot.waitUntil(lambda: bool(window._translators), timeout=120_000)
    chinese = words()
    assert len(english) == len(chinese) == 4
    assert "大小" in chinese
    assert not any(letter.isascii() and letter.isalpha() for word in chinese for letter in word.replace("&", "")[:3])


def test_a_configuration_that_is_picked_in_the_dialog_is_used_at_once(
    page: ModelPage, session: Session, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my-bert" / "config.json"
    path.parent.mkdir()
    path.write_text('{"model_type": "bert", "architectures": ["BertForSequenceClassification"]}', encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))  # the dialog waits for a person
    page._sources_card.hub._browse()
    qtbot.waitUntil(lambda: session.described.reference == str(path), timeout=60_000)
