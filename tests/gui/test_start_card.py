"""The card that one begins with: names of people, a search over all cards, a form for one's own, the last advice."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from advisor.catalogue.spec_table import read_gpu_file, spec_table
from advisor.core.errors import UserFacingError
from advisor.cost.operators.device_rates import missing_figures
from advisor.gui.files.own_cards import keep_cards
from advisor.gui.job_request import ask_for
from advisor.gui.jobs.answers import request_of
from advisor.gui.local_time import local_moment
from advisor.gui.pages.machine_page import MachinePage
from advisor.gui.start.own_card import OwnCardDialog
from advisor.gui.texts import Texts
from advisor.gui.widgets.notice import Notice
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.at_the_window import strike_key
from tests.gui.conftest import renew
from tests.gui.test_at_the_window import active

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings
    from advisor.gui.start.start_card import StartCard


def kept_keys(settings: Settings) -> tuple[str, ...] | None:
    return settings.gpu_keys


def test_models_are_chosen_by_their_names(card: StartCard, session: Session, qtbot: QtBot) -> None:
    assert card.model.currentText() == "BERT-base on SST-2"
    names = [card.model.itemText(place) for place in range(card.model.count())]
    assert "MLP on iris" in names
    assert not [name for name in names if "_" in name]
    with qtbot.waitSignal(session.described.changed, timeout=120_000):
        card.model.setCurrentIndex(names.index("MLP on iris"))
        card.model.activated.emit(names.index("MLP on iris"))
    assert session.described.reference == "iris_mlp"
    assert card.model.currentText() == "MLP on iris"


def test_a_card_is_found_by_what_is_typed_and_asked_for(
    card: StartCard, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    usual = card.chips.keys
    assert len(usual) == 5
    card.chips.search.setText("h200")  # typed keys would open a popup, of which the offscreen platform complains
    QTest.keyClick(card.chips.search, Qt.Key.Key_Return)
    added = card.chips.keys[-1]
    assert "H200" in spec_table()[added].name
    assert kept_keys(settings) == (*usual, added)
    assert session.described.workload is not None
    ask = ask_for(session.described.workload, settings, measure=False, allow_code=False)
    assert request_of(ask).gpu_keys == (*usual, added)
    chip = next(one for one in card.chips.findChildren(QToolButton) if "H200" in one.text())
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert card.chips.keys == usual
    assert kept_keys(settings) is None
    qtbot.wait(1)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_few_cards_that_are_found_are_all_shown(card: StartCard, qtbot: QtBot) -> None:
    completer = card.chips.search.completer()
    QTest.keyClicks(card.chips.search, "h1")
    listed = completer.popup()
    assert listed is not None
    qtbot.waitUntil(listed.isVisible)
    assert completer.completionCount() > 1
    assert listed.verticalScrollBar().maximum() == 0
    listed.hide()


def test_a_card_that_nobody_makes_is_told_as_unknown_until_something_else_is_typed(card: StartCard) -> None:
    usual = card.chips.keys
    card.chips.search.setText("acme x1")
    QTest.keyClick(card.chips.search, Qt.Key.Key_Return)
    assert card.chips.keys == usual
    assert "acme x1" in card.chips._trouble.text()
    assert card.chips._trouble.isVisible()
    card.chips.search.setText("")
    assert not card.chips._trouble.isVisible()


def test_the_last_card_stays(card: StartCard) -> None:
    for key in card.chips.keys:
        card.chips.remove(key)
    assert len(card.chips.keys) == 1
    (chip,) = card.chips._chips
    assert "✕" not in chip.text()
    assert "at least" in chip.toolTip()


def test_cards_are_left_out_by_keyboard_one_after_the_other(card: StartCard, window: MainWindow, qtbot: QtBot) -> None:
    active(window, qtbot)
    keys = card.chips.keys
    card.model.setFocus()
    while window.focusWidget() is not card.chips._chips[0]:
        strike_key(window, Qt.Key.Key_Tab)
        assert window.focusWidget() is not card.chips.search  # The chips stand before it.
    strike_key(window, Qt.Key.Key_Tab)
    for _ in range(len(keys) - 1):
        strike_key(window, Qt.Key.Key_Space)
        assert window.focusWidget() in card.chips._chips
    assert card.chips.keys == keys[:1]
    strike_key(window, Qt.Key.Key_Tab)
    assert window.focusWidget() is card.chips.search


def test_a_card_of_ones_own_is_kept_and_asked_for(
    window: MainWindow, settings: Settings, session: Session, tmp_path: Path
) -> None:
    session.described.choose(load_workload("bert_base_sst2"))
    dialog = OwnCardDialog(window, Texts("en"), settings)
    for name, text in (("name", "Acme X1"), ("memory-bytes", "48"), ("source", "data sheet")):
        dialog.fields[name].setText(text)
    dialog.accept()
    assert [name for name, line in dialog.fields.items() if line.message.text() == "needed"] == [
        "memory-bandwidth-bytes-per-s",
        "boost-clock-hz",
        "fp32-flop-per-s",
        "compute-capability",
        "sm-count",
    ]
    assert not settings.text("gpu_file")
    figures = {"memory-bandwidth-bytes-per-s": "900", "fp32-flop-per-s": "40", "fp16-flop-per-s": "160"}
    figures |= {"compute-capability": "8.9", "sm-count": "100", "boost-clock-hz": "2500"}
    for name, text in figures.items():
        dialog.fields[name].setText(text)
    dialog.fields["power-w"].setText("300")
    dialog.fields["fp16-flop-per-s"].setText("many")
    dialog.accept()
    assert dialog.fields["fp16-flop-per-s"].message.text() == "not a number"
    assert not settings.text("gpu_file")
    dialog.fields["fp16-flop-per-s"].setText("160")
    dialog.accept()
    assert settings.gpu_file == tmp_path / "my_gpus.toml"
    spec = read_gpu_file(tmp_path / "my_gpus.toml")[dialog.key]
    assert (spec.name, spec.memory_bytes, spec.fp16_flop_per_s) == ("Acme X1", 48 * 2**30, 160e12)
    assert (spec.sm_count, spec.boost_clock_hz) == (100, 2.5e9)
    assert missing_figures(spec, "fp16_amp") is None  # All that a prediction needs was asked for.
    settings.store("gpu_keys", dialog.key)
    assert session.described.workload is not None
    request = request_of(ask_for(session.described.workload, settings, measure=False, allow_code=False))
    assert [one.key for one in request.extra_specs] == ["my-acme-x1"]


def test_a_card_of_amd_is_described_by_its_target_and_its_compute_units(
    window: MainWindow, settings: Settings, tmp_path: Path
) -> None:
    dialog = OwnCardDialog(window, Texts("en"), settings)
    figures = {"name": "Instinct X", "memory-bytes": "128", "memory-bandwidth-bytes-per-s": "3200", "source": "sheet"}
    figures |= {"fp32-flop-per-s": "45.3", "fp16-flop-per-s": "362", "boost-clock-hz": "1700", "sm-count": "208"}
    for name, text in {**figures, "compute-capability": "CDNA2"}.items():
        dialog.fields[name].setText(text)
    dialog.accept()
    assert "gfx90a" in dialog.fields["compute-capability"].message.text()
    dialog.fields["compute-capability"].setText("GFX90A")
    dialog.accept()
    spec = read_gpu_file(tmp_path / "my_gpus.toml")[dialog.key]
    assert (spec.compute_capability, spec.amdgpu_target, spec.sm_count) == (None, "gfx90a", 208)
    assert missing_figures(spec, "fp16_amp") is None
    again = OwnCardDialog(window, Texts("en"), settings, spec)
    assert again.fields["compute-capability"].text() == "gfx90a"
    again.fields["compute-capability"].setText("9.0")
    again.accept()
    changed = read_gpu_file(tmp_path / "my_gpus.toml")[dialog.key]
    assert (changed.compute_capability, changed.amdgpu_target) == ("9.0", None)


def test_the_answers_stay_on_the_screen_when_each_field_says_what_is_wrong(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    dialog = OwnCardDialog(window, Texts("zh"), settings)
    dialog.show()
    qtbot.waitExposed(dialog)
    bar = dialog.scrolled.verticalScrollBar()
    assert bar.maximum() == 0
    room, before = dialog.screen().availableGeometry(), dialog.height()
    dialog.move(0, 150)
    for line in dialog.fields.values():
        line.setText("no such figure" * 9)
    dialog.fields["name"].clear()
    dialog.accept()
    qtbot.waitUntil(lambda: dialog.height() > before)
    qtbot.waitUntil(lambda: dialog.frameGeometry().bottom() <= room.bottom())
    saving = dialog.accepting.mapToGlobal(dialog.accepting.rect().bottomLeft())
    assert room.contains(saving)
    first = dialog.fields["name"]
    assert dialog.scrolled.viewport().rect().contains(first.mapTo(dialog.scrolled.viewport(), first.rect().center()))


def test_a_bad_card_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    row = {"key": "my-a", "name": "A", "source": "s", "checked": "2026-01-01", "memory_bytes": 1e10}
    row |= {"memory_bandwidth_bytes_per_s": 1e11, "fp32_flop_per_s": 1e13, "fp16_flop_per_s": 1e13}
    keep_cards(path, [row])
    before = path.read_bytes()
    with pytest.raises(UserFacingError):
        keep_cards(path, [{**row, "key": "my-b", "memory_bytes": -1.0}])
    assert path.read_bytes() == before
    keep_cards(path, [{**row, "key": "my-b"}])
    assert list(read_gpu_file(path)) == ["my-a", "my-b"]


def test_a_card_of_ones_own_is_changed_and_deleted_in_the_window(
    card: StartCard, settings: Settings, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, chips = tmp_path / "own.toml", card.chips
    row = {"key": "my-a_b", "name": "A_B", "source": "file_1", "checked": "2026-01-01", "memory_bytes": 1e10}
    row |= {"memory_bandwidth_bytes_per_s": 1e11, "fp32_flop_per_s": 8.258e13, "nvml_names": ["NVIDIA A_B"]}
    row |= {"compute_capability": "8.9", "sm_count": 100, "boost_clock_hz": 2.5e9}
    keep_cards(path, [row])
    keep_cards(path, [{**row, "key": "my-other", "name": "Other", "nvml_names": []}])
    before = read_gpu_file(path)
    settings.store("gpu_file", str(path))
    settings.store("gpu_keys", "my-a_b,my-other")
    chips.reload()
    qtbot.waitUntil(lambda: chips.loaded and chips.mine.isVisible(), timeout=120_000)
    offers = chips._offers
    assert offers is not None
    assert offers.own == ("my-a_b", "my-other")

    def change(dialog: OwnCardDialog) -> int:
        assert dialog.fields["fp32-flop-per-s"].text() == "82.58"
        dialog.fields["memory-bytes"].setText("24")
        dialog.fields["name"].setText("Other")
        dialog.accept()
        assert "called Other already" in dialog._problem.text()
        dialog.fields["name"].setText("C_D")
        dialog.accept()
        return dialog.result()

    monkeypatch.setattr(OwnCardDialog, "exec", change)
    chips._describe_own(offers.cards["my-a_b"])
    changed = read_gpu_file(path)
    today = changed["my-a_b"].checked
    assert list(changed) == ["my-a_b", "my-other"]
    assert changed["my-a_b"] == msgspec.structs.replace(
        before["my-a_b"], name="C_D", memory_bytes=24 * 2**30, checked=today
    )
    assert kept_keys(settings) == ("my-a_b", "my-other")

    def delete(dialog: OwnCardDialog) -> int:
        dialog._delete()
        return dialog.result()

    monkeypatch.setattr(OwnCardDialog, "exec", delete)
    for key, left in (("my-a_b", ("my-other",)), ("my-other", None)):
        monkeypatch.setattr("advisor.gui.start.own_card.confirmed", lambda *_words: False)
        qtbot.waitUntil(lambda: chips.loaded, timeout=120_000)
        chips._describe_own(changed[key])
        assert key in read_gpu_file(path)
        monkeypatch.setattr("advisor.gui.start.own_card.confirmed", lambda *_words: True)
        chips._describe_own(changed[key])
        assert kept_keys(settings) == left
    assert not path.exists()
    assert settings.gpu_file is None
    qtbot.waitUntil(lambda: chips.loaded and not chips.mine.isVisible(), timeout=120_000)
    assert len(chips.keys) == 5


def test_whoever_has_one_card_is_advised_one(card: StartCard, session: Session, settings: Settings) -> None:
    workload = session.described.workload
    assert workload is not None

    def asked_counts() -> tuple[int, ...]:
        return request_of(ask_for(workload, settings, measure=False, allow_code=False)).counts

    assert (card.most.currentText(), asked_counts()) == ("up to 8 of each", (1, 2, 4, 8))
    QTest.keyClick(card.most, Qt.Key.Key_Home)
    assert (card.most.currentText(), asked_counts()) == ("one of each", (1,))
    QTest.keyClick(card.most, Qt.Key.Key_Down)
    assert (card.most.currentText(), asked_counts()) == ("up to 2 of each", (1, 2))
    QTest.keyClick(card.most, Qt.Key.Key_End)
    QTest.keyClick(card.most, Qt.Key.Key_Up)  # Last comes a number for each.
    assert (settings.text("most_cards"), asked_counts()) == ("", (1, 2, 4, 8))


def test_how_many_cards_there_are_is_remembered(card: StartCard, window: MainWindow, settings: Settings) -> None:
    QTest.keyClick(card.most, Qt.Key.Key_Home)
    window.commands.choose("language", "zh")
    renew(window)
    page = window.page("machine")
    assert isinstance(page, MachinePage)
    assert (page.start.most.currentText(), settings.most_cards) == ("每款一块", 1)


def test_the_last_advice_stands_below_the_button(card: StartCard, session: Session, window: MainWindow) -> None:
    assert not card._last.isVisible()
    session.set_advice(fakes.advice())
    assert card._last.isVisible()
    assert "BERT-base on SST-2" in card._last.text()
    QTest.mouseClick(card._last, Qt.MouseButton.LeftButton)
    assert window.current == "advice"


def test_moments_are_told_in_the_time_of_the_place() -> None:
    east = timezone(timedelta(hours=8))
    assert local_moment("2026-11-21T20:30:00Z", east) == "2026-11-22 04:30"
    assert local_moment("no time") == "no time"


def test_while_the_hardware_is_looked_at_the_start_card_is_as_high_as_what_it_holds(
    window: MainWindow, card: StartCard, qtbot: QtBot
) -> None:
    window.resize(1280, 1000)
    page = window.page("machine")
    assert isinstance(page, MachinePage)
    page._show_loading()
    qtbot.waitUntil(lambda: 0 < card.height() - card.predict.mapTo(card, card.predict.rect().bottomLeft()).y() < 80)
    qtbot.waitUntil(lambda: any(one.isVisible() for one in page.findChildren(Notice)))
    (notice,) = (one for one in page.findChildren(Notice) if one.isVisible())
    assert notice.mapTo(page, QPoint()).y() == card.mapTo(page, QPoint()).y()
