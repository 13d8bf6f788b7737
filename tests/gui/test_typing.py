"""Real keys and a real wheel: what is typed, turned and taken back is what the job then is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QTabBar

from advisor.gui.pages.model_page import ModelPage
from advisor.gui.widgets.choice import Choice, Tabs
from advisor.workload.workload_file import load_workload

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


@pytest.fixture
def page(window: MainWindow, session: Session, qtbot: QtBot) -> ModelPage:
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    window.show_page("model")
    made = window.page("model")
    assert isinstance(made, ModelPage)
    qtbot.waitUntil(lambda: not made.filling, timeout=120_000)
    window.activateWindow()
    return made


def editor_of(page: ModelPage, name: str) -> QWidget:
    return next(form.editor(name) for _section, form in page._forms.values() if name in form.names)


def turn_wheel_over(widget: QWidget) -> None:
    place = QPointF(widget.rect().center())
    event = QWheelEvent(
        place,
        QPointF(widget.mapToGlobal(widget.rect().center())),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's own argument
    )
    QApplication.sendEvent(widget, event)


def type_over(widget: QWidget, text: str) -> None:
    assert isinstance(widget, QLineEdit)
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
    widget.selectAll()
    QTest.keyClicks(widget, text)


def test_the_wheel_over_a_choice_scrolls_and_changes_nothing(page: ModelPage, session: Session) -> None:
    before, box = session.described.workload, editor_of(page, "precision")
    turn_wheel_over(box)
    assert not box.hasFocus()
    box.setFocus()
    turn_wheel_over(box)
    assert session.described.workload == before
    assert not session.described.undo.canUndo()


def test_every_choice_and_every_row_of_tabs_leaves_the_wheel_alone(window: MainWindow, qtbot: QtBot) -> None:
    for name in ("machine", "model", "measure", "advice", "compare"):
        window.show_page(name)
        page = window.page(name)
        qtbot.waitUntil(lambda page=page: not page.filling)  # type: ignore[misc]
        assert all(isinstance(box, Choice) for box in page.findChildren(QComboBox))
        assert all(isinstance(bar, Tabs) for bar in page.findChildren(QTabBar))


def test_nothing_starts_while_a_field_is_not_allowed(
    page: ModelPage, session: Session, window: MainWindow, qtbot: QtBot
) -> None:
    field = editor_of(page, "batch_size")
    type_over(field, "999999999")
    assert field.property("invalid") == "true"
    unknown = {name: figure.accessibleName() for name, figure in page._known.figures.items()}
    assert all(name.endswith(": – unknown: a field is not allowed") for name in unknown.values())
    window.show_page("measure")
    window.commands.act("measure")
    assert not session.runner.busy
    assert window.current == "model"
    qtbot.waitUntil(field.hasFocus)
    type_over(field, "32")
    assert not session.described.invalid
    assert session.described.workload is not None
    assert session.described.workload.training.batch_size == 32
    assert not any("not allowed" in figure.accessibleName() for figure in page._known.figures.values())


def test_undo_takes_back_text_and_job_together(
    page: ModelPage, session: Session, window: MainWindow, qtbot: QtBot
) -> None:
    field = editor_of(page, "batch_size")
    assert isinstance(field, QLineEdit)
    type_over(field, "64")
    assert session.described.workload is not None
    assert session.described.workload.training.batch_size == 64
    with qtbot.waitSignal(session.described.changed):
        QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (field.text(), session.described.workload.training.batch_size) == ("16", 16)
    window.commands.act("redo")
    assert (field.text(), session.described.workload.training.batch_size) == ("64", 64)
    type_over(field, "999999999")
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.property("invalid") == "false"
    assert session.described.workload.training.batch_size == int(field.text())
    assert field.text() in {"16", "64"}


def test_a_changed_field_is_marked_and_goes_back(page: ModelPage, session: Session) -> None:
    _section, form = next(pair for pair in page._forms.values() if "batch_size" in pair[1].names)
    assert not form._names["batch_size"].text().startswith("•")
    type_over(form.editor("batch_size"), "64")
    assert form._names["batch_size"].text().startswith("•")
    reset = form._resets["batch_size"]
    assert reset.isVisible()
    assert "16" in reset.accessibleName()
    QTest.mouseClick(reset, Qt.MouseButton.LeftButton)
    assert session.described.workload is not None
    assert session.described.workload.training.batch_size == 16
    assert not reset.isVisible()


def test_undo_brings_back_the_preset_that_was_left(page: ModelPage, session: Session, window: MainWindow) -> None:
    before = session.described.workload
    session.described.choose(load_workload("iris_mlp"), reference="iris_mlp")
    window.commands.act("undo")
    assert (session.described.workload, session.described.reference) == (before, "bert_base_sst2")
    assert page._sources_card.preset.list.currentItem().text() == "BERT-base on SST-2"


def test_a_reopened_advice_brings_its_workload_to_the_model_page(
    page: ModelPage, session: Session, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    from advisor.store import json_file
    from tests.gui import fakes

    advice = fakes.advice()
    json_file.write(advice, tmp_path / "advice.json")
    session.described.edit(load_workload("iris_mlp"), "")
    window.commands.open_path(tmp_path / "advice.json")
    qtbot.waitUntil(lambda: session.described.workload == advice.workload, timeout=120_000)
    window.show_page("model")
    assert "BERT" in page.subtitle.full_text()


def test_an_advice_about_a_bundled_workload_marks_it_among_the_presets(page: ModelPage, session: Session) -> None:
    session.described.choose(load_workload("iris_mlp"))
    assert session.described.reference == "iris_mlp"
    assert page._sources_card.preset.list.currentItem().text() == load_workload("iris_mlp").name
    other = msgspec.structs.replace(load_workload("iris_mlp"), name="mine")
    session.described.choose(other)
    assert session.described.reference == ""
