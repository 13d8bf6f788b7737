"""A switch of the advice is set and asked for from where it is told, and one press goes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from advisor.core.records import shared_fields
from advisor.gui.advised.switches import SwitchesCard
from advisor.gui.job_request import ask_for
from advisor.gui.jobs.answers import request_of
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.settings import Settings
from advisor.gui.widgets.notice import Strip
from advisor.recommend.asked import Asked
from advisor.recommend.combined_switches import settings_of
from advisor.recommend.recommendation import Limits
from advisor.workload.workload import with_training
from tests.gui.shown_page import shown_page
from tests.gui.test_advice_picture import with_switches
from tests.gui.test_window import words_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.store.advice_record import AdviceRecord

CHANGES = {"compile": {"compile": True}, "fused_optimizer": {"fused_optimizer": True}, "optimizer_8bit": {}}


def that_set_things() -> AdviceRecord:
    """The synthetic advice, two of whose switches are settings; that of 8 bits stands for one that is none."""
    advice = with_switches()
    switches = tuple(
        msgspec.structs.replace(one, training=with_training(advice.workload, **CHANGES[one.kind]).training)
        for one in advice.switches
    )
    asked = Asked(goal="energy", limits=Limits(max_job_s=7200.0), gpu_keys=("l40s",))
    return msgspec.structs.replace(advice, switches=switches, asked=asked)


@pytest.fixture
def started(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each job that was asked for measures; each is asked for as the advice was."""
    asked: list[bool] = []

    def start(*, measure: bool, asked_as: object) -> None:
        assert window.session.advice is not None
        assert asked_as == window.session.advice.asked
        asked.append(measure)

    monkeypatch.setattr(window.commands, "start", lambda *, measure, asked: start(measure=measure, asked_as=asked))
    return asked


def opened(window: MainWindow, session: Session, qtbot: QtBot, advice: AdviceRecord) -> AdvicePage:
    session.show_recorded(advice)
    window.resize(1280, 800)
    return shown_page(window, "advice", AdvicePage, qtbot)


def card_of(page: AdvicePage) -> SwitchesCard:
    card = page.findChild(SwitchesCard)
    assert isinstance(card, SwitchesCard)
    return card


def back_of(page: AdvicePage) -> QPushButton | None:
    strips = [strip for strip in page.findChildren(Strip) if strip.button.text() == page.texts("switches-back")]
    return strips[0].button if strips else None


def test_what_is_ticked_is_set_and_asked_for_by_key_and_one_press_goes_back(
    window: MainWindow, session: Session, qtbot: QtBot, started: list[bool]
) -> None:
    page = opened(window, session, qtbot, that_set_things())
    before = session.described.workload
    assert before is not None
    assert back_of(page) is None
    card = card_of(page)
    for kind in ("compile", "fused_optimizer"):
        QTest.keyClick(card._boxes[kind], Qt.Key.Key_Space)
    QTest.keyClick(card.buttons[-1], Qt.Key.Key_Space)
    after = session.described.workload
    assert after == with_training(before, compile=True, fused_optimizer=True)
    assert started == [True]  # as the advice was: measured
    qtbot.waitUntil(lambda: not page.filling and back_of(page) is not None, timeout=20_000)
    assert "Switched on from this page: torch.compile, fused optimizer." in words_of(page)
    back = back_of(page)
    assert back is not None
    back.click()
    assert session.described.workload == before
    assert started == [True, True]
    qtbot.waitUntil(lambda: not page.filling and back_of(page) is None, timeout=20_000)


def test_another_edit_is_not_taken_back_in_the_place_of_the_switches(
    window: MainWindow, session: Session, qtbot: QtBot, started: list[bool]
) -> None:
    page = opened(window, session, qtbot, that_set_things())
    card_of(page)._boxes["compile"].click()
    card_of(page).buttons[-1].click()
    workload = session.described.workload
    assert workload is not None
    session.described.edit(with_training(workload, epochs=7), "training.epochs")
    qtbot.waitUntil(lambda: not page.filling and back_of(page) is None, timeout=20_000)
    session.described.undo.undo()
    qtbot.waitUntil(lambda: not page.filling and back_of(page) is not None, timeout=20_000)
    assert started == [True]


def test_what_is_no_setting_is_said_to_be_none_and_asks_for_nothing(
    window: MainWindow, session: Session, qtbot: QtBot, started: list[bool]
) -> None:
    card = card_of(opened(window, session, qtbot, that_set_things()))
    card.buttons[-1].click()
    assert window.statusBar().currentMessage() == "Tick at least one switch above first."
    card._boxes["optimizer_8bit"].click()
    card.buttons[-1].click()
    assert "cannot be switched on from here" in window.statusBar().currentMessage()
    assert started == []
    assert session.described.switched == ()


def test_where_nothing_is_advised_what_would_hold_a_step_has_a_button_of_its_own(
    window: MainWindow, session: Session, qtbot: QtBot, started: list[bool]
) -> None:
    advice = that_set_things()
    (one, *_) = advice.switches
    lora = with_training(advice.workload, trainable="lora", lora_rank=16).training
    held = msgspec.structs.replace(one, kind="lora", gain=None, saved_bytes=None, training=lora)
    unfit = msgspec.structs.replace(held, kind="qlora", fits=False)
    nothing = msgspec.structs.replace(
        advice, switches=(held, unfit), recommendation=None, recommendation_local=None, measurements=()
    )
    page = opened(window, session, qtbot, nothing)
    (button,) = card_of(page).buttons
    assert button.accessibleName() == "Advise with this: LoRA"
    button.click()
    assert session.described.workload is not None
    assert session.described.workload.training.trainable == "lora"
    assert started == [False]


def test_an_old_advice_and_one_without_settings_offer_nothing_to_ask_for(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    advice = with_switches()
    assert settings_of(advice.switches[0], advice.workload.training) == {}
    assert card_of(opened(window, session, qtbot, advice)).buttons == []


def test_another_model_that_was_chosen_meanwhile_is_left_for_that_of_the_advice(
    window: MainWindow, session: Session, qtbot: QtBot, started: list[bool]
) -> None:
    from advisor.workload.workload_file import load_workload

    page = opened(window, session, qtbot, that_set_things())
    session.described.choose(load_workload("resnet50"), reference="resnet50")
    card_of(page)._boxes["compile"].click()
    card_of(page).buttons[-1].click()
    advice = session.advice
    assert advice is not None
    assert session.described.workload == with_training(advice.workload, compile=True)
    assert started == [True]


def test_what_is_asked_again_is_asked_as_before_whatever_the_settings_say(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    settings.store("goal", "cost")
    settings.store("max_hours", 1)
    workload, asked = that_set_things().workload, that_set_things().asked
    ask = ask_for(workload, settings, measure=False, allow_code=False)
    assert request_of(ask).goal == "cost"
    again = request_of(msgspec.structs.replace(ask, asked=asked))
    assert (again.goal, again.limits.max_job_s, again.gpu_keys) == ("energy", 7200.0, ("l40s",))
    assert Asked(**shared_fields(again, Asked)) == asked
