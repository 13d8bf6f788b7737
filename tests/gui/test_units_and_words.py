"""Units reach numbers inside sentences, errors and cases speak the window's language, names stay readable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from advisor.cases.case_file import bundled_cases
from advisor.core.money import format_cost
from advisor.core.sentences import Reason, SaidError, sentence
from advisor.core.units import Estimate, format_energy
from advisor.gui.jobs.job_state import JobState
from advisor.gui.models.table_model import Column, TableModel
from advisor.gui.pages.measure_page import MeasurePage
from advisor.gui.pages.model_page import ModelPage
from advisor.gui.texts import Texts
from advisor.gui.threads import Outcome
from advisor.gui.widgets.labels import ElidedLabel, label
from advisor.gui.widgets.table import Table
from advisor.present.job_picture import PictureRow, row_detail
from advisor.present.table_cells import batch_of
from tests.gui import fakes
from tests.gui.conftest import renew

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

NEED = Reason.of("measure-does-not-fit", device="X", samples=1, need_bytes=8 * 2**30, limit_bytes=4e9)


def test_a_size_in_a_sentence_follows_the_chosen_units() -> None:
    assert "8.00 GiB" in Texts("en").say(NEED)
    told = Texts("en", "decimal").say(NEED)
    assert "8.59 GB" in told
    assert "4.00 GB" in told
    assert "iB" not in told
    assert "8.59 GB" in Texts("zh", "decimal").say(NEED)


def test_no_page_mixes_the_two_units(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLabel

    window.settings.store("units", "decimal")
    session.show_recorded(fakes.advice())
    renew(window)
    for name in ("machine", "measure", "advice", "compare"):
        window.show_page(name)
        qtbot.waitUntil(lambda name=name: not window.page(name).filling)  # type: ignore[misc]
        texts = [label.text() for label in window.page(name).findChildren(QLabel)]
        assert not [text for text in texts if "GiB" in text or "MiB" in text], name


def test_an_error_is_told_in_the_language_of_the_window() -> None:
    error = SaidError((NEED,), Reason.of("window-unknown"))
    outcome = Outcome(kind="problem", error=error)
    assert Texts("en").problem(outcome) == (error.text, error.remedy)
    text, remedy = Texts("zh").problem(outcome)
    assert text == sentence(NEED.code, "zh", **NEED.numbers)
    assert remedy == sentence("window-unknown", "zh")


def test_every_case_tells_its_model_in_both_languages() -> None:
    for case in bundled_cases().values():
        english, chinese = case.model_text("en"), case.model_text("zh")
        assert english.isascii()
        assert any("\u4e00" <= one <= "\u9fff" for one in chinese)


def test_a_long_name_goes_on_in_a_second_line_before_it_is_cut(qtbot: QtBot) -> None:
    name = ElidedLabel("Tesla V100 SXM2 16GB", lines=2)
    qtbot.addWidget(name)
    name.show()
    name.resize(name.fontMetrics().horizontalAdvance("Tesla V100 S"), 40)
    assert name.text() == "Tesla V100\nSXM2 16GB"
    assert not name.toolTip()
    name.resize(name.fontMetrics().horizontalAdvance("Tesla V1"), 40)
    assert "…" in name.text()
    assert "Tesla V100 SXM2 16GB" in name.toolTip()


def test_rows_grow_where_a_name_of_their_table_needs_two_lines(qtbot: QtBot) -> None:
    columns = [
        Column[str](title="name", text=lambda one: one),
        Column[str](title="number", text=lambda one: one[:1], number=True),
    ]
    model = TableModel(columns)
    table = Table(model, "names", visible_rows=3)
    qtbot.addWidget(table)
    model.show(["RTX 6000 Ada Generation, the one at the left", "L4"])
    table.show()
    whole = table.fontMetrics().horizontalAdvance(model.records[0])
    table.resize(whole + 140, 200)
    assert (table.rowHeight(0), table.wordWrap()) == (32, False)
    table.resize(whole, 200)
    assert (table.rowHeight(0), table.wordWrap()) == (44, True)


def test_columns_have_room_for_what_comes_first_when_sorted(qtbot: QtBot) -> None:
    columns = [
        Column[str](title="name", text=lambda one: one.partition("=")[0]),
        Column[str](title="n", text=lambda one: one.partition("=")[2], number=True, order=len),
    ]
    model = TableModel(columns)
    table = Table(model, "names", visible_rows=3)
    qtbot.addWidget(table)
    model.show([*(f"card {number}={number}" for number in range(100)), "the last=123,456,789.5 min"])
    table.show()
    table.resize(500, 200)
    needed = table.fontMetrics().horizontalAdvance("123,456,789.5 min")
    assert table.columnWidth(1) < needed
    table.set_order(1, 1)
    assert model.records[0].startswith("the last")
    assert table.columnWidth(1) > needed


def test_on_a_very_wide_screen_figures_stand_near_their_names(qtbot: QtBot) -> None:
    columns = [
        Column[str](title="name", text=lambda one: one),
        *(Column[str](title=f"figure {place}", text=lambda one: one[:1], number=True) for place in range(4)),
    ]
    model = TableModel(columns)
    table = Table(model, "names", visible_rows=3)
    qtbot.addWidget(table)
    model.show(["RTX 4090", "L4"])
    table.show()
    table.resize(700, 200)
    named = table.columnWidth(0)
    assert named > 2 * table.columnWidth(1)
    table.resize(2200, 200)
    assert named < table.columnWidth(0) < 900
    assert 2190 <= sum(table.columnWidth(place) for place in range(5)) <= table.viewport().width()


def test_some_of_the_blocks_have_no_throughput_of_the_model(window: MainWindow, session: Session) -> None:
    measured = fakes.advice().measurements[0]
    part = msgspec.structs.replace(measured.steps[-1], layer_limit=2)
    session.runner.job = JobState.of_measurements((msgspec.structs.replace(measured, steps=(part,)),))
    window.show_page("measure")
    page = window.page("measure")
    assert isinstance(page, MeasurePage)
    rate, median = (page._measured.figures[name].accessibleName() for name in ("rate", "median"))
    assert "–" in rate
    assert "(2 blocks)" in median


def test_money_and_energy_are_written_as_in_the_report() -> None:
    texts = Texts("en")
    assert texts.money(1240.0, "EUR") == format_cost(1240.0, "EUR", "en") == "€1,240.00"
    assert texts.energy(1800.0) == format_energy(1800.0)


def test_the_ends_of_an_energys_range_are_in_the_unit_of_its_value() -> None:
    texts, around = Texts("en"), Estimate(value=4068.0, low=1990.0, high=6228.0, basis="specified")
    assert (texts.energy(around.value), texts.span(around, texts.energy)) == ("1.13 Wh", "0.553 – 1.73 Wh")
    below = Estimate(value=3500.0, low=1990.0, high=6228.0, basis="specified")
    assert (texts.energy(below.value), texts.span(below, texts.energy)) == ("3.50 kJ", "1.99 – 6.23 kJ")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_at_the_smallest_size_the_layers_tell_all_their_figures(
    window: MainWindow, session: Session, qtbot: QtBot, language: str
) -> None:
    window.settings.store("language", language)
    renew(window)
    window.resize(1024, 700)
    session.described.load("bert_base_sst2")
    window.show_page("model")
    page = window.page("model")
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page._known.layers.records) > 100, timeout=120_000)
    table = page._known.layer_table
    qtbot.waitUntil(lambda: table.viewport().width() > 600)
    assert not any(table.isColumnHidden(place) for place in range(4))
    longest = max((one.path for one in page._known.layers.records), key=len)
    assert table.columnWidth(0) > table.fontMetrics().horizontalAdvance(longest)
    assert sum(table.columnWidth(place) for place in range(4)) <= table.viewport().width()


def test_cards_of_one_name_are_told_apart_while_they_are_measured(window: MainWindow, session: Session) -> None:
    eight = fakes.machine(8)
    one = fakes.advice().measurements[1]
    measured = tuple(
        msgspec.structs.replace(one, device_key=gpu.uuid or "", device_name=gpu.name or "") for gpu in eight.gpus
    )
    session.machine = eight
    session.runner.job = JobState.of_measurements(measured)
    window.show_page("measure")
    page = window.page("measure")
    assert isinstance(page, MeasurePage)
    shown = {page._measured.model.columns[0].text(record) for record in page._measured.model.records}
    assert shown == {f"GPU {number} · RTX 4090" for number in range(8)}


def test_a_batch_of_thousands_is_grouped_in_the_picture_as_in_the_report() -> None:
    advice = fakes.advice()
    large = msgspec.structs.replace(advice.predictions[0], batch_size_per_device=25_600)
    row = PictureRow(prediction=large, advised=False, here=False, tied=False, trusted=True)
    assert "25,600" in row_detail(row, advice, "en")
    assert batch_of(large) == "25,600"


def test_no_line_begins_with_the_unit_of_a_figure(qtbot: QtBot) -> None:
    made = label("left out, 8.5 % (docs), 3 days in 340 ms", wrap=True)
    qtbot.addWidget(made)
    assert made.text() == "left out, 8.5\u00a0% (docs), 3 days in 340\u00a0ms"


def test_a_rate_that_names_what_it_counts_is_a_sentence_of_its_own() -> None:
    assert Texts("en").sample_rate(1440.0) == "1,440 samples/s"
    assert Texts("en").sample_rate(1.27e6) == "1.27 M samples/s"
    assert Texts("zh").sample_rate(0.816) == "0.816 样本/秒"
    assert Texts("en").sample_rate(None) == Texts("en")("window-unknown")
