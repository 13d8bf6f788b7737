"""A Python file runs only in the content that was consented to, whichever way it came in."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtWidgets import QLabel, QWidget

from advisor.gui.dialogs.consent import ConsentDialog
from advisor.gui.job_request import job_for
from advisor.gui.pages.model_page import ModelPage
from advisor.gui.pages.model_sources import PYTHON_START
from advisor.workload.workload_file import load_workload
from tests.gui.at_the_window import strike_key
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

_WRAPPED = Qt.TextFlag.TextWordWrap
CODE = """
import pathlib
pathlib.Path(__file__).with_suffix(".ran").write_text("ran")
"""


@pytest.fixture
def described(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(CODE, encoding="utf-8")
    path = tmp_path / "task.toml"
    path.write_text(
        'name = "mine"\n[model]\nsource = "python"\nfile = "model.py"\n'
        '[data]\nsamples = 100\n[training]\nprecision = "fp32"\nbatch_size = 4\n',
        encoding="utf-8",
    )
    return path


def test_measuring_a_workload_that_names_a_python_file_asks_first(
    window: MainWindow, session: Session, described: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def refuse(_parent: object, _texts: object, path: Path, _digest: str) -> bool:
        asked.append(path)
        return False

    monkeypatch.setattr("advisor.gui.dialogs.consent.ask_consent", refuse)
    session.described.choose(load_workload(described))
    window.commands.act("measure")
    window.commands.act("predict")
    assert asked == [described.with_name("model.py")] * 2
    assert not session.runner.busy
    assert not described.with_name("model.ran").exists()


def test_consent_to_one_file_is_none_to_another_nor_to_a_changed_one(
    window: MainWindow, session: Session, described: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.gui.dialogs.consent.ask_consent", lambda *_: True)
    workload = load_workload(described)
    other = described.with_name("other.py")
    other.write_text("x = 1", encoding="utf-8")
    assert window.commands.opening.consent(other)
    assert session.described.lacks_consent(workload)
    assert window.commands.opening.consent_for(workload)
    assert session.described.may_run(workload)
    described.with_name("model.py").write_text("x = 2", encoding="utf-8")
    assert session.described.lacks_consent(workload)


def test_the_same_file_used_once_more_is_traced_where_it_had_not_been_let_run(
    window: MainWindow, session: Session, described: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("advisor.gui.dialogs.consent.ask_consent", lambda *_asked: True)
    code = described.with_name("model.py")
    session.described.choose(load_workload(code), reference=str(code))
    page = shown_page(window, "model", ModelPage, qtbot)
    qtbot.waitUntil(lambda: page._tracer.needs_consent, timeout=60_000)
    window.resize(1024, 700)
    asked = page.texts("model-needs-consent")

    def feet() -> list[int]:
        notes = [one for one in page._known.assumptions.findChildren(QLabel) if one.text() == asked]
        return [one.mapTo(page, one.rect().bottomLeft()).y() for one in notes]

    qtbot.waitUntil(lambda: len(feet()) == 1 and 0 < feet()[0] < page.height(), timeout=60_000)
    page._sources_card.python.chosen.emit(str(code))
    assert not page._tracer.needs_consent
    qtbot.waitUntil(lambda: page._tracer.problem is not None, timeout=120_000)
    assert code.with_suffix(".ran").exists()


def test_what_the_python_tab_begins_with_is_a_file_that_is_traced(
    window: MainWindow, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("advisor.gui.dialogs.consent.ask_consent", lambda *_asked: True)
    session.described.choose(load_workload("iris_mlp"))
    page = shown_page(window, "model", ModelPage, qtbot)
    page._sources_card.show_source(2)
    (start,) = (one for one in page._sources_card.python.findChildren(QLabel) if "def build_model" in one.text())
    assert start.isVisible()
    path = tmp_path / "mine.py"
    path.write_text(start.text(), encoding="utf-8")
    page._sources_card.python.chosen.emit(str(path))
    qtbot.waitUntil(lambda: session.described.reference == str(path) and not page._tracer.busy, timeout=120_000)
    assert page._tracer.problem is None
    preview = page._tracer.preview()
    assert preview is not None
    assert preview.parameter_count == 784 * 256 + 256 + 256 * 10 + 10


def test_the_python_tab_names_its_file_whole_and_what_is_mended_in_it_is_asked_for_and_traced(
    window: MainWindow, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    asked: list[str] = []

    def allow(_parent: object, _texts: object, _path: Path, digest: str) -> bool:
        asked.append(digest)
        return True

    monkeypatch.setattr("advisor.gui.dialogs.consent.ask_consent", allow)
    path = tmp_path / "mine.py"
    path.write_text(PYTHON_START, encoding="utf-8")
    page = shown_page(window, "model", ModelPage, qtbot)
    window.commands.open_path(path)
    qtbot.waitUntil(lambda: session.described.reference == str(path) and not page._tracer.busy, timeout=120_000)
    source = page._sources_card.python
    assert source.line.text() == str(path)
    told: list[None] = []
    page._tracer.changed.connect(lambda: told.append(None))
    page.changeEvent(QEvent(QEvent.Type.ActivationChange))
    page._tracer.follow_file()
    assert not told  # Nothing is traced again for a file that is as it was.
    path.write_text(PYTHON_START.replace("256", "128"), encoding="utf-8")
    page._tracer.follow_file()
    assert page._tracer.needs_consent
    assert page._tracer.preview() is None
    source._choose()
    qtbot.waitUntil(lambda: page._tracer.preview() is not None, timeout=120_000)
    preview = page._tracer.preview()
    assert preview is not None
    assert preview.parameter_count == 784 * 128 + 128 + 128 * 10 + 10
    assert len(asked) == 2


def test_a_bundled_python_file_needs_no_consent(session: Session, window: MainWindow) -> None:
    workload = load_workload("unet_vgg16")
    assert not session.described.lacks_consent(workload)
    session.described.choose(workload)
    assert callable(job_for(session, window.settings, measure=False)), "nobody was asked"


@pytest.mark.parametrize("name", ["model.py", "a" * 150 + ".py"])
def test_the_question_shows_the_whole_path_and_leaves_no_gaps(window: MainWindow, qtbot: QtBot, name: str) -> None:
    path = Path("/home/somebody/projects") / name
    dialog = ConsentDialog(window, window.context.texts, path, "0" * 64)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    labels = sorted(dialog.findChildren(QLabel), key=QWidget.y)
    assert "".join(labels[1].text().split()) == str(path)
    for one in labels:
        needed = one.fontMetrics().boundingRect(QRect(0, 0, one.width(), 10_000), _WRAPPED, one.text())
        assert needed.width() <= one.width()
        assert needed.height() <= one.height() <= needed.height() + one.fontMetrics().height() // 2
    layout = dialog.layout()
    assert layout is not None
    gaps = {lower.y() - upper.geometry().bottom() - 1 for upper, lower in pairwise(labels)}
    assert gaps == {layout.spacing()}


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_return_runs_nothing_in_haste_and_presses_the_button_that_tab_went_to(
    window: MainWindow, qtbot: QtBot, key: Qt.Key
) -> None:
    for tabs, answer in ((0, False), (1, True), (2, False)):
        dialog = ConsentDialog(window, window.context.texts, Path("model.py"), "0" * 64)
        with qtbot.waitActive(dialog):
            dialog.show()
            dialog.activateWindow()
        for _ in range(tabs):
            strike_key(dialog, Qt.Key.Key_Tab)
        strike_key(dialog, key)
        qtbot.waitUntil(dialog.isHidden)
        assert bool(dialog.result()) is answer
