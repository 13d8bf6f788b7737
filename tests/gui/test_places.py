"""Nothing on a page stands alone in a hole: cards are as high as what is in them, and columns end together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QTabBar

from advisor.claims.claim import Claim, ClaimAnswer
from advisor.core.sentences import Reason, sentence
from advisor.core.units import Estimate
from advisor.gui.dialogs.settings_dialog import SettingsDialog
from advisor.gui.jobs.job_state import JobState
from advisor.gui.pages.cases_page import CasesPage
from advisor.gui.pages.measure_page import MeasurePage
from advisor.gui.pages.model_page import ModelPage
from advisor.gui.plots.device_rows import DeviceRows
from advisor.measure.events import DeviceStarted
from advisor.protocol.messages import Memory
from tests.gui import fakes
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session


def test_the_models_card_is_as_high_as_the_source_that_is_shown(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    window.resize(1280, 800)
    page = shown_page(window, "model", ModelPage, qtbot)
    tabs, heights = page.findChildren(QTabBar)[0], []
    for place in (0, 1, 2):
        tabs.setCurrentIndex(place)
        qtbot.wait(20)
        heights.append(page._sources_card.height())
    presets, settings, file = heights
    assert settings < presets - 80
    assert presets < file  # with the least that a file holds
    tabs.setCurrentIndex(0)
    qtbot.wait(20)
    assert page._sources_card.height() == heights[0]
    rows = page._sources_card.preset.list
    assert rows.viewport().height() % rows.sizeHintForRow(0) == 0
    assert abs(page._left.sizeHint().height() - page._right.sizeHint().height()) < 160


def test_rows_of_eight_gpus_begin_right_below_their_head(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.machine = fakes.machine(8)
    session.feed.prepare().add(fakes.readings(session.machine, count=120))
    session.described.choose(fakes.workload())
    window.resize(1280, 1400)
    page = shown_page(window, "measure", MeasurePage, qtbot)

    def drawn() -> DeviceRows | None:
        rows = None if page.grid is None else page.grid.rows
        return None if rows is None or rows._columns is None else rows

    qtbot.waitUntil(lambda: drawn() is not None, timeout=60_000)  # made in a turn of their own, from what was read
    rows = drawn()
    assert rows is not None
    card = rows.parentWidget()
    assert card is not None
    assert card.mapTo(page, card.rect().topLeft()).y() < 300


def test_the_list_of_cases_stays_beside_the_case_that_is_read(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    window.show_page("cases")
    page = window.page("cases")
    assert isinstance(page, CasesPage)
    qtbot.waitUntil(page.isVisible)
    page._beside.setMinimumHeight(3000)
    qtbot.wait(20)
    bar = page.scroll_area.verticalScrollBar()
    for scrolled in (0, 900, bar.maximum()):
        bar.setValue(scrolled)
        shown = page._list.mapTo(page.scroll_area.viewport(), page._list.rect().topLeft()).y()
        assert -1 <= shown <= page.scroll_area.viewport().height() - page._list.height()


def test_a_case_is_named_by_its_title(window: MainWindow) -> None:
    page = window.page("cases")
    assert isinstance(page, CasesPage)
    told = page.texts.say(page._by_title(Reason.of("case-contradicts", case="bert-base-sst2-across-gpus")))
    assert "Fine-tuning BERT-base across five cards" in told
    assert "sst2" not in told
    other = Reason.of("case-contradicts", case="none-of-them")
    assert page._by_title(other) is other


def test_a_claim_of_a_rate_is_drawn_beside_rates_and_one_of_a_time_beside_times(window: MainWindow) -> None:
    page = window.page("cases")
    assert isinstance(page, CasesPage)
    expected = Estimate(value=0.2, low=0.1, high=0.4, basis="specified")
    times = {"verdict": "impossible", "reasons": (), "expected_step_s": expected, "bound_step_s": 0.08}
    of_rate = ClaimAnswer(claim=Claim(samples_per_s=5000), claimed_step_s=0.05, **times)  # type: ignore[arg-type]
    of_time = ClaimAnswer(claim=Claim(step_s=0.05), claimed_step_s=0.05, **times)  # type: ignore[arg-type]
    rates = [bar.estimate for bar in page._bars(of_rate)]
    assert [one.value for one in rates if one] == pytest.approx([5000, 1250, 3125])
    assert rates[1] is not None
    assert (rates[1].low, rates[1].high) == pytest.approx((625, 2500))
    assert all("/s" in bar.text for bar in page._bars(of_rate))
    assert [bar.estimate.value for bar in page._bars(of_time) if bar.estimate] == [0.05, 0.2, 0.08]


def test_what_a_sentence_was_read_as_stands_below_its_verdict(window: MainWindow) -> None:
    page = window.page("cases")
    assert isinstance(page, CasesPage)
    claim = Claim(text="A T4 takes 50 ms a step", gpus=("t4",), step_s=0.05)
    page._show_answer(ClaimAnswer(claim=claim, verdict="plausible", reasons=(), claimed_step_s=0.05))
    shown = [one.text().replace("\xa0", " ") for one in page.findChildren(QLabel)]
    assert "Read as: 50.0 ms a step · T4" in shown


def test_a_batch_size_that_ended_before_its_first_step_has_no_row() -> None:
    state = JobState(measure=True, started_s=0.0)
    started = DeviceStarted(device_key="cpu", device_name="CPU", started_monotonic_s=0.0)
    state.apply([started, Memory(batch_size=8, precision="fp32", peak_allocated_bytes=1, how="resident_set")])
    assert len(state.series) == 1
    assert state.timed == []
    for one in state.series.values():
        one.times_s.append(1.0)
    assert state.step_count == 1


def test_saving_is_what_a_dialog_is_for(window: MainWindow) -> None:
    dialog = SettingsDialog(window, window.context.texts, window.settings)
    primary = [one for one in dialog.findChildren(QPushButton) if one.property("role") == "primary"]
    assert [one.text() for one in primary] == ["Save"]
    assert primary[0].isDefault()
    dialog.show()
    accent = window.context.theme.accent.lower()
    picture = primary[0].grab().toImage()
    assert picture.pixelColor(6, primary[0].height() // 2).name() == accent
    dialog.close()


def test_the_header_of_a_share_tells_shares(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    advice = fakes.advice()
    session.machine = advice.machine
    session.show_recorded(advice)
    window.resize(1280, 800)
    page = shown_page(window, "measure", MeasurePage, qtbot)
    qtbot.waitUntil(lambda: page.grid is not None, timeout=60_000)
    assert page.grid is not None
    share = next(plot for plot in page.grid.plots if plot.of_card)
    size_bytes = share._series[0].memory_bytes
    assert size_bytes is not None
    assert share._short(share._series[0], size_bytes / 4) == "25 %"
    assert share._short(share._series[0], 0.0) == "0 %"


def test_one_epoch_is_no_plural() -> None:
    assert [sentence("advice-epochs", "en", count=count) for count in (1.0, 3.0, 0.5)] == [
        "1 epoch",
        "3 epochs",
        "0.5 epochs",
    ]
