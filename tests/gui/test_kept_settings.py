"""Another model is chosen: what was set by hand goes along as far as it has a use there, and the rest is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QLabel

from advisor.gui.pages.model_page import ModelPage
from advisor.workload.model_config import bundled_config
from advisor.workload.workload import TemplateModel
from advisor.workload.workload_file import load_workload
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


@pytest.fixture
def page(window: MainWindow, session: Session, qtbot: QtBot) -> ModelPage:
    """BERT with LoRA on data of one's own."""
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    made = shown_page(window, "model", ModelPage, qtbot)
    for section, name, value in (
        ("training", "trainable", "lora"),
        ("data", "samples", 5000),
        ("data", "sequence_length", 64),
    ):
        made._edited(section, name, value)
    return made


def loaded(session: Session, reference: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.described.changed, timeout=120_000):
        session.described.load(reference)


def notices(page: ModelPage) -> str:
    place = page._problems
    widgets = [item.widget() for at in range(place.count()) if (item := place.itemAt(at)) is not None]
    return "\n".join(one.text() for widget in widgets if widget for one in widget.findChildren(QLabel))


def test_a_configuration_takes_over_adapters_and_data_and_that_is_told(
    page: ModelPage, session: Session, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "intent.json"
    path.write_text(json.dumps(bundled_config("bert-base-uncased")), encoding="utf-8")
    loaded(session, str(path), qtbot)
    workload = session.described.workload
    assert workload is not None
    assert (workload.name, workload.training.trainable) == ("intent", "lora")
    assert (workload.data.samples, workload.data.sequence_length) == (5000, 64)
    told = "Kept from the model before: Samples, Sequence length, Trainable."
    assert told in notices(page)
    assert told in window.statusBar().currentMessage()
    assert page._forms["model-training-title"][1].names
    page._edited("training", "epochs", 2)
    assert not notices(page), "read, and gone with the next edit"


def test_what_a_model_of_pictures_has_no_use_for_is_named(page: ModelPage, session: Session, qtbot: QtBot) -> None:
    loaded(session, "resnet50", qtbot)
    workload = session.described.workload
    assert workload is not None
    assert (workload.training.trainable, workload.data.samples) == ("all", 5000)
    assert "of no use for ResNet-50 on ImageNet and left out: Sequence length, Trainable" in notices(page)
    session.described.undo.undo()
    assert session.described.workload is not None
    assert session.described.workload.training.trainable == "lora"


def test_the_same_model_chosen_once_more_is_as_it_comes(page: ModelPage, session: Session, qtbot: QtBot) -> None:
    loaded(session, "gpt2_small", qtbot)
    loaded(session, "gpt2_small", qtbot)
    assert session.described.workload == load_workload("gpt2_small")
    assert not notices(page)


def test_a_file_with_settings_of_its_own_has_those(
    page: ModelPage, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\n[model]\nsource = "huggingface"\nconfig = "gpt2"\n[data]\nsamples = 700\n'
        'sequence_length = 128\n[training]\nprecision = "fp32"\nbatch_size = 4\n',
        encoding="utf-8",
    )
    loaded(session, str(path), qtbot)
    assert session.described.workload == load_workload(path)
    assert "as the file has its own: Samples, Sequence length, Trainable" in notices(page)


def test_settings_of_a_python_file_of_ones_own_can_be_edited(
    page: ModelPage, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def build_model(): ...\ndef make_batch(batch_size, length): ...\n", encoding="utf-8")
    loaded(session, str(path), qtbot)
    page._edited("training", "batch_size", 128)
    assert session.described.workload is not None
    assert session.described.workload.training.batch_size == 128
    assert not notices(page)


def test_a_network_of_the_form_is_not_called_as_the_model_before(page: ModelPage, session: Session) -> None:
    page._model_edited({"source": "template", "template": "mlp", "layers": [4, 10, 3]})
    workload = session.described.workload
    assert workload is not None
    assert isinstance(workload.model, TemplateModel)
    assert workload.name == "My model"
