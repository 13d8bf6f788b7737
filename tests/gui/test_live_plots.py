"""Ring buffers, decimation, gaps, shading, export, and memory that does not grow."""

from __future__ import annotations

import csv
import gc
import io
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from advisor.gui.models.readings import HOST, ReadingsBuffer, decimate
from advisor.gui.plots.live_grid import SPANS_S, LiveGrid
from advisor.gui.plots.traces import LINE_PIXELS, draw_curve, polygons, thin_pen
from advisor.gui.texts import Texts
from advisor.gui.theme import DARK, LIGHT, device_look
from tests.gui import fakes
from tests.leftovers import leftovers, needs_proc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture
def full_buffer() -> ReadingsBuffer:
    buffer = ReadingsBuffer()
    buffer.add(fakes.readings(fakes.machine()))
    return buffer


def grid_of(qtbot: QtBot, buffer: ReadingsBuffer, gpu_count: int = 2) -> LiveGrid:
    grid = LiveGrid(LIGHT, Texts("en"), fakes.machine(gpu_count), buffer)
    qtbot.addWidget(grid)
    grid.resize(1040, 620)
    grid.show()
    return grid


def test_the_buffer_keeps_the_newest_ten_minutes_in_order() -> None:
    buffer = ReadingsBuffer(capacity=100)
    buffer.add(fakes.readings(fakes.machine(), count=250)[:250])
    times = buffer.times()
    assert len(times) == 100
    assert (np.diff(times) > 0).all()
    assert times[-1] == buffer.last_time_s


def test_an_unknown_figure_is_nan_and_never_zero(full_buffer: ReadingsBuffer) -> None:
    assert full_buffer.devices("power") == [fakes.FIRST]
    assert np.isnan(full_buffer.values("power", fakes.SECOND)).all()


def test_decimation_keeps_the_extremes_of_every_bucket() -> None:
    times = np.arange(6000) / 10.0
    values = np.zeros(6000, dtype=np.float32)
    values[1234] = 7.0
    values[4321] = -3.0
    x, y = decimate(times, values, 0.0, 600.0)
    assert len(x) == len(y) <= 3 * 300
    assert y.max() == 7.0
    assert y.min() == -3.0


def test_a_reading_stays_in_its_bucket_while_the_axis_moves_on() -> None:
    times = np.arange(6000) / 10.0
    values = np.sin(times).astype(np.float32)
    first, later = decimate(times, values, 0.0, 590.0), decimate(times, values, 1.3, 591.3)
    known = set(zip(*first, strict=True))
    again = [point in known for point in zip(*later, strict=True)]
    assert all(again[2:-8])


def test_all_figures_are_thinned_as_each_one_alone(full_buffer: ReadingsBuffer) -> None:
    now_s = full_buffer.last_time_s
    assert now_s is not None
    frame = full_buffer.frame(now_s - 600, now_s)
    x, y = decimate(full_buffer.times(), full_buffer.values("power", fakes.FIRST), now_s - 600, now_s)
    together = frame.of("power", fakes.FIRST)
    assert together is not None
    assert np.array_equal(frame.x, x, equal_nan=True)
    assert np.array_equal(together, y, equal_nan=True)
    assert frame.of("power", fakes.SECOND) is None


def test_few_points_are_drawn_as_they_are() -> None:
    times = np.arange(60.0)
    values = np.linspace(0, 1, 60, dtype=np.float32)
    x, y = decimate(times, values, 0.0, 60.0)
    assert len(x) == 60
    assert np.allclose(y, values)


def test_a_pause_of_the_monitor_is_a_gap(full_buffer: ReadingsBuffer) -> None:
    now_s = full_buffer.last_time_s
    assert now_s is not None
    _x, y = decimate(full_buffer.times(), full_buffer.values("utilisation", HOST), now_s - 600, now_s)
    assert np.isnan(y).sum() == 1


