"""Colours that window and report share: one device has one colour, one part has one colour, wherever it is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from advisor.cost.parts import PartKind
from advisor.hardware.machine import Machine
from advisor.predict.prediction import Prediction

Shade = Literal["light", "dark"]

SERIES: dict[Shade, tuple[str, ...]] = {
    "light": ("#1F5FBF", "#C2410C", "#00906A", "#E056A8", "#4B0F6B", "#3D4A5C"),
    "dark": ("#3B9AF0", "#E8702A", "#3CCF6E", "#F5A8D8", "#F0E442", "#8896A8"),
}
"""Six colours that stay apart on a card of the shade with any kind of colour blindness; the last one is the CPU's."""
CPU_SERIES = 5

PAPER = {
    "accent": "#0B66C3",
    "soft": "#E1EDFA",
    "line": "#DCE0E6",
    "text": "#1B2430",
    "muted": "#5B6675",
    "bar": "#A9B4C2",
    "danger": "#B3261E",
}
"""The light scheme's own colours, on which the report is set too."""

OVER_LIMITS = "†"
"""Behind the device of a set-up that passes a limit which was given, or lacks the figure for it."""

Shape = Literal["circle", "diamond", "triangle", "square"]
_SHAPES: tuple[Shape, ...] = ("circle", "diamond", "triangle", "square")
"""Marks of the first five devices, of the next five, and so on: with them no two devices look alike."""

_LOOKS = CPU_SERIES * len(_SHAPES)

_MORE: dict[Shade, tuple[str, ...]] = {
    "light": ("#7A4FBF", "#6E7B8B", "#B8860B"),
    "dark": ("#B79CF0", "#C4CBD6", "#D2A48C"),
}
"""Parts are up to nine: these stand beside the series."""
_STEP_PARTS: tuple[PartKind, ...] = (
    "forward", "optimizer", "backward", "communication", "copy", "host", "loader", "synchronisation", "imbalance",
)  # fmt: skip
_MEMORY_PARTS = (
    "parameters", "gradients", "optimizer", "activations", "workspace", "context", "communication", "fragmentation",
)  # fmt: skip


def step_part_colour(kind: PartKind, shade: Shade) -> str:
    """The colour of a part of a step's time."""
    return (*SERIES[shade], *_MORE[shade])[_STEP_PARTS.index(kind)]


def memory_part_colour(kind: str, shade: Shade) -> str:
    """The colour of a use of memory."""
    return (*SERIES[shade], *_MORE[shade])[_MEMORY_PARTS.index(kind)]


def device_places(machine: Machine | None, predictions: Iterable[Prediction]) -> dict[str, int]:
    """Each device's place among the colours: this machine's GPUs first, as the live plots have them; no CPU.

    Beyond the last look of its own a card looks like one of this machine's that nothing is predicted for.
    """
    places = {gpu.key: place for place, gpu in enumerate(machine.gpus if machine is not None else ())}
    shown = dict.fromkeys(prediction.device.key for prediction in predictions if prediction.device.key != "cpu")
    taken = {places[key] % _LOOKS for key in shown if key in places}
    others = [key for key in shown if key not in places]
    after = range(len(places), len(places) + len(others) + _LOOKS)
    free = [place for place in after if place % _LOOKS not in taken] + [*after]
    return {**places, **dict(zip(others, free, strict=False))}


def device_colour(place: int | None, shade: Shade) -> str:
    """The colour of a place, over again beyond the fifth; None is the CPU."""
    return SERIES[shade][CPU_SERIES if place is None else place % CPU_SERIES]


def device_shape(place: int | None) -> Shape:
    """The mark of a place; None is the CPU."""
    return _SHAPES[0 if place is None else place // CPU_SERIES % len(_SHAPES)]
