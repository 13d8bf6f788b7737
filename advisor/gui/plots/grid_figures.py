"""Which figures of a machine the live plots show, with their units, and where each axis ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from advisor.gui.models.readings import HOST, Metric
from advisor.hardware.machine import Machine

_GIGA = {"binary": ("GiB", 2.0**-30), "decimal": ("GB", 1e-9)}
"""The unit of the memory axis and its share of a byte, by the reader's choice."""


@dataclass(frozen=True)
class GridFigure:
    """What a plot draws: `scale` turns stored units into shown ones, `top` is where its axis ends; None: it grows."""

    metric: Metric
    unit: str
    scale: float
    top: float | None
    title: str = ""
    tip: str = ""
    of_card: bool = False
    """A share of each card's own memory, in per cent."""


def figures_of(machine: Machine, units: Literal["binary", "decimal"]) -> list[GridFigure]:
    """The plots of a machine in their order; what no device of it can tell has none."""
    unit, scale = _GIGA[units]
    host = GridFigure("memory", unit, scale, machine.memory.total_bytes or None, "plot-host-memory")
    use = GridFigure("utilisation", "%", 100, 1.0, tip="plot-utilisation-tip")
    if not machine.gpus:
        return [use, host, GridFigure("pressure", "%", 100, 1.0, tip="plot-pressure-tip")]
    return [
        use,
        GridFigure("memory", "%", 1, 100.0, "plot-video-memory", "plot-video-memory-tip", of_card=True),
        host,
        GridFigure("power", "W", 1, top_of("power", machine)),
        GridFigure("clock", "GHz", 1e-9, top_of("clock", machine)),
        GridFigure("temperature", "°C", 1, top_of("temperature", machine)),
    ]


def top_of(metric: Metric, machine: Machine) -> float | None:
    """Where a figure's axis ends, by what the devices say that they can; None: it grows."""
    if metric == "power":
        return max([gpu.power_limit_w or 0.0 for gpu in machine.gpus], default=0.0) or None
    if metric == "clock":
        return max([gpu.sm_clock_max_hz or 0.0 for gpu in machine.gpus], default=0.0) or None
    return 100.0 if metric == "temperature" else 1.0


def draws(figure: GridFigure, device: str) -> bool:
    """Whether a plot draws a device: memory of host and cards apart, what is a card's own of the cards alone."""
    if figure.metric in {"memory", "pressure"}:
        return (device == HOST) != figure.of_card
    return device != HOST or figure.metric == "utilisation"


CSV_UNITS = {
    "utilisation": "utilisation_fraction",
    "memory": "memory_used_bytes",
    "power": "power_w",
    "clock": "sm_clock_hz",
    "temperature": "temperature_celsius",
    "pressure": "pressure_fraction",
}
