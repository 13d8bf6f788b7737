"""Many GPUs, a row each: its name, a heat strip of its utilisation, small curves, and what runs on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPen, QResizeEvent

from advisor.gui.plots.chart import Chart
from advisor.gui.plots.traces import LINE_PIXELS
from advisor.gui.theme import TEXT_SIZE, TICK_SIZE, Theme, mixed

if TYPE_CHECKING:
    from advisor.gui.models.readings import Columns, Metric, ReadingsBuffer
    from advisor.gui.plots.live_plot import Series

ROW = 44
_HEAD = 20
_GAP = 16
_STRIP = 18
_TOP = 19
_HEIGHT = 21
"""Where in a row its curves begin, and how high they are; above them stand their values."""
_FILL = 40
"""Opacity of the soft fill under a curve, of 255."""
_RGB = 0xFFFFFF
CURVES: tuple[Metric, ...] = ("memory", "power", "temperature", "clock")
_METRICS: tuple[Metric, ...] = ("utilisation", *CURVES)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """What fills a small curve, in stored units, and how a value is written."""

    title: str
    top: float | None
    text: Callable[[float], str]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A device as the rows show it: below its name, what runs on it."""

    series: Series
    name: str
    below: str
    tip: str


class DeviceRows(Chart):
    """One painted widget for all devices: widgets and plots of their own would cost a layout and a scene each."""

    kept = False

    def __init__(self, theme: Theme, name: str, devices: Sequence[Shown], scales: Mapping[Metric, Scale]) -> None:
        """`scales` of utilisation and of each small curve; a share of memory is of the device's own."""
        super().__init__(theme, name)
        self._devices, self._scales = list(devices), dict(scales)
        self._drawn: tuple[ReadingsBuffer, float, float] | None = None
        self._columns: Columns | None = None
        self._pictures: dict[tuple[str, Metric], QImage] = {}
        self._elided: dict[str, str] = {}
        self._heat = np.array([_heat(theme, step / 255) for step in range(256)], dtype=np.uint32)
        self._blank = QColor(theme.card).rgba()
        self.cursor_s: float | None = None
        """Seconds before now that the crosshair stands at, below 0; None: nowhere."""
        self.setMouseTracking(True)
        self.setFixedHeight(self.sizeHint().height())

    def sizeHint(self) -> QSize:
        """A head and a row a device."""
        return self.sized(640, _HEAD + ROW * len(self._devices))

    def redraw(self, buffer: ReadingsBuffer, now_s: float, span_s: float) -> None:
        """Draw the last `span_s` seconds before `now_s`."""
        self._drawn = buffer, now_s, span_s
        self._lay_out()
        if QAccessible.isActive():  # Of many devices it is a long sentence, four times a second.
            self.setAccessibleDescription(self.told())
        self.update()

    def told(self) -> str:
        """Every device with its newest figures, as a screen reader says them."""
        return "; ".join(f"{shown.name}: {', '.join(self._figures_of(shown))}" for shown in self._devices)

    def _figures_of(self, shown: Shown) -> list[str]:
        values = [(metric, self.value_of(shown.series.device, metric)) for metric in _METRICS]
        return [
            f"{self._scales[metric].title} {self._written(metric, value, shown.series)}"
            for metric, value in values
            if value is not None
        ]

    def _lay_out(self) -> None:
        """All strips and curves as pixels in a few array operations, once a frame and not once a paint."""
        if self._drawn is None:
            return
        buffer, now_s, span_s = self._drawn
        scale = self.devicePixelRatioF() * self.zoom
        width = max(int(self._places()[2][0].width() * scale), 8)
        self._columns = buffer.columns(now_s - span_s, now_s, width)
        rows = self._columns.rows
        self._pictures.clear()
        for metric in _METRICS:
            curves = [
                (shown.series, rows[metric, shown.series.device], top)
                for shown in self._devices
                if (metric, shown.series.device) in rows and (top := self._top(metric, shown.series))
            ]
            if not curves:
                continue
            places = [row for _series, row, _top in curves]
            tops = np.array([[top] for _series, _row, top in curves], dtype=np.float32)
            low, high = self._columns.low[places] / tops, self._columns.high[places] / tops
            if metric == "utilisation":
                pixels = self._heat_of(high)
            else:
                colours = np.array([[QColor(series.colour).rgb() & _RGB] for series, _r, _t in curves], dtype=np.uint32)
                pixels = curve_pixels(low, high, colours, int(_HEIGHT * scale), scale)
            for series, picture in zip((series for series, _r, _t in curves), pixels, strict=True):
                self._pictures[series.device, metric] = _image(picture)

    def _heat_of(self, shares: NDArray[np.float32]) -> NDArray[np.uint32]:
        """One line of pixels a device; what nobody told is left blank."""
        steps = np.clip(np.nan_to_num(shares) * 255, 0, 255).astype(np.uint8)
        values = np.where(np.isnan(shares), np.uint32(self._blank), self._heat[steps])
        return values[:, np.newaxis, :].astype(np.uint32)

    def _top(self, metric: Metric, series: Series) -> float | None:
        return series.memory_bytes if metric == "memory" else self._scales[metric].top

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The pixels lie elsewhere."""
        super().resizeEvent(event)
        self._elided.clear()
        self._lay_out()

    def _places(self) -> tuple[QRectF, QRectF, list[QRectF]]:
        """Of the first row: where its name, its strip and its curves go."""
        width = self.wide
        names = min(max(width * 0.17, 120.0), 260.0)
        left = width - names - _GAP
        strip = left * 0.28
        curve = (left - strip - _GAP * len(CURVES)) / len(CURVES)
        curves = [
            QRectF(names + _GAP + strip + _GAP + place * (curve + _GAP), 0, curve, ROW) for place in range(len(CURVES))
        ]
        return QRectF(0, 0, names, ROW), QRectF(names + _GAP, 0, strip, ROW), curves

    def draw(self, painter: QPainter) -> None:
        """Head, then the rows: all lines, all fills, all curves and all texts of one kind after each other."""
        name, strip, curves = self._places()
        painter.setRenderHint(painter.RenderHint.Antialiasing, on=False)
        painter.setPen(QPen(QColor(self.theme.grid), 1))
        for number in range(len(self._devices)):
            painter.drawLine(QPointF(0, _HEAD + number * ROW), QPointF(self.wide, _HEAD + number * ROW))
        for number, shown in enumerate(self._devices):
            self._draw_strip(painter, shown, strip, _HEAD + number * ROW)
            self._draw_curves(painter, shown, curves, _HEAD + number * ROW)
        self._draw_texts(painter, name, [strip, *curves])

    def _draw_strip(self, painter: QPainter, shown: Shown, place: QRectF, y: float) -> None:
        strip = QRectF(place.left(), y + _TOP, place.width(), _STRIP)
        self._draw_picture(painter, shown, "utilisation", strip)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self.theme.line), 1))
        painter.drawRect(strip)
        self._draw_cursor(painter, strip)

    def _draw_curves(self, painter: QPainter, shown: Shown, places: Sequence[QRectF], y: float) -> None:
        for place, metric in zip(places, CURVES, strict=True):
            if (shown.series.device, metric) not in self._pictures:
                continue
            box = QRectF(place.left(), y + _TOP, place.width(), _HEIGHT)
            painter.setPen(QPen(QColor(self.theme.line), 1))
            painter.drawLine(box.bottomLeft(), box.bottomRight())
            self._draw_picture(painter, shown, metric, box)
            self._draw_cursor(painter, box)

    def _draw_picture(self, painter: QPainter, shown: Shown, metric: Metric, place: QRectF) -> None:
        picture = self._pictures.get((shown.series.device, metric))
        if picture is not None and shown.series.shown:
            painter.drawImage(place.toAlignedRect() if metric == "utilisation" else place, picture)

    def _draw_texts(self, painter: QPainter, name: QRectF, places: Sequence[QRectF]) -> None:
        """One font after the other: changing it costs more than the text."""
        muted, text = QColor(self.theme.muted), QColor(self.theme.text)
        painter.setFont(self.font_of(TICK_SIZE))
        painter.setPen(muted)
        for place, metric in zip(places, _METRICS, strict=True):
            painter.drawText(QPointF(place.left(), _HEAD - 6), self._scales[metric].title)
        room = name.width() - 12
        for number, shown in enumerate(self._devices):
            at = QPointF(name.left() + 10, _HEAD + number * ROW + 35)
            painter.drawText(at, self._fitting(shown.below, room, bold=False))
        painter.setPen(text)
        for number, shown in enumerate(self._devices):
            for place, metric in zip(places, _METRICS, strict=True):
                value = self.value_of(shown.series.device, metric)
                has_value = value is not None or (shown.series.device, metric) in self._pictures
                written = self._written(metric, value, shown.series) if value is not None else "–" if has_value else ""
                painter.drawText(QPointF(place.left(), _HEAD + number * ROW + 14), written)
        painter.setFont(self.font_of(TEXT_SIZE - 1, bold=True))
        for number, shown in enumerate(self._devices):
            y = _HEAD + number * ROW
            painter.setPen(text if shown.series.shown else muted)
            painter.drawText(QPointF(name.left() + 10, y + 19), self._fitting(shown.name, room, bold=True))
            painter.fillRect(QRectF(0, y + 7, 3, ROW - 14), QColor(shown.series.colour))
            self.tell_at(name.translated(0, y), shown.tip)

    def _fitting(self, text: str, room: float, *, bold: bool) -> str:
        """A name as far as it fits; worked out once a width."""
        elided = self._elided.get(text)
        if elided is None:
            metrics = QFontMetricsF(self.font_of(TEXT_SIZE - 1 if bold else TICK_SIZE, bold=bold))
            elided = self._elided[text] = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        return elided

    def _written(self, metric: Metric, value: float, series: Series) -> str:
        text = self._scales[metric].text(value)
        share = metric == "memory" and series.memory_bytes
        return f"{100 * value / share:.0f} % · {text}" if share else text

    def value_of(self, device: str, metric: Metric) -> float | None:
        """What is told now of a device: at the crosshair where there is one, else the newest."""
        if self._drawn is None or self._columns is None:
            return None
        buffer, now_s, _span_s = self._drawn
        if self.cursor_s is None:
            return self._columns.latest(metric, device)
        reading = buffer.at(now_s + self.cursor_s, metric, device)
        return None if reading is None else reading[1]

    def _draw_cursor(self, painter: QPainter, box: QRectF) -> None:
        if self.cursor_s is None or self._drawn is None:
            return
        x = box.left() + box.width() * (1 + self.cursor_s / self._drawn[2])
        self.line(painter, QPointF(x, box.top()), QPointF(x, box.bottom()), self.theme.text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Stand the crosshair at the mouse's time, in every strip and curve."""
        _name, strip, curves = self._places()
        x = event.position().x() / self.zoom
        under = next((place for place in (strip, *curves) if place.left() <= x <= place.right()), None)
        share = None if under is None else (x - under.left()) / under.width()
        span_s = self._drawn[2] if self._drawn is not None else 0.0
        self._set_cursor(None if share is None else (share - 1) * span_s)

    def leaveEvent(self, event: object) -> None:
        """Take the crosshair away."""
        del event
        self._set_cursor(None)

    def _set_cursor(self, cursor_s: float | None) -> None:
        if cursor_s != self.cursor_s:
            self.cursor_s = cursor_s
            self.update()


