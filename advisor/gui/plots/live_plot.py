"""One live plot: fixed ranges, static grid lines, thin pens, at most 300 buckets a curve, numbers under the mouse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QRectF, Qt

from advisor.gui.models.machine_words import FORMATS
from advisor.gui.plots.chart import round_ticks
from advisor.gui.plots.phase_band import PhaseBand
from advisor.gui.plots.plain_plot import PlainPlot
from advisor.gui.plots.traces import TraceItem, thin_pen
from advisor.gui.texts import Texts
from advisor.gui.theme import Theme
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import QuietLabel

if TYPE_CHECKING:
    from advisor.gui.models.readings import Frame, Metric, ReadingsBuffer
    from advisor.gui.plots.grid_figures import GridFigure

_MAX_PHASES = 24
_TOLD = 3
"""So many values fit beside a plot's title."""
NAME_SIZE = 10
_HAIR = 1.002
"""The first tick lies a hair inside the axis, or rounding leaves it out."""


@dataclass
class Series:
    """A device's line in the plots: its key in the readings buffer, name, colour, dash, and what its memory is."""

    device: str
    name: str
    colour: str
    style: Qt.PenStyle
    memory_bytes: int | None = None
    """What its memory is a share of; None: unknown."""
    shown: bool = True
    """Whether the legend has it on."""


def time_ticks(span_s: float, texts: Texts) -> list[tuple[float, str]]:
    """Ticks of a time axis that ends now: `−10 min … now`."""
    step = 120 if span_s > 300 else 60 if span_s > 120 else 15  # noqa: PLR2004 - what reads well
    ages = range(step, int(span_s) + 1, step)
    ticks = [(-float(age), f"−{age} s" if step < 60 else f"−{age // 60} min") for age in ages]  # noqa: PLR2004 - a minute
    return [(0.0, texts("window-now")), *ticks]


