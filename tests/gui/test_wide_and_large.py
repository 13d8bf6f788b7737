"""High windows are used, and with the largest letters nothing lies where nobody can go."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QPushButton, QTableView, QToolButton, QWidget

from advisor.core.errors import InputError
from advisor.gui.advised.charts import batch_card, crossover_card, memory_card, strategy_card
from advisor.gui.application import place
from advisor.gui.context import PAGE_NAMES
from advisor.gui.history_access import keep
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.pages.history_page import HistoryPage
from advisor.gui.pages.machine_page import MachinePage
from advisor.gui.pages.model_page import ModelPage
from advisor.gui.pages.page import Page
from advisor.gui.settings import ZOOMS
from advisor.gui.threads import Outcome
from advisor.gui.widgets.notice import Notice
from advisor.measure.events import RunProgress
from tests.gui import fakes
from tests.gui.shown_page import shown_page
from tests.gui.test_job_strip import Told
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.catalogue.precisions import Precision
    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


@pytest.mark.parametrize("size", [(1280, 1440), (2560, 1440)], ids=["below the forms", "beside the forms"])
def test_layers_take_the_room_that_is_left_and_no_more_than_their_rows(
    window: MainWindow, session: Session, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    session.reopen(fakes.advice())
    page = shown_page(window, "model", ModelPage, qtbot)
    layers = page._known.layers.records
    assert layers

    def is_laid_out(count: int, least: int) -> bool:
        row = page._known.layer_table.row_height
        shown = page._known.layer_table.height() - page._known.layer_table.frame_height
        content = page.scroll_area.widget()
        assert content is not None
        foot = page._known.layer_card.mapTo(content, page._known.layer_card.rect().bottomLeft()).y()
        below = page._known.layer_card.height() - page._known.layer_table.geometry().bottom()
        return least * row <= shown <= count * row and foot < content.height() and below < 3 * row

    for count, least in ((3, 3), (200, 14 if size[0] < 2000 else 25)):
        page._known.layers.show(layers[:1] * count)
        qtbot.waitUntil(partial(is_laid_out, count, least), timeout=60_000)


@pytest.mark.parametrize("size", [(1280, 800), (1280, 1440)])
def test_no_empty_patch_is_left_beside_the_forms_of_a_narrow_window(
    window: MainWindow, session: Session, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    session.reopen(fakes.advice())
    page = shown_page(window, "model", ModelPage, qtbot)
    training, data = (page._cards[code] for code in ("model-training-title", "model-data-title"))

    def foot(card: QWidget) -> int:
        return card.mapTo(page, card.rect().bottomLeft()).y()

    qtbot.waitUntil(lambda: abs(foot(training) - foot(data)) <= 1, timeout=60_000)
    assert data.x() > training.x()
    presets = page._sources_card.preset
    room = presets.height() - presets.list.height()
    assert room < 60 or presets.list.height() == presets.list.maximumHeight()  # The list takes what the card has.
    before = foot(training)
    page._sources_card.show_source(1)  # So much lower that the right column is the higher one.
    qtbot.waitUntil(lambda: foot(training) < before and abs(foot(training) - foot(data)) <= 1, timeout=60_000)


def test_why_a_model_was_not_traced_stands_in_sight_above_the_missing_figures(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    window.resize(1280, 800)
    session.reopen(fakes.advice())
    page = shown_page(window, "model", ModelPage, qtbot)
    qtbot.waitUntil(lambda: not page._tracer.busy, timeout=120_000)
    page._tracer.problem = Outcome(kind="problem", error=InputError("net.py: it does not define build_model."))
    page._tracer.changed.emit()

    def told() -> list[Notice]:
        return [one for one in page.findChildren(Notice) if one.isVisible() and "build_model" in words_of(one)]

    qtbot.waitUntil(lambda: len(told()) == 1, timeout=60_000)
    foot = told()[0].mapTo(page, told()[0].rect().bottomLeft()).y()
    assert foot < page._known.figures["parameters"].mapTo(page, QPoint()).y() < page.height()
    page._tracer.problem = None
    page._tracer.changed.emit()
    qtbot.waitUntil(lambda: not told(), timeout=60_000)


def test_more_runs_are_seen_in_a_higher_window(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    for _ in range(12):
        keep(session.settings.history_folder, fakes.advice())
    page = shown_page(window, "history", HistoryPage, qtbot)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy, timeout=120_000)

    def seen() -> int:
        return (page._table.height() - page._table.frame_height) // page._table.row_height

    window.resize(1280, 700)
    qtbot.waitUntil(lambda: 8 <= seen() < 12, timeout=60_000)
    window.resize(1280, 1400)
    qtbot.waitUntil(lambda: seen() == 12, timeout=60_000)


def with_largest_letters(window: MainWindow, session: Session, qtbot: QtBot, name: PageName) -> Page:
    """A page of an advice in the smallest window, with letters as large as they get."""
    window.resize(1024, 700)
    session.set_advice(fakes.advice())
    for _ in ZOOMS:
        window.commands.act("zoom-in")
    qtbot.waitUntil(lambda: window.context.theme.zoom == ZOOMS[-1], timeout=20_000)
    window.show_page(name)
    return window.page(name)


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_with_the_largest_letters_no_page_of_an_advice_is_wider_than_a_small_window(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName
) -> None:
    keep(session.settings.history_folder, fakes.advice())
    page = with_largest_letters(window, session, qtbot, name)
    qtbot.waitUntil(lambda: not page.filling and not getattr(page, "busy", False), timeout=120_000)
    content, seen = page.scroll_area.widget(), page.scroll_area.viewport()
    assert content is not None
    qtbot.waitUntil(lambda: content.width() <= seen.width(), timeout=60_000)
    tables = page.findChildren(QTableView)
    assert [one.accessibleName() for one in tables if one.horizontalScrollBar().maximum()] == []


@pytest.mark.parametrize("size", [(960, 620), (1280, 740)])
def test_with_the_largest_letters_the_switches_of_compare_go_on_in_a_further_line(
    window: MainWindow, session: Session, qtbot: QtBot, size: tuple[int, int]
) -> None:
    made = fakes.advice()
    others: tuple[Precision, ...] = ("fp16", "bf16", "bf16_true")
    more = tuple(
        msgspec.structs.replace(one, precision=other)
        for other in others
        for one in made.predictions
        if one.precision == "fp32"
    )
    with_largest_letters(window, session, qtbot, "machine")
    session.set_advice(msgspec.structs.replace(made, predictions=(*made.predictions, *more)))
    window.resize(*size)
    page = shown_page(window, "compare", ComparePage, qtbot)
    qtbot.waitUntil(lambda: len(page._buttons) >= 5, timeout=20_000)
    content, seen = page.scroll_area.widget(), page.scroll_area.viewport()
    assert content is not None
    qtbot.waitUntil(lambda: content.width() <= seen.width(), timeout=60_000)
    last = page._boxes["goal"]
    qtbot.waitUntil(lambda: content.rect().contains(last.mapTo(content, last.rect().bottomRight())), timeout=60_000)
    assert last.mapTo(page, QPoint()).y() > page._buttons["fp32"].mapTo(page, QPoint()).y() + last.height()


@pytest.mark.parametrize("name", ["model", "measure", "advice"])
def test_with_the_largest_letters_what_stands_below_a_title_is_read_whole(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName
) -> None:
    page = with_largest_letters(window, session, qtbot, name)
    session.reopen(fakes.advice())
    window.resize(960, 620)
    qtbot.waitUntil(lambda: "BERT-base on SST-2" in page.subtitle.full_text(), timeout=60_000)
    qtbot.waitUntil(lambda: page.subtitle.text() == page.subtitle.full_text(), timeout=60_000)


def test_with_the_largest_letters_every_source_of_a_model_is_in_sight(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    page = with_largest_letters(window, session, qtbot, "model")
    assert isinstance(page, ModelPage)
    window.resize(960, 620)
    tabs = page._sources_card._tabs
    qtbot.waitUntil(
        lambda: all(tabs.rect().contains(tabs.tabRect(place)) for place in range(tabs.count())), timeout=60_000
    )
    assert [one for one in tabs.findChildren(QToolButton) if one.isVisible()] == []
    assert tabs.tabToolTip(3) == "Form"


def test_in_a_window_that_is_narrow_for_its_letters_pages_and_the_job_are_told_without_words(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    button = window.navigation._buttons["history"]
    assert (button.text().strip(), button.toolTip()) == ("History", "Ctrl+7")
    with_largest_letters(window, session, qtbot, "machine")
    button, strip = window.navigation._buttons["history"], window.navigation._strip
    assert (button.text(), button.toolTip(), button.accessibleName()) == ("", "History · Ctrl+7", "History")
    assert window.navigation.width() < 70
    assert strip.ring.width() == strip.ring.height() == 40
    session.runner.start(Told(RunProgress(phase="advice-phase-predict", fraction=0.2, left_s=9.0)), measure=False)
    qtbot.waitUntil(lambda: "Predicting" in strip.toolTip(), timeout=60_000)
    assert strip.ring.isVisible()
    assert not strip._cancel.isVisible()
    session.runner.cancel()
    qtbot.waitUntil(lambda: not session.runner.busy, timeout=60_000)
    window.resize(1400, 700)
    assert button.text().strip() == "History"
    assert strip._what.isVisible()


def test_an_advice_of_many_parts_is_no_wider_than_the_smallest_window(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    made = fakes.advice()
    assert made.recommendation is not None
    many = msgspec.structs.replace(
        made.recommendation,
        strategy="ddp",
        count=16,
        node_count=2,
        gradient_accumulation_steps=4,
        checkpointing_added=True,
        chunked_loss_added=True,
    )
    session.set_advice(msgspec.structs.replace(made, recommendation=many))
    window.resize(window.minimumSize())
    page = shown_page(window, "advice", AdvicePage, qtbot)
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    content, seen = page.scroll_area.widget(), page.scroll_area.viewport()
    assert content is not None
    assert content.width() == seen.width()
    assert "2\N{NO-BREAK SPACE}machines" in words_of(content)


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_with_the_largest_letters_no_button_beside_or_below_a_title_is_cut(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName
) -> None:
    page = with_largest_letters(window, session, qtbot, name)
    qtbot.waitUntil(lambda: page.isVisible() and page.width() > 0, timeout=20_000)
    head = page.title.parentWidget()
    assert head is not None
    buttons = [one for one in head.findChildren(QPushButton) if one.isVisible()]
    assert buttons or name in {"compare", "cases"}
    # Laid out anew once the buttons have gone below the title.
    qtbot.waitUntil(lambda: all(head.rect().contains(one.geometry()) for one in buttons), timeout=20_000)
    assert not [one.text() for one in buttons if one.width() < one.sizeHint().width()]


@pytest.mark.parametrize(
    ("size", "gpus", "columns"),
    [((2560, 1440), 0, 2), ((1280, 800), 0, 2), ((1024, 700), 0, 1), ((2560, 1440), 2, 1)],
)
def test_the_start_buttons_are_no_wider_than_they_are_read_and_stand_beside_the_choices_where_there_is_room(
    window: MainWindow, session: Session, qtbot: QtBot, size: tuple[int, int], gpus: int, columns: int
) -> None:
    session.machine = fakes.machine(gpus)
    session.machine_changed.emit()
    window.resize(*size)
    page = shown_page(window, "machine", MachinePage, qtbot)
    card = page.start

    def is_laid_out() -> bool:
        beside = card.button.mapTo(card, QPoint()).x() > card.model.mapTo(card, card.model.rect().topRight()).x()
        below = card.button.mapTo(card, QPoint()).y() > card.chips.mapTo(card, card.chips.rect().bottomLeft()).y()
        return (beside, below) == ((True, False) if columns == 2 else (False, True))

    qtbot.waitUntil(is_laid_out, timeout=60_000)
    assert 300 <= card.button.width() <= 560
    assert card.predict.mapTo(card, QPoint()).x() == card.button.mapTo(card, QPoint()).x()
    assert 0 < card.predict.geometry().top() - card.button.geometry().bottom() < 30


@pytest.mark.parametrize(("known", "frame"), [(False, (16, 40)), (True, (0, 0))], ids=["first", "restored"])
def test_a_window_with_its_frame_fits_a_screen_that_is_smaller_than_it_is_made(
    window: MainWindow, qtbot: QtBot, known: bool, frame: tuple[int, int]
) -> None:
    room = window.screen().availableSize()
    window.resize(1280, 800)
    assert room.width() < window.minimumWidth()
    place(window, bytes(window.saveGeometry().data()) if known else None)
    qtbot.wait(20)
    assert window.width() <= room.width() - frame[0]
    assert window.height() <= room.height() - frame[1]


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_no_page_of_an_advice_is_wider_than_the_smallest_window(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName
) -> None:
    session.show_recorded(fakes.advice())
    window.resize(960, 620)
    window.show_page(name)
    page = window.page(name)
    qtbot.waitUntil(lambda: not page.filling and not getattr(page, "busy", False), timeout=120_000)
    content, seen = page.scroll_area.widget(), page.scroll_area.viewport()
    assert content is not None
    qtbot.waitUntil(lambda: window.width() == 960 and content.width() <= seen.width(), timeout=60_000)


def test_two_charts_of_an_advice_fit_beside_each_other_into_the_smallest_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    """Words beside the title of the chart of memory made the page wider: 423 pixels, where 350 is half of it."""
    made = fakes.advice()
    chosen = made.recommendation
    assert chosen is not None
    for make in (batch_card, crossover_card, memory_card, strategy_card):
        card = make(made, chosen, window.context)
        assert card is not None
        qtbot.addWidget(card)
        assert card.minimumSizeHint().width() <= 350, make.__name__