def curve_pixels(
    low: NDArray[np.float32], high: NDArray[np.float32], colours: NDArray[np.uint32], height: int, scale: float
) -> NDArray[np.uint32]:
    """Curves of `LINE_PIXELS` with a soft fill as ARGB pixels of shape (devices, height, columns).

    `low` and `high` are each column's extremes as shares of the axis, (devices, columns). A pixel is as opaque as the
    share of it that the line covers; neighbouring columns are joined, so that a step is a line too.
    """
    half = LINE_PIXELS * scale / 2
    room = height - 2 * half
    upper = half + room * (1 - np.clip(high, 0, 1))
    lower = half + room * (1 - np.clip(low, 0, 1))
    joined_upper, joined_lower = upper.copy(), lower.copy()
    joined_upper[:, 1:] = np.fmin(upper[:, 1:], np.where(np.isnan(upper[:, 1:]), np.nan, lower[:, :-1]))
    joined_lower[:, 1:] = np.fmax(lower[:, 1:], np.where(np.isnan(lower[:, 1:]), np.nan, upper[:, :-1]))
    rows = np.arange(height, dtype=np.float32)[np.newaxis, :, np.newaxis]
    bottom, top = (joined_lower + half)[:, np.newaxis, :], (joined_upper - half)[:, np.newaxis, :]
    covered = np.clip(np.minimum(rows + 1, bottom) - np.maximum(rows, top), 0, 1)
    opacity = np.maximum(covered * 255, np.where(rows >= bottom - 1, np.float32(_FILL), np.float32(0)))
    opaque = np.nan_to_num(opacity).astype(np.uint32)
    pixels: NDArray[np.uint32] = (opaque << np.uint32(24)) | colours[:, :, np.newaxis]
    return pixels


def _image(pixels: NDArray[np.uint32]) -> QImage:
    height, width = pixels.shape
    return QImage(np.ascontiguousarray(pixels).tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32).copy()


def _heat(theme: Theme, share: float) -> int:
    """From the card's quiet ground to the colour of letters: one scale for all rows, and of no device's own colour."""
    return QColor(mixed(theme.grid, theme.text, share)).rgba()
