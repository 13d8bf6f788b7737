"""Forms come from the types of the workload file, and refuse what the file refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit

from advisor.catalogue.adapters import DEFAULT_RANK
from advisor.gui.model_preview import ModelTracer
from advisor.gui.models.form_fields import fields_of, parse, range_text
from advisor.gui.models.typed_number import FieldError
from advisor.gui.texts import Texts
from advisor.gui.widgets.form import Form
from advisor.workload.workload import Data, NumbersModel, TemplateModel, Training
from tests.gui import fakes

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.core.sentences import Language
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

TRAINING = {field.name: field for field in fields_of(Training)}


def test_every_setting_of_the_types_is_in_the_forms() -> None:
    assert set(TRAINING) == set(Training.__struct_fields__)
    assert {field.name for field in fields_of(Data)} == set(Data.__struct_fields__)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", [Training, Data, TemplateModel, NumbersModel])
def test_every_setting_has_a_name_and_a_help_text(language: str, kind: type) -> None:
    texts = Texts("zh" if language == "zh" else "en")
    for field in fields_of(kind):
        assert texts.optional(f"field-{field.name.replace('_', '-')}")
        assert texts.optional(f"help-{field.name.replace('_', '-')}")


@pytest.mark.parametrize(
    ("name", "typed", "code"),
    [
        ("batch_size", "0", "form-out-of-range"),
        ("batch_size", "2000000", "form-out-of-range"),
        ("batch_size", "1.5", "form-not-whole"),
        ("batch_size", "sixteen", "form-not-a-number"),
        ("batch_size", "", "form-required"),
        ("epochs", "0", "form-out-of-range"),
        ("epochs", "nan", "form-not-a-number"),
        ("epochs", "inf", "form-not-a-number"),
    ],
)
def test_what_is_not_allowed_is_named(name: str, typed: str, code: str) -> None:
    with pytest.raises(FieldError) as caught:
        parse(TRAINING[name], typed)
    assert caught.value.code == code


def test_what_is_allowed_becomes_a_value_of_the_type() -> None:
    assert parse(TRAINING["batch_size"], " 1e3 ") == 1000
    assert parse(TRAINING["epochs"], "0.5") == 0.5
    assert parse(TRAINING["clip_gradient_norm"], "") is None
    layers = next(field for field in fields_of(TemplateModel) if field.name == "layers")
    assert parse(layers, "4, 10 3") == [4, 10, 3]


def test_ranges_are_those_of_the_file_format() -> None:
    assert range_text(TRAINING["batch_size"]) == "1 … 1\u00a0000\u00a0000"
    assert range_text(TRAINING["epochs"]).startswith("> 0 …")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_empty_field_says_what_counts_where_nothing_is_given(qtbot: QtBot, language: Language) -> None:
    form = Form(Texts(language), fields_of(Training), {"trainable": "lora"})
    qtbot.addWidget(form)
    shown = {
        name: editor.placeholderText() for name in form.names if isinstance(editor := form.editor(name), QLineEdit)
    }
    assert shown["lora_rank"] == str(DEFAULT_RANK)
    assert shown["lora_targets"] not in {"", Texts(language)("form-not-set")}
    assert shown["clip_gradient_norm"] == Texts(language)("form-not-set")


def test_a_wrong_entry_is_marked_beside_its_field_and_not_announced(qtbot: QtBot) -> None:
    form = Form(Texts("en"), list(TRAINING.values()), {"precision": "fp32", "batch_size": 16})
    qtbot.addWidget(form)
    announced: list[tuple[str, object]] = []
    form.changed.connect(lambda name, value: announced.append((name, value)))
    editor = form.editor("batch_size")
    assert isinstance(editor, QLineEdit)
    editor.clear()
    QTest.keyClicks(editor, "x")
    assert editor.property("invalid") == "true"
    assert "number" in form._messages["batch_size"].text()
    assert announced == []
    editor.clear()
    QTest.keyClicks(editor, "32")
    assert editor.property("invalid") == "false"
    assert announced[-1] == ("batch_size", 32)
    box, flag = form.editor("precision"), form.editor("compile")
    assert isinstance(box, QComboBox)
    assert isinstance(flag, QCheckBox)
    box.setCurrentIndex(box.findData("bf16_amp"))
    flag.setChecked(True)
    assert announced[-2:] == [("precision", "bf16_amp"), ("compile", True)]


def test_an_edit_on_the_page_changes_the_workload(window: MainWindow, session: Session) -> None:
    session.show_recorded(fakes.advice())
    window.show_page("model")
    page = window.page("model")
    page._edited("training", "batch_size", 64)  # type: ignore[attr-defined]
    assert session.described.workload is not None
    assert session.described.workload.training.batch_size == 64


def test_settings_that_contradict_each_other_are_told_and_the_last_good_ones_stay(
    window: MainWindow, session: Session
) -> None:
    from tests.gui.test_window import words_of

    session.show_recorded(fakes.advice())
    window.show_page("model")
    page = window.page("model")
    before = session.described.workload
    page._edited("data", "sequence_length", 100_000)  # type: ignore[attr-defined]
    assert session.described.workload == before
    assert "Sequence length is 100000" in words_of(page), "called as in the form, and not as in a file"


def test_a_form_of_totals_needs_no_worker(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.show_recorded(fakes.advice())
    window.show_page("model")
    page = window.page("model")
    numbers = {"source": "numbers", "parameters": 1e9, "flop_per_sample": 1e12, "activation_bytes_per_sample": 1e8}
    page._model_edited(numbers)  # type: ignore[attr-defined]
    tracer = ModelTracer.of(session)
    qtbot.waitUntil(lambda: not tracer.busy, timeout=120_000)
    preview = tracer.preview()
    assert preview is not None
    assert preview.parameter_count == 1_000_000_000


def _show_bare_model(window: MainWindow, session: Session, folder: Path, qtbot: QtBot) -> None:
    """A configuration that tells nothing but its kind, on the model's page."""
    path = folder / "config.json"
    path.write_text('{"model_type": "bert", "architectures": ["BertForSequenceClassification"]}', encoding="utf-8")
    session.described.load(str(path))
    qtbot.waitUntil(lambda: session.described.workload is not None, timeout=120_000)
    window.show_page("model")


def test_assumed_settings_of_a_bare_model_are_told_with_their_values(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    from tests.gui.test_window import words_of

    _show_bare_model(window, session, tmp_path, qtbot)
    qtbot.waitUntil(lambda: "batch size 16 per device" in words_of(window.page("model")), timeout=120_000)


def test_what_is_still_assumed_is_told_after_another_field_was_edited(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    _show_bare_model(window, session, tmp_path, qtbot)
    qtbot.waitUntil(lambda: not window.page("model").filling, timeout=120_000)
    window.page("model")._edited("training", "batch_size", 64)  # type: ignore[attr-defined]
    workload = session.described.workload
    assert workload is not None
    assert "data.samples" in workload.assumed, "nobody said how many samples there are"
    assert "training.batch_size" not in workload.assumed
    window.page("model")._model_edited({"source": "template", "template": "mlp", "layers": [784, 10]})  # type: ignore[attr-defined]
    workload = session.described.workload
    assert workload is not None
    assert "data.samples" in workload.assumed
    assert "data.sequence_length" not in workload.assumed, "which a plain network has not"
