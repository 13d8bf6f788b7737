"""What live plots are written as: a picture of them, or a table of all readings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from advisor.gui.models.readings import GPU_METRICS, ReadingsBuffer
from advisor.gui.plots.grid_figures import CSV_UNITS
from advisor.gui.plots.live_plot import LivePlot, Series


def as_png(grid: QWidget) -> bytes:
    """The plots as they stand on the screen."""
    held = QBuffer()
    held.open(QIODevice.OpenModeFlag.WriteOnly)
    grid.grab().save(held, "PNG")
    return bytes(held.data().data())


def as_svg(grid: QWidget, plots: Sequence[LivePlot]) -> bytes:
    """The same in lines and letters; `plots`: those that the grid holds."""
    from PySide6.QtSvg import QSvgGenerator

    held, generator = QBuffer(), QSvgGenerator()
    held.open(QIODevice.OpenModeFlag.WriteOnly)
    generator.setOutputDevice(held)
    generator.setSize(grid.size())
    generator.setViewBox(QRect(0, 0, grid.width(), grid.height()))
    for plot in plots:
        plot.plot.keep_axes(kept=False)
    painter = QPainter(generator)
    grid.render(painter, QPoint())
    painter.end()
    for plot in plots:
        plot.plot.keep_axes(kept=True)
    return bytes(held.data().data())


def readings_table(buffer: ReadingsBuffer, every: Sequence[Series]) -> tuple[list[str], list[list[str]]]:
    """Titles and rows of a table of all that is known, an empty cell where it is not."""
    columns = [(series, metric) for series in every for metric in (*GPU_METRICS, "pressure")]
    columns_read = [(series, metric) for series, metric in columns if series.device in buffer.devices(metric)]  # type: ignore[arg-type, unused-ignore]
    titles = ["monotonic_s", *(f"{series.name} {CSV_UNITS[metric]}" for series, metric in columns_read)]
    rows = [buffer.values(metric, series.device) for series, metric in columns_read]  # type: ignore[arg-type, unused-ignore]
    cells = [
        [f"{time_s:.3f}", *("" if row[place] != row[place] else f"{row[place]:.7g}" for row in rows)]
        for place, time_s in enumerate(buffer.times())
    ]
    return titles, cells
