"""What is ticked to be kept on the Model page is kept by the next advice, as a flag of the command line is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.advice import advise_events
from advisor.core.drive import drive
from advisor.gui.job_request import ask_for
from advisor.gui.jobs.answers import request_of
from advisor.gui.pages.model_page import ModelPage
from advisor.recommend.fixed import FREE
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tests.gui.conftest import renew
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


def test_a_ticked_batch_size_is_advised_and_said_to_be_fixed(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    workload = with_training(load_workload("bert_base_sst2"), batch_size=24)
    session.described.choose(workload, reference="bert_base_sst2")
    row = shown_page(window, "model", ModelPage, qtbot)._fixed
    assert session.fixed == FREE
    row.boxes["batch_size"].click()
    assert (session.fixed.batch_size, session.fixed.precision, session.fixed.checkpointing) == (True, False, False)
    ask = ask_for(workload, settings, measure=False, allow_code=False, fixed=session.fixed)
    advice = drive(advise_events(request_of(ask)))
    assert advice.recommendation is not None
    assert advice.recommendation.batch_size_per_device == 24
    assert "why-batch-fixed" in {one.code for one in advice.recommendation.why}


def test_what_is_ticked_stays_so_in_another_language_and_is_the_windows_alone(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    shown_page(window, "model", ModelPage, qtbot)._fixed.boxes["precision"].click()
    settings.store("language", "zh")
    renew(window)
    row = shown_page(window, "model", ModelPage, qtbot)._fixed
    assert {field for field, box in row.boxes.items() if box.isChecked()} == {"precision"}
    assert all(box.accessibleName().startswith(window.context.texts("model-fixed")) for box in row.boxes.values())
    row.boxes["precision"].click()
    assert session.fixed == FREE


def test_of_another_model_nothing_is_kept_until_it_is_ticked(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    bert = load_workload("bert_base_sst2")
    session.described.choose(bert, reference="bert_base_sst2")
    row = shown_page(window, "model", ModelPage, qtbot)._fixed
    row.boxes["batch_size"].click()
    session.described.edit(with_training(bert, batch_size=8), "training.batch_size")
    assert session.fixed.batch_size
    session.described.choose(load_workload("resnet50"), reference="resnet50")
    assert session.fixed == FREE
    page = shown_page(window, "model", ModelPage, qtbot)
    assert not any(box.isChecked() for box in page._fixed.boxes.values())
