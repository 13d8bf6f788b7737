"""What a screen reader is told: names, live values, and words without the marks of a tooltip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QWidget

from advisor.gui.models.readings import ReadingsBuffer
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.pages.machine_page import MachinePage
from advisor.gui.pages.measure_page import MeasurePage
from advisor.gui.plots.live_grid import LiveGrid
from advisor.gui.plots.plain_plot import PlainPlot
from advisor.gui.texts import Texts
from advisor.gui.theme import theme_for
from advisor.gui.widgets.labels import ElidedLabel
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.page import Page
    from advisor.gui.session import Session


def said(widget: QWidget, what: QAccessible.Text) -> str:
    """What Qt tells a screen reader of a widget."""
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    return interface.text(what)


def with_advice(session: Session) -> None:
    session.machine = fakes.machine()
    session.machine_changed.emit()
    session.described.choose(load_workload("bert_base_sst2"), reference="bert_base_sst2")
    session.show_recorded(fakes.advice())


@pytest.mark.parametrize(("name", "kind"), [("machine", MachinePage), ("measure", MeasurePage)])
def test_every_live_plot_has_a_name_and_tells_its_newest_values(
    window: MainWindow, session: Session, qtbot: QtBot, name: str, kind: type[Page]
) -> None:
    with_advice(session)
    page = shown_page(window, name, kind, qtbot)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: page.findChild(LiveGrid) is not None and not page.filling, timeout=120_000)
    grid = page.findChild(LiveGrid)
    assert isinstance(grid, LiveGrid)
    grid.redraw()
    assert len(grid.plots) >= 6
    for live in grid.plots:
        assert said(live.plot, QAccessible.Text.Name)
        told = said(live.plot, QAccessible.Text.Description).split("; ")
        assert [one.rpartition(": ")[2] for one in told] == live._now.text().split(" · "), live.figure
        names = {one.name for one in grid.series}
        assert {one.rpartition(": ")[0] for one in told} <= names
    for plot in page.findChildren(PlainPlot):
        assert said(plot, QAccessible.Text.Name)
        assert said(plot, QAccessible.Text.Description)


def test_rows_of_many_gpus_tell_each_ones_newest_values(window: MainWindow) -> None:
    machine = fakes.machine(8)
    buffer = ReadingsBuffer()
    buffer.add(fakes.readings(machine, count=300))
    grid = LiveGrid(theme_for("light", 1.0), Texts("en"), machine, buffer)
    grid.redraw()
    assert grid.rows is not None
    told = grid.rows.told().split("; ")
    assert len(told) == len(machine.gpus) + 1
    assert all("Memory" in one and "%" in one for one in told[:-1])
    del window


@pytest.mark.parametrize("name", ["machine", "model", "measure", "advice", "compare"])
def test_no_words_for_a_screen_reader_hold_marks(window: MainWindow, session: Session, qtbot: QtBot, name: str) -> None:
    with_advice(session)
    window.show_page(name)
    page = window.page(name)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    told = [(type(one).__name__, said(one, QAccessible.Text.Description)) for one in page.findChildren(QWidget)]
    assert any(words for _kind, words in told)
    assert not [one for one in told if "<qt>" in one[1]]


def test_choices_are_named_by_the_words_beside_them(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    with_advice(session)
    machine = shown_page(window, "machine", MachinePage, qtbot)
    compare = shown_page(window, "compare", ComparePage, qtbot)
    for choice in (machine.start.model, machine.start.most, *compare._boxes.values()):
        interface = QAccessible.queryAccessibleInterface(choice)
        assert interface is not None
        labels = interface.relations(QAccessible.RelationFlag.Label)
        assert [other.text(QAccessible.Text.Name) for other, _flag in labels], choice.accessibleName()


def test_an_explanation_outlives_the_values_that_it_is_about(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    with_advice(session)
    page = window.page("machine")
    assert isinstance(page, MachinePage)
    wait = page._cards["cpu"]._values["wait"]
    explained = wait.toolTip()
    assert explained
    named = next(one for one in page._cards["cpu"].findChildren(QLabel) if one.text() == "Wait")
    assert named.toolTip() == explained  # Whoever does not know the word points at it.
    for value in ("5 %", "100 %"):
        page._cards["cpu"].set_fact("wait", value)
        assert wait.toolTip() == explained
    shown = ElidedLabel("a long text that has no room in so narrow a place")
    qtbot.addWidget(shown)
    shown.show()
    shown.explain("what it means")
    shown.resize(60, 20)
    assert "long text" in shown.toolTip()
    assert "what it means" in shown.toolTip()
    shown.set_full_text("short")
    shown.resize(400, 20)
    assert shown.toolTip() == "<qt>what it means</qt>"
