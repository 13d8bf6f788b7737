"""The advice's one picture: what stands in it, what a click shows, and what switches and disturbances do to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.gui.advised.picture import PictureCard
from advisor.gui.advised.set_up import short_set_up
from advisor.gui.advised.switches import SwitchesCard
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.plots.job_chart import ROW, JobChart
from advisor.gui.widgets.card import KeyFigure
from advisor.gui.widgets.notice import FIRST, SentencesCard, Strip
from advisor.measure.measurement import Verdict
from advisor.present.job_picture import job_picture
from advisor.recommend.switches import Switch
from advisor.workload.workload import with_training
from tests.gui import fakes
from tests.gui.conftest import renew
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.recommend.switches import SwitchKind
    from advisor.store.advice_record import AdviceRecord

GAINS: dict[SwitchKind, float] = {"compile": 1.25, "fused_optimizer": 1.1, "optimizer_8bit": 1.05}


def with_switches() -> AdviceRecord:
    """The synthetic advice with three switches of made-up gains."""
    advice = fakes.advice()
    main = advice.recommendation
    assert main is not None
    switches = tuple(
        Switch(
            kind=kind,
            device_key=main.device.key,
            device_name=main.device.name,
            count=main.count,
            strategy=main.strategy,
            batch_size_per_device=main.batch_size_per_device,
            gradient_accumulation_steps=main.gradient_accumulation_steps,
            step_s=main.step_s.scaled(1 / gain),
            gain=Estimate(value=gain, low=gain * 0.9, high=gain * 1.1, basis="specified"),
            peak_memory_bytes=main.peak_memory_bytes,
            saved_bytes=0.0,
            fits=True,
        )
        for kind, gain in GAINS.items()
    )
    return msgspec.structs.replace(advice, switches=switches)


@pytest.fixture
def page(window: MainWindow, session: Session, qtbot: QtBot) -> AdvicePage:
    session.show_recorded(with_switches())
    window.resize(1280, 800)
    return shown_page(window, "advice", AdvicePage, qtbot)


def chart(page: AdvicePage) -> JobChart:
    found = page.findChild(JobChart)
    assert isinstance(found, JobChart)
    return found


def words(page: AdvicePage) -> str:
    return "\n".join(one.text() for one in page.findChildren(QLabel) if one.isVisible())


def test_the_picture_lies_above_the_fold(page: AdvicePage, qtbot: QtBot) -> None:
    qtbot.wait(20)
    drawn = chart(page)
    bottom = drawn.mapTo(page.window(), QPoint(0, drawn.height())).y()
    assert bottom <= 800


def test_the_picture_holds_this_machine_and_every_device_that_was_compared(page: AdvicePage) -> None:
    advice = page.session.advice
    assert advice is not None
    assert page._picture is not None
    rows = page._picture.rows
    assert any(row.here for row in rows)
    assert sum(row.advised for row in rows) == 1
    times = [row.prediction.job_s.value for row in rows if not row.refused and row.prediction.job_s]
    assert times == sorted(times)
    for row, drawn in zip(rows, chart(page)._rows, strict=True):
        assert (drawn.at is None) == row.refused
        assert drawn.at is None or 0 < drawn.low <= drawn.at <= drawn.high < 1


def test_a_click_on_a_row_shows_its_figures_and_the_way_back(page: AdvicePage) -> None:
    assert page._picture is not None
    place = next(number for number, row in enumerate(page._picture.rows) if not row.advised and not row.refused)
    one = page._picture.rows[place].prediction
    at = QPoint(chart(page).width() // 2, place * ROW + ROW // 2)
    QTest.mouseClick(chart(page), Qt.MouseButton.LeftButton, pos=at)
    assert page._picked is one
    assert short_set_up(one, page.texts) in "\n".join(label.accessibleName() for label in page.findChildren(QLabel))
    page._back()
    assert page._picked is None


def test_the_arrow_keys_walk_through_the_rows(page: AdvicePage) -> None:
    drawn = chart(page)
    drawn.setFocus()
    first = drawn._current
    QTest.keyClick(drawn, Qt.Key.Key_Down if first == 0 else Qt.Key.Key_Up)
    assert abs(drawn._current - first) == 1
    assert page._picked is not None


def test_a_switch_moves_the_advised_row_at_once(page: AdvicePage) -> None:
    card = page.findChild(SwitchesCard)
    assert isinstance(card, SwitchesCard)
    advice = page.session.advice
    assert advice is not None
    assert advice.recommendation is not None
    assert advice.recommendation.job_s is not None
    box = card._boxes["compile"]
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    moved = chart(page)._switched
    assert moved is not None
    assert moved.text == page.texts.duration(advice.recommendation.job_s.value / GAINS["compile"])
    assert moved.low < (moved.at or 0.0) < moved.high
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert chart(page)._switched is None


def test_switches_that_exclude_each_other_are_never_both_on(page: AdvicePage) -> None:
    card = page.findChild(SwitchesCard)
    assert isinstance(card, SwitchesCard)
    card._boxes["fused_optimizer"].setChecked(True)
    card._boxes["compile"].setChecked(True)
    card._boxes["optimizer_8bit"].setChecked(True)
    assert {one.kind for one in card.on} == {"compile", "optimizer_8bit"}


def test_a_disturbed_measurement_is_said_in_one_line_with_its_remedy(
    window: MainWindow, session: Session, qtbot: QtBot, page: AdvicePage
) -> None:
    assert page.findChild(Strip) is None
    advice = with_switches()
    disturbed = [
        msgspec.structs.replace(
            one,
            steps=tuple(msgspec.structs.replace(step, verdict=Verdict(kind="contended")) for step in one.steps),
        )
        for one in advice.measurements
    ]
    doubted = Reason.of("caveat-measurement-contended", device="AMD EPYC")
    caveats = (doubted, *advice.caveats)
    session.show_recorded(msgspec.structs.replace(advice, measurements=tuple(disturbed), caveats=caveats))
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert isinstance(page.findChild(Strip), Strip)
    told = "Other programs used AMD EPYC while it was measured"
    assert words(page).count(told) == 1  # Above the figures, and not once more among what to beware of.
    assert "Stop them and measure again." in words(page)
    assert any(not row.trusted for row in chart(page)._rows)
    assert window.current == "advice"


def test_a_card_that_alone_holds_no_step_stands_in_the_picture_with_as_few_as_do(
    window: MainWindow, session: Session, qtbot: QtBot, page: AdvicePage
) -> None:
    advice = with_switches()
    key = "rtx3090"
    alone = tuple(
        msgspec.structs.replace(one, fits=False) if one.device.key == key and one.count == 1 else one
        for one in advice.predictions
    )
    entered = tuple(place for place in advice.best_set_ups if alone[place].fits is not False)
    others = tuple(one for one in advice.alternatives if one.device_key != key)
    session.set_advice(msgspec.structs.replace(advice, predictions=alone, best_set_ups=entered, alternatives=others))
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert window.current == "advice"
    assert "2 × RTX 3090" in [row.name for row in chart(page)._rows]


def test_each_card_stands_in_the_picture_though_ties_fill_it(
    window: MainWindow, session: Session, qtbot: QtBot, page: AdvicePage
) -> None:
    advice = with_switches()
    keys = {one.device.key for one in advice.predictions}
    ties = tuple(msgspec.structs.replace(one, tied=True) for one in advice.alternatives)
    assert len({(one.device_key, one.count) for one in ties}) + len(keys) > len(chart(page)._rows)
    session.set_advice(msgspec.structs.replace(advice, alternatives=ties))
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert window.current == "advice"
    picture = job_picture(page._advice)
    assert picture is not None
    assert {row.prediction.device.key for row in picture.rows} == keys


def test_the_tip_of_a_row_says_how_many_batches_one_step_gathers(
    window: MainWindow, session: Session, qtbot: QtBot, page: AdvicePage
) -> None:
    advice = with_switches()
    twice = tuple(
        msgspec.structs.replace(one, gradient_accumulation_steps=2) if one.count == 1 else one
        for one in advice.predictions
    )
    session.set_advice(msgspec.structs.replace(advice, predictions=twice))
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    assert window.current == "advice"
    tips = {row.detail.partition(" · ")[0].endswith("× 2"): row.tip for row in chart(page)._rows}
    assert "per device, gradients of 2 batches accumulated, global batch" in tips[True]
    assert "per device, global batch" in tips[False]


def test_a_rate_says_of_what_it_is_one(page: AdvicePage) -> None:
    figures = [one for one in page.findChildren(KeyFigure) if one.isVisible()]
    (rate,) = (one for one in figures if one._name == "Throughput")
    assert rate._unit.text() == "samples/s"
    assert rate._below.full_text().endswith(" /s")
    assert "samples/s (" in chart(page)._rows[0].tip
    window = page.window()
    window.resize(960, 620)
    assert rate._unit.width() >= rate._unit.sizeHint().width()


def test_three_reasons_are_read_and_the_others_come_when_asked_for(page: AdvicePage, qtbot: QtBot) -> None:
    cards = [one for one in page.findChildren(SentencesCard) if one._others]
    assert cards
    card = cards[0]
    before = len([one for one in card.findChildren(QLabel) if one.isVisible() and one.text() != "•"])
    assert before == FIRST + 1
    card.more.click()
    qtbot.wait(5)
    after = len([one for one in card.findChildren(QLabel) if one.isVisible() and one.text() != "•"])
    assert after == before + len(card._others)


def test_the_picture_card_says_every_row_to_a_screen_reader(page: AdvicePage) -> None:
    card = page.findChild(PictureCard)
    assert isinstance(card, PictureCard)
    told = card.chart.accessibleDescription()
    assert all(row.name in told and row.text in told for row in card.chart._rows)


def test_chinese_sentences_follow_each_other_without_a_space(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    window.settings.store("language", "zh")
    renew(window)
    session.show_recorded(fakes.advice())
    page = shown_page(window, "advice", AdvicePage, qtbot)
    (card,) = page.findChildren(PictureCard)
    told = [one.text() for one in card.findChildren(QLabel) if "。" in one.text()]
    assert told
    assert not any("。 " in text for text in told)


def test_a_tie_tells_this_machines_card_from_the_one_of_the_table(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    advice = fakes.advice()
    main = advice.recommendation
    assert main is not None
    known = {one.device.key: one.device for one in advice.predictions}
    tied = msgspec.structs.replace(main, tied_with=(known[fakes.FIRST], known["rtx4090"]))
    session.show_recorded(msgspec.structs.replace(advice, recommendation=tied))
    assert "to RTX 4090 · here, RTX 4090." in words(shown_page(window, "advice", AdvicePage, qtbot))
    gone = msgspec.structs.replace(known["rtx4090"], key="gone", name="NVIDIA GeForce RTX 9999")
    tied = msgspec.structs.replace(main, tied_with=(gone,))
    session.show_recorded(msgspec.structs.replace(advice, recommendation=tied))
    assert "to RTX 9999." in words(shown_page(window, "advice", AdvicePage, qtbot))


@pytest.mark.parametrize("added", [True, False])
def test_checkpointing_that_was_switched_on_stands_beside_the_set_up(
    window: MainWindow, session: Session, qtbot: QtBot, *, added: bool
) -> None:
    advice = fakes.advice()
    assert advice.recommendation is not None
    changed = msgspec.structs.replace(advice.recommendation, checkpointing_added=added)
    session.show_recorded(msgspec.structs.replace(advice, recommendation=changed))
    found = shown_page(window, "advice", AdvicePage, qtbot)
    assert ("activation checkpointing" in words(found).replace("\N{NO-BREAK SPACE}", " ")) is added


@pytest.mark.parametrize("compiled", [True, False])
def test_what_the_workload_switches_on_stands_beside_the_set_up(
    window: MainWindow, session: Session, qtbot: QtBot, *, compiled: bool
) -> None:
    advice = fakes.advice()
    changed = with_training(advice.workload, compile=compiled)
    session.show_recorded(msgspec.structs.replace(advice, workload=changed))
    found = shown_page(window, "advice", AdvicePage, qtbot)
    assert ("Switched on: torch.compile" in words(found)) is compiled


def on_larger_cards(advice: AdviceRecord) -> tuple[Switch, ...]:
    """That one card of another kind would hold all of it."""
    (first, *_) = with_switches().switches
    held = {"kind": "larger_cards", "device_name": "Great Card", "count": 1, "gain": None, "precision": "bf16_amp"}
    return (msgspec.structs.replace(first, **held), *advice.switches)


def texts_of(card: SentencesCard) -> str:
    return " ".join(label.text() for label in card.findChildren(QLabel))


@pytest.mark.parametrize(("advised", "told"), [("plain", False), ("makeshift", True), ("nothing", True)])
def test_what_would_help_is_told_where_a_makeshift_or_nothing_is_advised(
    advised: str, told: bool, window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    advice = with_switches()
    main = advice.recommendation
    assert main is not None
    made = {"plain": main, "makeshift": msgspec.structs.replace(main, strategy="fsdp_offload"), "nothing": None}
    session.show_recorded(
        msgspec.structs.replace(
            advice, switches=on_larger_cards(advice), recommendation=made[advised], recommendation_local=None
        )
    )
    page = shown_page(window, "advice", AdvicePage, qtbot)
    shown = [texts_of(card) for card in page.findChildren(SentencesCard)]
    assert any(text.startswith("What would help") and "One Great Card" in text for text in shown) is told
