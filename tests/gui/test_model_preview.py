"""What the Model page shows of an advice is of the workload that it stands beside."""

from __future__ import annotations

import dataclasses
import threading

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from advisor.core.units import Estimate
from advisor.gui import model_preview
from advisor.gui.main_window import MainWindow
from advisor.gui.model_preview import ModelTracer, Preview, need_of, preview_from_advice
from advisor.gui.pages.model_known import KnownOfModel
from advisor.gui.pages.model_page import ModelPage
from advisor.gui.session import Session
from advisor.gui.texts import Texts
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Mode, Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.shown_page import shown_page


def test_memory_is_that_of_the_workload_with_what_the_advice_adds_to_it() -> None:
    made = fakes.advice()
    training = made.workload.training
    plain = next(
        one
        for one in made.predictions
        if one.count == 1
        and one.device.key != "cpu"
        and one.precision == training.precision
        and one.batch_size_per_device == training.batch_size
    )
    need = Estimate(low=1e9, value=2e9, high=3e9, basis="specified")
    lighter = msgspec.structs.replace(plain, checkpointing_added=True, peak_memory_bytes=need)
    predictions = (*made.predictions, lighter)
    asked = preview_from_advice(msgspec.structs.replace(made, predictions=predictions))
    assert asked.memory_bytes == plain.peak_memory_bytes
    assert made.recommendation is not None
    with_it = msgspec.structs.replace(made.recommendation, checkpointing_added=True)
    advised = preview_from_advice(msgspec.structs.replace(made, predictions=predictions, recommendation=with_it))
    assert advised.memory_bytes == need


@pytest.mark.parametrize(
    ("mode", "below"),
    [("training", ("all trained", "forward and backward")), ("inference", ("", "forward alone"))],
)
def test_the_model_page_says_what_is_trained_and_which_way_it_computes(
    qtbot: QtBot, mode: Mode, below: tuple[str, str]
) -> None:
    made = fakes.advice()
    workload = with_training(made.workload, mode=mode)
    preview = preview_from_advice(made)
    whole = dataclasses.replace(preview, trainable_parameter_count=preview.parameter_count)

    class Told:
        """The tracer, as far as the figures ask it."""

        busy, problem, needs_consent = False, None, False

        def preview(self) -> Preview:
            return whole

    known = KnownOfModel(Texts("en"), Told())  # type: ignore[arg-type]
    for widget in (known.figure_row, known.layer_card, known.assumptions, known.untraced):
        qtbot.addWidget(widget)
    known.show(workload, allowed=True)
    names = [known.figures[name].accessibleName() for name in ("parameters", "flop")]
    assert [name.endswith(words) for name, words in zip(names, below, strict=True)] == [True, True]
    assert ("trained" in names[0]) == (mode == "training")


def test_the_memory_of_a_step_is_computed_in_no_turn_of_the_event_loop(
    window: MainWindow, session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, bool]] = []

    def need(table: OpTable, workload: Workload) -> Estimate | None:
        asked.append((workload.training.batch_size, threading.current_thread() is threading.main_thread()))
        return need_of(table, workload)

    monkeypatch.setattr(model_preview, "need_of", need)
    bert = load_workload("bert_base_sst2")
    session.described.choose(bert, reference="bert_base_sst2")
    page = shown_page(window, "model", ModelPage, qtbot)
    tracer = page._tracer
    figure = page._known.figures["memory"]
    for batch_size in (16, 32, 16):
        session.described.edit(with_training(bert, batch_size=batch_size), "training.batch_size")
        qtbot.waitUntil(lambda: not tracer.busy, timeout=120_000)
        preview = tracer.preview()
        assert preview is not None
        assert preview.memory_bytes is not None
        assert page.texts.size(preview.memory_bytes.value).split()[0] in figure.accessibleName()
    assert asked == [(16, False), (32, False)]  # What is known already is not computed again.


def test_how_much_data_there_is_changes_no_figure_of_the_model(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    made = fakes.advice()
    session.show_recorded(made)
    tracer = ModelTracer.of(session)
    before = tracer.preview()
    assert before is not None
    data = msgspec.structs.replace(made.workload.data, samples=1000, validation_samples=7, loader_workers=1)
    edited = msgspec.structs.replace(with_training(made.workload, epochs=9.0), data=data)
    session.described.edit(edited, "training.epochs")
    assert tracer.preview() == before
    session.described.edit(with_training(edited, batch_size=64), "training.batch_size")
    assert tracer.preview() is None
    session.described.edit(edited, "training.batch_size")
    qtbot.waitUntil(lambda: not tracer.busy, timeout=120_000)
    del window