def test_eight_gpus_have_eight_different_looks() -> None:
    for theme in (LIGHT, DARK):
        looks = {device_look(theme, index) for index in range(8)}
        assert len(looks) == 8
        assert device_look(theme, None)[0] not in {colour for colour, _style in looks}


@pytest.mark.parametrize("gpu_count", [0, 1, 2, 8])
def test_no_plot_is_empty(qtbot: QtBot, gpu_count: int) -> None:
    machine = fakes.machine(gpu_count)
    buffer = ReadingsBuffer()
    buffer.add(fakes.readings(machine, count=300))
    grid = LiveGrid(LIGHT, Texts("en"), machine, buffer)
    qtbot.addWidget(grid)
    grid.show()
    grid.redraw()
    for plot in grid.plots:
        assert any(np.isfinite(y).any() for _pen, _x, y in plot.traces.drawn)


def test_the_span_stays_as_it_is_named_until_a_person_chooses_another(
    qtbot: QtBot, full_buffer: ReadingsBuffer
) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.redraw()
    assert full_buffer.times()[-1] - full_buffer.times()[0] > 500.0
    assert grid.span_s == 60.0
    assert [button.text() for button in grid._span_buttons if button.isChecked()] == ["1 min"]


def test_pausing_keeps_the_picture_and_zooming_changes_the_span(qtbot: QtBot, full_buffer: ReadingsBuffer) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.redraw()
    grid.pause_button.setChecked(True)
    assert grid.paused_at_s == full_buffer.last_time_s
    grid.zoom(60.0)
    low, high = grid.plots[0].plot.box.viewRange()[0]
    assert low == pytest.approx(-60.0, rel=0.01)
    assert high == 0.0
    grid.pause_button.setChecked(False)
    assert grid.paused_at_s is None


def test_a_device_can_be_switched_off_in_the_one_legend(qtbot: QtBot, full_buffer: ReadingsBuffer) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.redraw()
    before = [len(plot.traces.drawn) for plot in grid.plots]
    grid._show(grid.series[0], shown=False)
    fewer = [int(any(one.device == fakes.FIRST for one in plot._series)) for plot in grid.plots]
    assert [len(plot.traces.drawn) for plot in grid.plots] == [
        count - gone for count, gone in zip(before, fewer, strict=True)
    ]


def test_the_mouse_tells_each_reading_as_it_was_read_and_not_as_it_was_thinned(
    qtbot: QtBot, full_buffer: ReadingsBuffer
) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.zoom(600.0)
    plot = grid.plots[0]
    place = plot.plot.rect().center()
    told = plot._told_at(place)
    now_s = full_buffer.last_time_s
    assert now_s is not None
    found = full_buffer.at(now_s + plot.plot.x_at(place), "utilisation", fakes.FIRST)
    assert found is not None
    times, values = full_buffer.times(), full_buffer.values("utilisation", fakes.FIRST)
    assert found[1] == values[list(times).index(found[0])]
    assert f"GPU 0 · RTX 4090: {100 * found[1]:.0f} %" in told
    assert "GPU 1" in told


def test_the_mouse_tells_what_a_figure_means_where_no_number_is(qtbot: QtBot) -> None:
    grid = grid_of(qtbot, ReadingsBuffer())
    grid.redraw()
    assert grid.plots[0]._told_at(grid.plots[0].plot.rect().center()) == Texts("en")("plot-utilisation-tip")


def test_nothing_is_drawn_again_that_did_not_change(qtbot: QtBot, full_buffer: ReadingsBuffer) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.refresh()
    before = [plot.traces.drawn for plot in grid.plots]
    grid.refresh()
    assert all(plot.traces.drawn is drawn for plot, drawn in zip(grid.plots, before, strict=True))
    full_buffer.add(fakes.readings(fakes.machine(), count=1, start_s=2000.0))
    grid.refresh()
    assert all(plot.traces.drawn is not drawn for plot, drawn in zip(grid.plots, before, strict=True))


