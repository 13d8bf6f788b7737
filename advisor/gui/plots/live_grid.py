"""All live plots of a machine, with one legend, pause, zoom and export."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from advisor.core.errors import UserFacingError
from advisor.core.sentences import visible
from advisor.core.shown_names import shown_card
from advisor.gui.dialogs.save_path import ask_save_path
from advisor.gui.models.machine_words import FORMATS
from advisor.gui.models.readings import BUCKETS, GPU_METRICS, HOST, Metric, ReadingsBuffer
from advisor.gui.plots.device_rows import DeviceRows, Scale, Shown
from advisor.gui.plots.grid_figures import GridFigure, draws, figures_of, top_of
from advisor.gui.plots.grid_files import as_png, as_svg, readings_table
from advisor.gui.plots.live_plot import LivePlot, Series
from advisor.gui.plots.traces import line_icon
from advisor.gui.texts import Texts
from advisor.gui.theme import Theme, device_look
from advisor.gui.threads import Outcome
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import FlowLayout, across, down
from advisor.gui.widgets.buttons import one_of
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.hardware.machine import Gpu, GpuProcess, Machine

MANY = 4
"""From so many GPUs on, curves over each other are not told apart: a row each."""
SPANS_S = (60.0, 180.0, 600.0)
"""The shortest stands until another is chosen: what runs now is to be seen, however long the window has been open."""
_HEIGHT, _SMALL_HEIGHT = 176, 150


class LiveGrid(QWidget):
    """Utilisation, memory, power, clock and temperature of every GPU; CPU and RAM beside them.

    Plots whose figure no device tells are left out rather than shown empty.
    """

    exported = Signal(object, object)
    """How writing a file ended, as an `Outcome`, and its path."""

    def __init__(  # noqa: PLR0913 - what a grid shows, and how
        self,
        theme: Theme,
        texts: Texts,
        machine: Machine,
        buffer: ReadingsBuffer,
        *,
        small: bool = False,
        at_once: bool = True,
    ) -> None:
        """`small`: lower plots, for a page of other things too; not `at_once`: whoever asks does the `steps`."""
        super().__init__()
        self._theme, self._texts, self._machine, self.buffer = theme, texts, machine, buffer
        self.span_s = SPANS_S[0]
        self.paused_at_s: float | None = None
        self._drawn = (-1, -1)
        self.bar = across(6)
        self._places = QGridLayout()
        self._places.setSpacing(12)
        down(8, self.bar, (self._places, 1), inside=self)
        self.series = self._make_series()
        self._many = len(machine.gpus) >= MANY
        self.plots: list[LivePlot] = []
        self.rows: DeviceRows | None = None
        self._small = small
        self._fill_bar()
        for step in self.steps() if at_once else ():
            step()

    def _make_series(self) -> list[Series]:
        made = []
        for position, gpu in enumerate(self._machine.gpus):
            look = device_look(self._theme, position)
            made.append(Series(gpu.key, gpu_title(gpu), *look, gpu.memory_total_bytes))
        name, look = self._texts("machine-cpu-and-ram"), device_look(self._theme, None)
        made.append(Series(HOST, name, *look, self._machine.memory.total_bytes or None))
        return made

    def steps(self) -> list[Callable[[], None]]:
        """What makes the plots, up to ten milliseconds each; to be done once."""
        return [self._make_rows] if self._many else self._plot_steps(small=self._small)

    def _plot_steps(self, *, small: bool) -> list[Callable[[], None]]:
        figures = figures_of(self._machine, self._texts.units)
        columns = 3 if self._machine.gpus else 2
        for column in range(columns):
            self._places.setColumnStretch(column, 1)
        for line in range(-(-len(figures) // columns)):
            # Kept free from the start, so that no plot that is there moves when the next one comes.
            self._places.setRowMinimumHeight(line, _SMALL_HEIGHT if small else _HEIGHT)
            self._places.setRowStretch(line, 1)
        # Without a GPU the last of three plots takes a line of its own.
        widths = [2 if columns == 2 and figure is figures[-1] else 1 for figure in figures]  # noqa: PLR2004
        return [
            partial(self._make_plot, figure, (*divmod(place, columns), 1, width), small=small)
            for place, (figure, width) in enumerate(zip(figures, widths, strict=True))
        ]

    def _make_plot(self, figure: GridFigure, place: tuple[int, int, int, int], *, small: bool) -> None:
        made = LivePlot(
            self._theme, self._texts, figure, [series for series in self.series if draws(figure, series.device)]
        )
        made.setMinimumHeight(_SMALL_HEIGHT if small else _HEIGHT)
        made.cursor_moved = self.show_cursor
        made.prepare(self.span_s)
        self.plots.append(made)
        self._drawn = (-1, -1)  # This one has drawn nothing yet.
        self._places.addWidget(made, *place)
        made.show()  # Now, and not after all has been laid out without it.

    def _make_rows(self) -> None:
        """From four GPUs on, a row each."""
        texts = self._texts
        scales: dict[Metric, Scale] = {
            metric: Scale(
                title=texts("plot-memory" if metric == "memory" else f"plot-{metric}"),
                top=top_of(metric, self._machine),
                text=texts.size if metric == "memory" else FORMATS[metric],
            )
            for metric in GPU_METRICS
        }
        gpus = {gpu.key: gpu for gpu in self._machine.gpus}
        devices = []
        for series in self.series:
            gpu = gpus.get(series.device)
            below = processes_text(gpu, texts) if gpu is not None else texts.size(series.memory_bytes)
            tip = "\n".join(
                [series.name, below, *(_process_line(each, texts) for each in (gpu.processes if gpu else ()))]
            )
            devices.append(
                Shown(
                    series=series,
                    name=_short(series.name.removesuffix(f" · {self._common_name()}")),
                    below=below,
                    tip=tip,
                )
            )
        rows = DeviceRows(self._theme, texts("plot-rows"), devices, scales)
        card = Card(margins=(12, 8, 12, 8))
        card.put(rows)
        card.hug()
        # What is left lies below the rows, not around them.
        self._places.addWidget(card, 0, 0, Qt.AlignmentFlag.AlignTop)
        self.rows = rows
        self._drawn = (-1, -1)  # They have drawn nothing yet.

    def show_cursor(self, x: float | None) -> None:
        """One crosshair in all plots, at the same moment."""
        for plot in self.plots:
            plot.show_cursor(x)
        if x is None:
            self.redraw()

    def _common_name(self) -> str:
        """Cards of one name are named once and keep their numbers; empty where they differ."""
        models = {visible(shown_card(gpu.name)) for gpu in self._machine.gpus}
        return next(iter(models)) if len(models) == 1 and len(self._machine.gpus) > 1 else ""

    def _fill_bar(self) -> None:
        legend = QWidget()
        names = FlowLayout(legend)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        legend.setSizePolicy(policy)
        common = self._common_name()
        if common:
            names.addWidget(label(_short(f"{len(self._machine.gpus)} × {common}"), "legend"))
        self._legend: dict[str, QPushButton] = {}
        # Rows name their devices themselves.
        for series in () if self._many else self.series:
            # In a button's text, & names its key.
            text = _short(series.name.removesuffix(f" · {common}") if common else series.name)
            button = QPushButton(text.replace("&", "&&"))
            button.setProperty("role", "legend")
            button.setCheckable(True)
            button.setChecked(True)
            button.setIcon(line_icon(series.colour, series.style))
            button.setIconSize(QSize(22, 10))
            give_tip(button, self._texts("plot-legend-tip", name=series.name))
            button.setAccessibleName(series.name)
            button.toggled.connect(lambda on, chosen=series: self._show(chosen, shown=on))
            names.addWidget(button)
            self._legend[series.device] = button
        self.bar.addWidget(legend, 1)
        self._span_buttons = []
        for span_s in SPANS_S:
            button = one_of(f"{span_s / 60:.0f} min", partial(self.zoom, span_s), chosen=span_s == self.span_s)
            button.setAccessibleName(self._texts("plot-zoom", minutes=round(span_s / 60)))
            self._span_buttons.append(button)
            self.bar.addWidget(button)
        self.pause_button = QPushButton(self._texts("plot-pause"))
        self.pause_button.setProperty("role", "small")
        self.pause_button.setCheckable(True)
        self.pause_button.toggled.connect(self._pause)
        self.bar.addWidget(self.pause_button)
        export = QToolButton()
        export.setText(self._texts("plot-export"))
        export.setProperty("role", "small")
        export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(export)
        for kind in ("png", "svg", "csv"):
            menu.addAction(kind.upper()).triggered.connect(lambda _on=False, chosen=kind: self._ask_and_export(chosen))
        export.setMenu(menu)
        self.bar.addWidget(export)

    def _show(self, series: Series, *, shown: bool) -> None:
        series.shown = shown
        self.redraw()

    def hide_devices(self, devices: Container[str]) -> None:
        """Draw no curves of these, as if their names in the legend had been clicked."""
        for device, button in self._legend.items():
            button.setChecked(device not in devices)

    def zoom(self, span_s: float) -> None:
        """Show the last `span_s` seconds, from now on; one of `SPANS_S`."""
        self.span_s = span_s
        self._span_buttons[SPANS_S.index(span_s)].setChecked(True)
        self.redraw()

    def _pause(self, paused: bool) -> None:
        self.paused_at_s = self.buffer.last_time_s if paused else None
        self.pause_button.setText(self._texts("plot-resume" if paused else "plot-pause"))
        self.redraw()

    def refresh(self) -> None:
        """Draw what came since the last time; nothing at all where nothing came."""
        if (self.buffer.count, len(self.buffer.phases)) != self._drawn:
            self.redraw()

    def redraw(self) -> None:
        """Draw all plots once; cheap enough for four times a second."""
        self._drawn = self.buffer.count, len(self.buffer.phases)
        now_s = self.paused_at_s if self.paused_at_s is not None else self.buffer.last_time_s
        if now_s is None:
            for plot in self.plots:
                plot.prepare(self.span_s)
            return
        if self.rows is not None:
            self.rows.redraw(self.buffer, now_s, self.span_s)
            return
        # A curve is one and a half pixels wide or, on a dense screen, more: finer points than of every second pixel of
        # the screen are drawn over each other.
        width = max((plot.width() for plot in self.plots), default=0) * self.devicePixelRatioF()
        frame = self.buffer.frame(now_s - self.span_s, now_s, min(BUCKETS, max(int(width / 2), 1)))
        for plot in self.plots:
            plot.redraw(self.buffer, frame, now_s, self.span_s)

    def _ask_and_export(self, kind: str) -> None:
        path = ask_save_path(self, self._texts("plot-export"), f"readings.{kind}")
        if path is None:
            return
        try:
            self.export(path, kind)
        except UserFacingError as error:
            self.exported.emit(Outcome(kind="problem", error=error), path)
        else:
            self.exported.emit(Outcome(kind="finished"), path)

    def export(self, path: Path, kind: str) -> None:
        """Write the plots as `png` or `svg`, or the readings as `csv`. Raises OutputError."""
        from advisor.core.file_writing import write_atomically
        from advisor.present.csv_file import write_shown

        if kind == "csv":
            write_shown(*readings_table(self.buffer, self.series), path)
        else:
            write_atomically(path, as_png(self) if kind == "png" else as_svg(self, self.plots))


def gpu_title(gpu: Gpu) -> str:
    """`GPU 0 · name`, the name as everywhere."""
    return f"GPU {gpu.index} · {visible(shown_card(gpu.name))}"


def processes_text(gpu: Gpu, texts: Texts) -> str:
    """What runs on a GPU, in a few words: the process of most memory, and how many others."""
    if not gpu.processes:
        return texts("plot-no-processes")
    first, *others = sorted(gpu.processes, key=lambda process: -(process.memory_bytes or 0))
    return _process_line(first, texts) + (f" · +{len(others)}" if others else "")


def _process_line(process: GpuProcess, texts: Texts) -> str:
    name = visible(process.name.rsplit("/", 1)[-1]) if process.name else f"{process.pid}"
    return f"{name} · {texts.size(process.memory_bytes)}" if process.memory_bytes is not None else name


def _short(name: str, limit: int = 34) -> str:
    shown = shown_card(name).replace("NVIDIA ", "")
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"
