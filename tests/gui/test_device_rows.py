"""From four GPUs on a row each: what is drawn, what the crosshair tells, and what fits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from advisor.gui.models.readings import GAP_S, HOST, ReadingsBuffer
from advisor.gui.plots.device_rows import CURVES, DeviceRows, curve_pixels
from advisor.gui.plots.live_grid import MANY, LiveGrid, processes_text
from advisor.gui.texts import Texts
from advisor.gui.theme import DARK, LIGHT, device_look
from advisor.hardware.machine import GpuProcess
from advisor.present.look import CPU_SERIES
from tests.gui import fakes

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.theme import Theme


def rows_of(qtbot: QtBot, gpu_count: int, *, readings: int = 6000, theme: Theme = LIGHT) -> tuple[LiveGrid, DeviceRows]:
    machine = fakes.machine(gpu_count)
    buffer = ReadingsBuffer()
    buffer.add(fakes.readings(machine, count=readings))
    grid = LiveGrid(theme, Texts("en"), machine, buffer)
    qtbot.addWidget(grid)
    grid.resize(1040, 560)
    grid.show()
    grid.zoom(600.0)
    assert grid.rows is not None
    return grid, grid.rows


def test_below_four_gpus_the_curves_share_their_plots(qtbot: QtBot) -> None:
    grid = LiveGrid(LIGHT, Texts("en"), fakes.machine(MANY - 1), ReadingsBuffer())
    qtbot.addWidget(grid)
    assert grid.rows is None
    assert len(grid.plots) == 6


@pytest.mark.parametrize("gpu_count", [4, 8, 16])
def test_each_gpu_and_the_host_have_a_row_with_every_figure_that_they_tell(qtbot: QtBot, gpu_count: int) -> None:
    _grid, rows = rows_of(qtbot, gpu_count)
    devices = [shown.series.device for shown in rows._devices]
    assert len(devices) == gpu_count + 1
    assert devices[-1] == HOST
    for device in devices[:-1]:
        told = {metric for key, metric in rows._pictures if key == device}
        assert {"utilisation", "memory", "temperature", "clock"} <= told
    assert {metric for key, metric in rows._pictures if key == HOST} == {"utilisation", "memory"}


def test_eight_rows_fit_below_the_head_of_a_page_of_1280_by_800(qtbot: QtBot) -> None:
    _grid, rows = rows_of(qtbot, 8)
    assert rows.sizeHint().height() <= 480


def test_with_larger_letters_rows_are_higher_and_the_crosshair_stands_where_the_mouse_is(qtbot: QtBot) -> None:
    _grid, usual = rows_of(qtbot, 8)
    _grid_too, larger = rows_of(qtbot, 8, theme=replace(LIGHT, zoom=1.5))
    assert larger.sizeHint().height() == round(1.5 * usual.sizeHint().height())
    curve = larger._places()[2][0]
    QTest.mouseMove(larger, QPoint(int(curve.center().x() * 1.5), 90))
    qtbot.waitUntil(lambda: larger.cursor_s is not None)
    assert larger.cursor_s == pytest.approx(-300, abs=8)
    picture = larger._pictures[larger._devices[0].series.device, "memory"]
    assert picture.width() == pytest.approx(1.5 * curve.width(), abs=1.5)


def test_a_device_has_the_colour_that_it_has_everywhere(qtbot: QtBot) -> None:
    _grid, rows = rows_of(qtbot, 8)
    for place, shown in enumerate(rows._devices[:-1]):
        assert (shown.series.colour, shown.series.style) == device_look(LIGHT, place)


def test_the_crosshair_tells_every_value_as_it_was_read(qtbot: QtBot) -> None:
    grid, rows = rows_of(qtbot, 8)
    strip = rows._places()[1]
    QTest.mouseMove(rows, QPoint(int(strip.center().x()), 60))
    qtbot.waitUntil(lambda: rows.cursor_s is not None)
    cursor_s = rows.cursor_s
    assert cursor_s is not None
    assert cursor_s == pytest.approx(-300, abs=4)
    now_s = grid.buffer.last_time_s
    assert now_s is not None
    for shown in rows._devices[:-1]:
        for metric in ("utilisation", *CURVES):
            found = grid.buffer.at(now_s + cursor_s, metric, shown.series.device)
            assert rows.value_of(shown.series.device, metric) == (None if found is None else found[1])
    rows.leaveEvent(None)
    latest = grid.buffer.latest
    assert latest is not None
    assert rows.value_of(rows._devices[0].series.device, "power") == pytest.approx(latest.gpus[0].power_w)


def test_a_row_that_the_legend_has_off_draws_nothing(qtbot: QtBot) -> None:
    grid, rows = rows_of(qtbot, 4)
    before = rows.grab().toImage()
    grid.series[0].shown = False
    grid.redraw()
    assert rows.grab().toImage() != before


def test_what_runs_on_a_gpu_is_said_by_its_largest_process() -> None:
    texts, gpu = Texts("en"), fakes.machine().gpus[0]
    assert processes_text(gpu, texts) == texts("plot-no-processes")
    found = (
        GpuProcess(pid=7, name="/usr/bin/python3", memory_bytes=2**30),
        GpuProcess(pid=8, name="/opt/serve", memory_bytes=12 * 2**30),
    )
    busy = msgspec.structs.replace(gpu, processes=found)
    assert processes_text(busy, texts) == "serve · 12.0 GiB · +1"


def test_columns_keep_the_extremes_and_know_a_gap() -> None:
    buffer = ReadingsBuffer()
    machine = fakes.machine(4)
    made = fakes.readings(machine, count=600)
    late = [msgspec.structs.replace(one, monotonic_s=one.monotonic_s + 30) for one in made[300:]]
    buffer.add([*made[:300], *late])
    start_s, end_s = made[0].monotonic_s - 0.05, late[-1].monotonic_s
    columns = buffer.columns(start_s, end_s, 45)
    row = columns.rows["utilisation", HOST]
    values = [one.cpu_utilisation_fraction for one in made]
    assert np.nanmax(columns.high[row]) == np.float32(max(value for value in values if value is not None))
    assert np.nanmin(columns.low[row]) == np.float32(min(value for value in values if value is not None))
    unknown = np.isnan(columns.low[row]).sum() * (end_s - start_s) / 45
    assert 30 - 3 * GAP_S < unknown < 30


def test_a_curve_covers_as_much_as_its_line_is_wide_and_joins_its_steps() -> None:
    low = np.array([[0.5, 0.5, 0.9, np.nan]], dtype=np.float32)
    pixels = curve_pixels(low, low, np.array([[0x112233]], dtype=np.uint32), 40, 1.0)
    opacity = (pixels >> np.uint32(24)).astype(float)[0]
    line = np.where(opacity > 40, opacity, 0) / 255
    assert line[:, 0].sum() == pytest.approx(1.5, abs=0.2)
    assert line[:, 2].sum() == pytest.approx(0.4 * 38.5 + 1.5, abs=0.6)
    assert (opacity[:, 3] == 0).all()
    assert (pixels & np.uint32(0xFFFFFF) == 0x112233).all()


def test_sixteen_rows_are_reached_by_scrolling(qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QScrollArea

    grid, rows = rows_of(qtbot, 16)
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setWidgetResizable(True)
    area.setWidget(grid)
    area.resize(1040, 500)
    area.show()
    qtbot.waitExposed(area)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    last = rows.mapTo(area.viewport(), QPoint(0, rows.height()))
    assert last.y() <= area.viewport().height() + 20
    assert Qt.ScrollBarPolicy.ScrollBarAsNeeded == area.verticalScrollBarPolicy()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_heat_of_a_strip_is_one_scale_of_no_devices_hue(qtbot: QtBot, theme: Theme) -> None:
    def vivid(colour: QColor) -> int:
        channels = colour.red(), colour.green(), colour.blue()
        return max(channels) - min(channels)

    _grid, rows = rows_of(qtbot, 8, theme=theme)
    heat = [QColor.fromRgb(int(step)) for step in rows._heat]
    away = [abs(colour.lightnessF() - QColor(theme.card).lightnessF()) for colour in heat]
    assert away == sorted(away)
    assert away[-1] > away[0] + 0.5
    assert max(map(vivid, heat)) < min(vivid(QColor(device_look(theme, place)[0])) for place in range(CPU_SERIES))