def test_measured_phases_are_shaded(qtbot: QtBot, full_buffer: ReadingsBuffer) -> None:
    end_s = full_buffer.last_time_s
    assert end_s is not None
    full_buffer.begin_phase("steps", end_s - 40)
    full_buffer.begin_phase("calibrate", end_s - 20)
    full_buffer.end_phase(end_s - 5)
    grid = grid_of(qtbot, full_buffer)
    grid.redraw()
    assert grid.plots[0].traces.spans == [(-40.0, -20.0, 0), (-20.0, -5.0, 1)]


@pytest.mark.parametrize(("suffix", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("csv", b"monotonic_s")])
def test_the_plots_are_exported(
    qtbot: QtBot, full_buffer: ReadingsBuffer, tmp_path: Path, suffix: str, head: bytes
) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.redraw()
    path = tmp_path / f"readings.{suffix}"
    grid.export(path, path.suffix[1:])
    assert path.read_bytes().startswith(head)


def test_the_exported_csv_leaves_unknown_cells_empty(qtbot: QtBot, full_buffer: ReadingsBuffer, tmp_path: Path) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.export(tmp_path / "readings.csv", "csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "readings.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 1 + len(full_buffer.times())
    assert "GPU 1 · NVIDIA GeForce RTX 3060 power_w" not in rows[0]
    assert all(len(row) == len(rows[0]) for row in rows)


def repaint(qtbot: QtBot, count: int) -> int:
    """Bytes that Python holds more of after so many further repaints; cycles that wait to be collected are not held."""
    machine = fakes.machine()
    buffer = ReadingsBuffer()
    grid = grid_of(qtbot, buffer)
    readings = fakes.readings(machine, count=3000 + count)  # time goes on: as much is drawn at the end as before
    buffer.add(readings[:3000])
    for _ in range(30):
        grid.redraw()
        grid.grab()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for place in range(count):
        buffer.add(readings[3000 + place : 3001 + place])
        grid.redraw()
        if place % 10 == 0:
            grid.grab()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return grown


@needs_proc
def test_repaints_hold_no_memory_descriptor_or_thread(
    qtbot: QtBot, record_property: Callable[[str, object], None]
) -> None:
    record_property("figure", repaints_that_hold_nothing(qtbot, 60))


@pytest.mark.nightly
@needs_proc
def test_six_thousand_repaints_hold_no_memory_descriptor_or_thread(
    qtbot: QtBot, record_property: Callable[[str, object], None]
) -> None:
    record_property("figure", repaints_that_hold_nothing(qtbot, 6000))


def repaints_that_hold_nothing(qtbot: QtBot, count: int) -> str:
    repaint(qtbot, 5)  # what is made once
    before = leftovers()
    grown = repaint(qtbot, count)
    after = leftovers()
    assert grown < 200 * 1024
    # What earlier tests left may go meanwhile.
    assert after.descriptor_count <= before.descriptor_count
    assert after.thread_count <= before.thread_count
    return f"{count:,} repaints: {grown / 1024:+.0f} KiB, descriptors +0, threads +0"


def test_one_crosshair_stands_in_all_plots_and_every_plot_tells_its_values(
    qtbot: QtBot, full_buffer: ReadingsBuffer
) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.zoom(600.0)
    first = grid.plots[0]
    first._hovered(first.plot.rect().center())
    places = {plot.traces.crosshair for plot in grid.plots}
    assert len(places) == 1
    (x,) = places
    assert x is not None
    now_s = full_buffer.last_time_s
    assert now_s is not None
    found = full_buffer.at(now_s + x, "utilisation", fakes.FIRST)
    assert found is not None
    assert f"{100 * found[1]:.0f} %" in first._now.text()
    first._hovered(None)
    assert all(plot.traces.crosshair is None for plot in grid.plots)


def test_video_memory_is_a_share_of_its_card_and_host_memory_stands_apart(
    qtbot: QtBot, full_buffer: ReadingsBuffer
) -> None:
    grid = grid_of(qtbot, full_buffer)
    grid.zoom(600.0)
    cards = next(plot for plot in grid.plots if plot.of_card)
    hosts = next(plot for plot in grid.plots if plot.figure == "memory" and not plot.of_card)
    assert len(cards.traces.drawn) == 2
    assert len(hosts.traces.drawn) == 1
    assert all(np.nanmin(y) >= 0 and np.nanmax(y) <= 100 for _pen, _x, y in cards.traces.drawn)


def level_line(scale: float, style: Qt.PenStyle) -> np.ndarray:
    """How opaque each physical pixel is, from 0 to 1, below a level line of 200 logical pixels."""
    picture = QImage(int(200 * scale), int(20 * scale), QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(0)
    picture.setDevicePixelRatio(scale)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_curve(painter, thin_pen("#000000", style), polygons(np.array([0.0, 200.0]), np.array([10.0, 10.0])))
    painter.end()
    pixels = np.frombuffer(picture.constBits(), dtype=np.uint32).reshape(picture.height(), -1)
    return (pixels[:, : picture.width()] >> 24) / 255


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_a_curve_is_one_line_of_the_same_width_and_dashes_on_every_screen(qtbot: QtBot, scale: float) -> None:
    del qtbot  # There is a QGuiApplication.
    across = level_line(scale, Qt.PenStyle.SolidLine)[:, int(100 * scale)]
    covered = np.flatnonzero(across > 0.02)
    assert (np.diff(covered) == 1).all()
    assert across[covered[1:-1]].min(initial=1.0) > 0.7
    assert across.sum() / scale == pytest.approx(LINE_PIXELS, rel=0.2)
    along = level_line(scale, Qt.PenStyle.DashLine).max(axis=0) > 0.5
    assert np.diff(along.astype(int)).clip(0).sum() == 33


def test_a_fill_under_a_curve_follows_the_axes(qtbot: QtBot, full_buffer: ReadingsBuffer) -> None:
    grid = LiveGrid(LIGHT, Texts("en"), fakes.machine(), full_buffer)
    qtbot.addWidget(grid)
    grid.resize(900, 500)
    grid.redraw()
    grid.grab()
    plot = next(plot for plot in grid.plots if plot.traces._fills is not None)
    before = plot.traces._fills
    assert before is not None
    plot.prepare(SPANS_S[0] if grid.span_s != SPANS_S[0] else SPANS_S[1])
    grid.grab()
    after = plot.traces._fills
    assert after is not None
    assert after[0] == before[0]
    assert after[1] != before[1]


def test_plots_that_come_after_the_others_were_drawn_show_their_curves_too(
    qtbot: QtBot, full_buffer: ReadingsBuffer
) -> None:
    grid = LiveGrid(LIGHT, Texts("en"), fakes.machine(), full_buffer, at_once=False)
    qtbot.addWidget(grid)
    for step in grid.steps():
        step()
        grid.refresh()
    assert len(grid.plots) > 3
    assert all(plot.traces.drawn for plot in grid.plots)


def test_a_phase_says_its_name_in_a_band_above_the_curves(qtbot: QtBot, full_buffer: ReadingsBuffer) -> None:
    end_s = full_buffer.last_time_s
    assert end_s is not None
    full_buffer.begin_phase("advice-phase-trace", end_s - 400)
    full_buffer.end_phase(end_s - 5)
    grid = grid_of(qtbot, full_buffer)
    grid.zoom(600.0)
    plot = grid.plots[0]
    assert plot.band.names == [Texts("en")("advice-phase-trace")]
    qtbot.waitUntil(lambda: plot.band.sceneBoundingRect().height() > 10)
    band, box = plot.band.sceneBoundingRect(), plot.plot.box.sceneBoundingRect()
    assert band.bottom() <= box.top()
    assert band.left() == box.left()
    assert abs(band.width() - box.width()) <= 1