class LivePlot(Card):
    """A card with one figure of all devices over the last minutes."""

    def __init__(self, theme: Theme, texts: Texts, figure: GridFigure, series: Sequence[Series]) -> None:
        """Draws a figure of these devices."""
        title = texts(figure.title or f"plot-{figure.metric}")
        super().__init__(title, figure.unit, spacing=2, margins=(14, 9, 10, 6))
        self.figure: Metric = figure.metric
        self._theme, self._texts, self._scale, self._top = theme, texts, figure.scale, figure.top
        self._show_value = texts.size if figure.metric == "memory" else FORMATS[figure.metric]
        self.of_card = figure.of_card
        self.hint = texts(figure.tip) if figure.tip else ""
        """What the figure means; told at the card, and in the plot where the mouse is on no number."""
        give_tip(self, self.hint)
        self._series = list(series)
        self._pens = [thin_pen(each.colour, each.style) for each in series]
        self._now = QuietLabel("muted")
        self.add_to_header(self._now)
        font = self.font()
        font.setPixelSize(theme.sized(NAME_SIZE))
        self.band = PhaseBand(theme.accent, theme.muted, font)
        self.plot = PlainPlot(theme, title, left_width=38, told_at=self._told_at, hovered=self._hovered, band=self.band)
        self.plot.setMinimumHeight(theme.sized(96))
        self.put((self.plot, 1))
        self.traces = TraceItem(theme.grid, theme.accent, theme.muted)
        self.cursor_moved: Callable[[float | None], None] | None = None
        """Told the x under the mouse, or None where it left: one crosshair stands in all plots."""
        self.plot.box.addItem(self.traces, ignoreBounds=True)
        self._span_s = 0.0
        self._shown_top = 0.0
        self._drawn: tuple[ReadingsBuffer, float] | None = None

    def prepare(self, span_s: float) -> None:
        """Axes and grid lines before the first reading."""
        self._fix_ranges(0.0, span_s)

    def redraw(self, buffer: ReadingsBuffer, frame: Frame, now_s: float, span_s: float) -> None:
        """Draw a frame of the last `span_s` seconds before `now_s`; one update for all curves."""
        self._drawn = buffer, now_s
        largest, latest, words, curves = 0.0, [], [], []
        x = frame.x - now_s
        for series, pen in zip(self._series, self._pens, strict=True):
            y = frame.of(self.figure, series.device)
            if y is None or not series.shown:
                continue
            y = y * self._scale_of(series)
            top = float(np.fmax.reduce(y, initial=0.0))
            largest = max(largest, top)
            curves.append((pen, x, y))
            value = frame.latest(self.figure, series.device)
            if value is not None:
                latest.append(self._short(series, value))
                words.append(f"{series.name}: {latest[-1]}")
        self.plot.setAccessibleDescription("; ".join(words))
        if self.traces.crosshair is None:
            self._now.set_text(" · ".join(latest) if len(latest) <= _TOLD else "")
        self._fix_ranges(largest, span_s)
        self._shade(buffer, now_s, span_s)
        self.traces.show_curves(curves)

    def _scale_of(self, series: Series) -> float:
        """From stored units to shown ones; a card of unknown memory has no share to show."""
        if not self.of_card:
            return self._scale
        return 100.0 / series.memory_bytes if series.memory_bytes else float("nan")

    def _short(self, series: Series, value: float) -> str:
        """In the unit of the axis, which the header names; a share cannot be told of a card of unknown memory."""
        return (
            f"{value * self._scale_of(series):.0f} %"
            if self.of_card and series.memory_bytes
            else self._show_value(value)
        )

    def _hovered(self, place: QPoint | None) -> None:
        if self.cursor_moved is not None:
            x = self.plot.x_at(place) if place is not None else None
            self.cursor_moved(x if x is not None and -self._span_s <= x <= 0 else None)

    def show_cursor(self, x: float | None) -> None:
        """Stand the crosshair at an x of the plots and tell every value there; None takes it away."""
        self.traces.show_cursor(x)
        if self._drawn is None or x is None:
            return
        buffer, now_s = self._drawn
        words = []
        for series in self._series:
            reading = buffer.at(now_s + x, self.figure, series.device) if series.shown else None
            words += [self._short(series, reading[1])] if reading is not None else []
        self._now.set_text(" · ".join([f"{x:.0f} s".replace("-", "−"), *words]))

    def _fix_ranges(self, largest: float, span_s: float) -> None:
        top = self._top * self._scale if self._top else largest
        grown = top > self._shown_top or top < self._shown_top / 3
        if span_s == self._span_s and not (grown and top > 0 and top != self._shown_top):
            return
        ticks = round_ticks(top if top > 0 else 1.0)
        limit = ticks[-1] if not self._top else max(top, ticks[-2])
        shown = [tick for tick in ticks if tick <= limit * 1.001]
        self._span_s, self._shown_top = span_s, top
        self.plot.fix(
            (-span_s * _HAIR, 0.0),
            (0.0, limit * 1.04),
            time_ticks(span_s, self._texts),
            [(tick, f"{tick:g}") for tick in shown],
        )
        self.traces.set_place(QRectF(-span_s, 0, span_s, limit * 1.04), shown)

    def _shade(self, buffer: ReadingsBuffer, now_s: float, span_s: float) -> None:
        phases = list(enumerate(buffer.phases))
        seen = [(place, span) for place, span in phases if span.end_s is None or span.end_s > now_s - span_s]
        self.traces.spans = [
            (span.start_s - now_s, (span.end_s or now_s) - now_s, place % 2) for place, span in seen[-_MAX_PHASES:]
        ]
        names = [self._texts.phase(span.name) for _place, span in seen[-_MAX_PHASES:]]
        self.band.show_phases(self.traces.spans, names, -span_s * _HAIR)

    def _told_at(self, place: QPoint) -> str:
        """The figures as they were read at the time under the mouse, not as they were thinned for drawing."""
        if self._drawn is None:
            return self.hint
        buffer, now_s = self._drawn
        position = self.plot.x_at(place)
        if not -self._span_s <= position <= 0:
            return self.hint
        lines, told_s = [], None
        for series in self._series:
            reading = buffer.at(now_s + position, self.figure, series.device) if series.shown else None
            if reading is not None:
                told_s = reading[0]
                lines.append(f"{series.name}: {self._show_value(reading[1])}")
        if told_s is None:
            return self.hint
        phase = next(
            (span.name for span in reversed(buffer.phases) if span.start_s <= told_s <= (span.end_s or told_s)), ""
        )
        named = self._texts.phase(phase)
        age = f"−{now_s - told_s:.1f} s" if now_s > told_s else self._texts("window-now")
        return "\n".join([" · ".join(part for part in (age, named) if part), *lines])
