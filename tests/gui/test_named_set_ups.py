"""So many of one card against so many of another, asked in the window: typed, chosen, kept, and compared as asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu, QToolButton

from advisor import advise
from advisor.catalogue.gpu_words import cards_meant
from advisor.catalogue.spec_table import spec_table
from advisor.core.shown_names import shown_card
from advisor.gui.advised.charts import memory_rows
from advisor.gui.job_request import ask_for
from advisor.gui.jobs.answers import request_of
from advisor.gui.pages.compare_figures import AS_ASKED
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.pages.machine_page import MachinePage
from advisor.gui.plots.curves import CurveChart
from advisor.gui.start.typed_cards import TypedCards, number_typed, typed_cards
from advisor.recommend.recommendation import prediction_of
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tests.gui.at_the_window import strike_key
from tests.gui.conftest import renew
from tests.gui.test_at_the_window import active

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.advice import AdviceRequest
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings
    from advisor.gui.start.gpu_chips import GpuChips
    from advisor.gui.start.start_card import StartCard


def typed(chips: GpuChips, text: str) -> None:
    chips.search.setText(text)  # typed keys would open a popup, of which the offscreen platform complains
    QTest.keyClick(chips.search, Qt.Key.Key_Return)


def asked(settings: Settings) -> AdviceRequest:
    return request_of(ask_for(load_workload("bert_base_sst2"), settings, measure=False, allow_code=False))


def chip_texts(chips: GpuChips) -> list[str]:
    return [button.text() for button in chips._place.findChildren(QToolButton) if button.isVisible()]


def test_a_list_of_set_ups_takes_the_place_of_all_cards(card: StartCard, settings: Settings, qtbot: QtBot) -> None:
    typed(card.chips, "2x rtx 3090, 1x a100-sxm4-40")
    request = asked(settings)
    assert request.gpu_keys == ("rtx3090", "a100-sxm4-40")
    assert request.card_counts == {"rtx3090": (2,), "a100-sxm4-40": (1,)}
    chips = ["1 ×", "2 ×", "A100 SXM4 40 GB  ✕", "RTX 3090  ✕"]
    qtbot.waitUntil(lambda: sorted(chip_texts(card.chips)) == chips)
    assert card.most.currentText() == "a number for each"
    assert not card.chips.search.text()


def test_a_number_typed_before_a_card_takes_the_place_of_the_usual_ones_that_nobody_chose(
    card: StartCard, settings: Settings
) -> None:
    typed(card.chips, "2x rtx 3090")
    assert asked(settings).card_counts == {"rtx3090": (2,)}
    typed(card.chips, "1x l40s")
    assert asked(settings).card_counts == {"rtx3090": (2,), "l40s": (1,)}


def test_a_number_typed_before_a_card_gives_each_chosen_other_one(card: StartCard, settings: Settings) -> None:
    typed(card.chips, "h200")
    chosen = card.chips.keys
    typed(card.chips, "2x rtx 3090")
    assert card.chips.keys == chosen
    assert asked(settings).card_counts == {**dict.fromkeys(chosen, (1,)), "rtx3090": (2,)}
    typed(card.chips, "4*rtx3090")
    assert asked(settings).card_counts["rtx3090"] == (2, 4)
    card.chips.remove("rtx3090", 2)
    assert asked(settings).card_counts["rtx3090"] == (4,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0x a100", "1 to 4,096"),
        ("2x", "a number without a card"),
        ("2x acme x1", 'No GPU of the table is called "acme'),
    ],
)
def test_what_names_no_set_up_is_told_and_changes_nothing(card: StartCard, text: str, said: str) -> None:
    before = card.chips.keys
    typed(card.chips, text)
    assert said in card.chips._trouble.text()
    assert (card.chips.keys, card.chips.numbered) == (before, False)


@pytest.mark.parametrize("text", ["a100", "1x a100", "2x rtx 3090, 1x a100"])
def test_a_name_that_leaves_the_variant_open_stands_for_all_of_them_and_says_so(card: StartCard, text: str) -> None:
    variants = cards_meant("a100", spec_table())
    typed(card.chips, text)
    assert len(variants) > 1
    assert set(variants) <= set(card.chips.keys)
    said = card.chips._note.text().replace("\u00a0", " ")
    assert f'"a100" leaves open which one is meant. All {len(variants)} are compared' in said
    assert all(shown_card(spec_table()[key].name) in said for key in variants)
    card.chips.remove(variants[0])
    assert not card.chips._note.isVisible()


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("text", ["rtx 40", "3x rtx 40", "l40s, rtx 40"])
def test_what_begins_many_names_is_asked_back_and_takes_none(card: StartCard, text: str) -> None:
    before = card.chips.keys
    typed(card.chips, text)
    assert card.chips.keys == before
    assert '"rtx 40" fits' in card.chips._trouble.text()
    assert card.chips.search.text() == text
    popup = card.chips.search.completer().popup()
    assert popup is not None
    popup.hide()


def test_the_words_of_a_card_as_the_list_has_them_name_it_alone(card: StartCard) -> None:
    assert card.chips._offers is not None
    words = {key: card.chips._words(spec) for key, spec in card.chips._offers.cards.items()}
    for key, shown in words.items():
        found = typed_cards(shown, spec_table(), words)
        assert isinstance(found, TypedCards), shown
        assert key in dict(found.cards)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_numbers_are_chosen_from_each_cards_menu(card: StartCard, settings: Settings, qtbot: QtBot) -> None:
    QTest.keyClick(card.most, Qt.Key.Key_End)
    keys = card.chips.keys
    assert asked(settings).card_counts == dict.fromkeys(keys, (1,))
    QTest.mouseClick(card.chips._numbers[0], Qt.MouseButton.LeftButton)
    (menu,) = card.chips._numbers[0].findChildren(QMenu)
    next(action for action in menu.actions() if action.text() == "8").trigger()
    menu.close()
    qtbot.wait(1)
    assert asked(settings).card_counts[keys[0]] == (8,)
    assert "How many of" in card.chips._numbers[0].accessibleName()
    QTest.keyClick(card.most, Qt.Key.Key_Home)
    assert asked(settings).card_counts == {}
    assert asked(settings).counts == (1,)
    assert not card.chips.numbered


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_numbers_are_reached_and_chosen_by_keyboard(card: StartCard, window: MainWindow, qtbot: QtBot) -> None:
    typed(card.chips, "2x rtx 3090, 1x l40s")
    qtbot.waitUntil(lambda: len(chip_texts(card.chips)) == 4)
    active(window, qtbot)
    card.most.setFocus()
    strike_key(window, Qt.Key.Key_Tab)
    assert window.focusWidget() is card.chips._numbers[0]
    strike_key(window, Qt.Key.Key_Space)
    (menu,) = card.chips._numbers[0].findChildren(QMenu)
    menu.actions()[0].trigger()
    menu.close()
    qtbot.wait(1)
    assert [button.text() for button in card.chips._numbers] == ["1 ×", "1 ×"]
    strike_key(window, Qt.Key.Key_Tab)
    assert window.focusWidget() in card.chips._chips


def test_the_usual_cards_have_no_numbers_again(card: StartCard, settings: Settings) -> None:
    typed(card.chips, "2x rtx 3090, 1x l40s")
    QTest.mouseClick(card.chips.usual, Qt.MouseButton.LeftButton)
    assert (settings.gpu_keys, settings.card_counts) == (None, {})
    assert card.most.currentText() == "up to 8 of each"


def test_set_ups_are_remembered(card: StartCard, window: MainWindow, settings: Settings, qtbot: QtBot) -> None:
    typed(card.chips, "2x rtx 3090, 1x l40s, 4x l40s")
    window.commands.choose("language", "zh")
    renew(window)
    page = window.page("machine")
    assert isinstance(page, MachinePage)
    qtbot.waitUntil(lambda: page.start.chips.loaded, timeout=120_000)
    assert page.start.most.currentText() == "逐款指定张数"
    assert len(page.start.chips._numbers) == 3
    assert settings.card_counts == {"rtx3090": (2,), "l40s": (1, 4)}
    settings.store("card_counts", '{"rtx3090":[0]}')
    assert settings.card_counts == {}


@pytest.mark.parametrize(
    ("text", "number"), [("2x rtx", 2), ("两张 4090", 2), ("7900xtx", None), ("0x a", None), ("rtx", None)]
)
def test_the_number_is_known_while_the_name_is_typed(text: str, number: int | None) -> None:
    assert number_typed(text) == number


def test_compare_shows_what_was_asked_each_as_it_is_best(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    workload = with_training(load_workload("bert_base_sst2"), epochs=3)
    session.set_advice(advise(workload, measure=False, gpus="2x rtx 3090, 1x a100-sxm4-40"))
    window.show_page("compare")
    page = window.page("compare")
    assert isinstance(page, ComparePage)
    qtbot.waitUntil(lambda: page._ready, timeout=120_000)
    ticked = {one.prediction.device_and_count for one in page._comparison.ticked()}
    assert ticked == {("rtx3090", 2), ("a100-sxm4-40", 1)}
    box = page._boxes["count"]
    assert (box.currentData(), box.currentText()) == (AS_ASKED, "as asked")
    assert not page._boxes["batch"].isEnabled()
    assert "Epoch" in [column.title for column in page._table.table.table_model.columns]
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert page._boxes["batch"].isEnabled()
    assert {one.prediction.count for one in page._comparison.ticked()} == {1}


def test_the_advice_draws_throughput_of_as_many_cards_as_were_asked(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.set_advice(advise("bert_base_sst2", measure=False, gpus="2x rtx 3090"))
    window.show_page("advice")
    page = window.page("advice")
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    (chart,) = [one for one in page.findChildren(CurveChart) if one.accessibleName().startswith("Throughput by batch")]
    assert len(chart._curves[0].points) > 1
    assert "2 × RTX 3090" in [one.text() for one in page.findChildren(QLabel)]


def test_the_memory_of_the_advised_batch_is_that_of_the_advised_set_up() -> None:
    advice = advise("bert_base_sst2", measure=False, gpus="2x rtx 3090")
    chosen = advice.recommendation
    assert chosen is not None
    of_chosen = prediction_of(advice.predictions, chosen)
    assert of_chosen is not None
    least = msgspec.structs.replace(of_chosen, gradient_accumulation_steps=chosen.gradient_accumulation_steps + 1)
    others = tuple(one for one in advice.predictions if one is not of_chosen)
    rows = memory_rows(msgspec.structs.replace(advice, predictions=(least, *others, of_chosen)), chosen)
    (row,) = [one for one in rows if one.batch_size_per_device == chosen.batch_size_per_device]
    assert row is of_chosen
