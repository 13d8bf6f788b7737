"""The runs of the history in the narrowest window: all of them are read without scrolling sideways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from advisor.gui.history_access import keep
from advisor.gui.pages.history_page import HistoryPage
from advisor.gui.widgets.labels import in_two_lines
from tests.gui.conftest import renew
from tests.gui.cut_texts import cut_texts
from tests.present.recorded import recorded

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.settings import Settings

_CELL_MARGIN = 22
"""Pixels of a cell that its text leaves free."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_in_the_narrowest_window_names_of_runs_go_on_in_a_second_line(
    window: MainWindow, settings: Settings, qtbot: QtBot, language: str
) -> None:
    settings.store("language", language)
    renew(window)
    advice = recorded()
    assert advice.main is not None
    device = msgspec.structs.replace(advice.main.device, name="NVIDIA H100 PCIe 80 GB")
    several = msgspec.structs.replace(advice.main, device=device, count=4, strategy="ddp")
    workload = msgspec.structs.replace(advice.workload, name="RoBERTa-large classification")
    keep(
        settings.history_folder,
        msgspec.structs.replace(advice, workload=workload, recommendation=several, recommendation_local=None),
    )
    window.resize(960, 620)
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    qtbot.waitUntil(lambda: hasattr(page, "_table") and not page.busy and page._table.width() > 600, timeout=60_000)
    table = page._table
    assert table.horizontalScrollBar().maximum() == 0
    assert cut_texts(page) == []
    width = table.fontMetrics().horizontalAdvance
    for place in (1, 2):
        text = table.table_model.columns[place].text(table.table_model.records[0])
        room = table.columnWidth(place) - _CELL_MARGIN
        assert all(width(line.rstrip()) <= room for line in in_two_lines(text, room, width)), text


@pytest.mark.parametrize(
    ("text", "room", "lines"),
    [
        ("A100 SXM4 40 GB", 12, ("A100 SXM4", "40\u00a0GB")),
        ("2 × RTX 4090 · batch 64", 10, ("2\u00a0×\u00a0RTX", "4090 · batch 64")),
        ("against 2 × A100", 10, ("against", "2\u00a0×\u00a0A100")),
    ],
)
def test_a_name_is_parted_neither_before_its_unit_nor_behind_its_number(
    text: str, room: int, lines: tuple[str, str]
) -> None:
    assert in_two_lines(text, room, len) == lines
