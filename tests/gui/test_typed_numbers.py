"""What is typed as a number in a dialog or a cell: read in one way, or said to be wrong beside the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from advisor.catalogue.spec_table import read_gpu_file
from advisor.core.sentences import Reason
from advisor.gui.dialogs.settings_dialog import SettingsDialog
from advisor.gui.job_request import ask_for
from advisor.gui.jobs.answers import request_of
from advisor.gui.models.typed_number import FieldError, typed_number
from advisor.gui.pages.compare_page import ComparePage
from advisor.gui.start.own_card import OwnCardDialog
from advisor.gui.texts import Texts
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12.5", 12.5),
        ("12,5", 12.5),
        ("0,125", 0.125),
        (" 1 500 ", 1500.0),
        ("1,234.5", 1234.5),
        ("1,234,567", 1234567.0),
        ("-3", -3.0),
        ("1e3", 1000.0),
    ],
)
def test_a_number_is_read_as_it_was_meant(text: str, number: float) -> None:
    assert typed_number(text) == number


@pytest.mark.parametrize("text", ["1,500", "19,500", "-1,500"])
def test_what_can_be_read_in_two_ways_is_no_number(text: str) -> None:
    with pytest.raises(FieldError, match="two-readings"):
        typed_number(text)


@pytest.mark.parametrize("text", ["", "abc", "12 W", "1.2.3", "1,2,3", "nan", "inf", "1e400", "1.008,5", "12,34,567"])
def test_what_is_no_finite_number_is_told_so(text: str) -> None:
    with pytest.raises(FieldError, match="not-a-number"):
        typed_number(text)


@pytest.mark.parametrize("typed", ["abc", "-1", "0", "1,500", "1e12", "12 W"])
def test_the_settings_say_beside_the_field_what_is_wrong_and_keep_nothing(
    window: MainWindow, settings: Settings, qtbot: QtBot, typed: str
) -> None:
    dialog = SettingsDialog(window, window.context.texts, settings)
    qtbot.addWidget(dialog)
    dialog.show()
    field = dialog._lines["max_power_w"]
    dialog._lines["max_cost"].setText("7")
    field.setFocus()
    QTest.keyClicks(field, typed)
    assert field.text() == typed  # Nothing that is typed goes unseen.
    assert field.message.isVisible()
    assert field.accessibleDescription() == field.message.text() != ""
    dialog._lines["currency"].setFocus()
    QTest.keyClick(dialog._lines["currency"], Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert dialog.focusWidget() is field
    assert not settings.text("max_cost")
    field.setText("450,5")
    assert not field.message.isVisible()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert (settings.limit("max_power_w"), settings.limit("max_cost")) == (450.5, 7.0)


def test_the_settings_take_no_file_that_is_not_there(
    window: MainWindow, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "prices.toml"
    file.write_text("", encoding="utf-8")
    dialog = SettingsDialog(window, window.context.texts, settings)
    qtbot.addWidget(dialog)
    dialog.show()
    for key, typed in (
        ("price_file", str(tmp_path / "none.toml")),
        ("price_file", "~nobody-of-this-name/p.toml"),
        ("price_file", "x" * 5000),
        ("data_folder", str(file)),
        ("data_folder", str(file / "below")),
    ):
        before = dialog._lines[key].text()
        dialog._lines[key].setText(typed)
        dialog.accept()
        assert dialog.isVisible(), typed[:40]
        assert dialog._lines[key].message.text()
        dialog._lines[key].setText(before)
    dialog._lines["price_file"].setText(str(file))
    dialog.accept()
    assert settings.price_file == file


def test_an_empty_budget_is_the_usual_one_and_an_empty_limit_is_none(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    dialog = SettingsDialog(window, window.context.texts, settings)
    qtbot.addWidget(dialog)
    assert dialog._lines["budget_s"].placeholderText() == "30"
    for field in dialog._lines.values():
        field.setText("")
    dialog.accept()
    assert (settings.budget_s, settings.limit("max_cost"), settings.limit("max_hours")) == (30.0, None, None)


def test_the_memory_of_the_hosts_is_given_in_the_settings_where_a_sentence_says_so(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    def asked() -> float | None:
        ask = ask_for(load_workload("bert_base_sst2"), settings, measure=False, allow_code=False)
        return request_of(ask).host_memory_bytes

    assert asked() is None
    for typed, kept in (("384", 384 * 2.0**30), ("", None)):
        dialog = SettingsDialog(window, window.context.texts, settings)
        qtbot.addWidget(dialog)
        name = dialog._lines["host_memory_gib"].accessibleName()
        assert f'"{name}"' in window.context.texts.say(
            Reason.of("memory-host-assumed-short", need_bytes=2e11, room_bytes=1e11)
        )
        dialog._lines["host_memory_gib"].setText(typed)
        dialog.accept()
        assert asked() == kept
    assert dialog._lines["host_memory_gib"].placeholderText()  # What counts where nothing is given.


def test_the_link_between_the_cards_is_given_in_the_settings_where_a_sentence_says_so(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    def asked() -> str | None:
        ask = ask_for(load_workload("bert_base_sst2"), settings, measure=False, allow_code=False)
        return request_of(ask).interconnect

    assert asked() is None
    for typed, kept in (("nvlink bridge", "nvlink bridge"), ("12 GB/s", "12 GB/s"), ("", None)):
        dialog = SettingsDialog(window, window.context.texts, settings)
        qtbot.addWidget(dialog)
        field = dialog._lines["interconnect"]
        said = window.context.texts.say(Reason.of("scaling-network-unstated", rate_bytes_per_s=1e10))
        assert f'"{field.accessibleName()}"' in said
        field.setText("a wet string")
        dialog.accept()
        assert "NVLink bridge" in field.message.text()
        field.setText(typed)
        dialog.accept()
        assert asked() == kept
    assert field.placeholderText()  # What counts where nothing is given.


def fill(dialog: OwnCardDialog, **other: str) -> None:
    typed = {"name": "Acme X1", "memory-bytes": "48", "memory-bandwidth-bytes-per-s": "900", "fp32-flop-per-s": "40"}
    typed |= {"compute-capability": "8.9", "sm-count": "100", "boost-clock-hz": "2500"}
    typed |= {"source": "data sheet", **{name.replace("_", "-"): text for name, text in other.items()}}
    for name, text in typed.items():
        dialog.fields[name].setText(text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_wrong_figure_of_ones_own_card_is_told_in_the_unit_that_it_is_typed_in(
    window: MainWindow, settings: Settings, language: str, qtbot: QtBot
) -> None:
    dialog = OwnCardDialog(window, Texts(language), settings)  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    for name, typed in (("memory_bytes", "-5"), ("power_w", "1e9"), ("compute_capability", "abc"), ("name", " ")):
        fill(dialog, **{name: typed})
        dialog.accept()
        field = dialog.fields[name.replace("_", "-")]
        assert dialog.isVisible()
        assert dialog.focusWidget() is field
        assert field.message.isVisible()
        assert str(settings.history_folder) not in field.message.text()
        fill(dialog, power_w="300", compute_capability="8.9")
    fill(dialog, memory_bytes="-5")
    assert "0.0094 …" in dialog.fields["memory-bytes"].message.text()
    assert "GiB" in dialog.fields["memory-bytes"].message.text()


def test_a_decimal_comma_is_no_thousand_and_cards_of_other_letters_are_told_apart(
    window: MainWindow, settings: Settings, tmp_path: Path
) -> None:
    for name in ("显卡一", "显卡二"):
        dialog = OwnCardDialog(window, Texts("en"), settings)
        fill(dialog, name=name, fp32_flop_per_s="19,5")
        dialog.accept()
        assert dialog.key
    specs = read_gpu_file(tmp_path / "my_gpus.toml")
    assert sorted(spec.name for spec in specs.values()) == ["显卡一", "显卡二"]
    assert {spec.fp32_flop_per_s for spec in specs.values()} == {19.5e12}


def test_a_price_that_is_none_is_told_below_the_table(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.show_recorded(fakes.advice())
    table = shown_page(window, "compare", ComparePage, qtbot)._table
    first = table.table.shown_records()[0]
    for typed in ("abc", "1,500", "-2", "1e9", "nan"):
        assert not table._set_price(first, typed)
        assert typed in table._refused.text()
        assert not table._refused.isHidden()
    assert session.prices is None
    assert table._set_price(first, "2,5")
    assert table._refused.isHidden()
    assert session.prices_in("USD") == {first.prediction.device.key: 2.5}
