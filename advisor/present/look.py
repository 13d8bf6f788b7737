"""Colours that window and report share: one device has one colour, one part has one colour, wherever it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.cost.parts import PartKind
    from advisor.hardware.machine import Machine
    from advisor.predict.prediction import Prediction

Shade = Literal["light", "dark"]

SERIES: dict[Shade, tuple[str, ...]] = {
    "light": ("#0072B2", "#D55E00", "#009E73", "#B85C92", "#B8860B", "#3D4A5C"),
    "dark": ("#56B4E9", "#F08A3C", "#2BC299", "#E39AC6", "#F0E442", "#C4CBD6"),
}
"""Six colours, colour-blind safe on a card of the shade; the last one is the CPU's."""
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

_MORE: dict[Shade, tuple[str, ...]] = {
    "light": ("#7A4FBF", "#6E7B8B", "#8C564B"),
    "dark": ("#B79CF0", "#8896A8", "#D2A48C"),
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
    """Each device's place among the colours: this machine's GPUs first, as the live plots have them; no CPU."""
    keys = [gpu.key for gpu in (machine.gpus if machine is not None else ())]
    keys += [prediction.device.key for prediction in predictions if prediction.device.key != "cpu"]
    return {key: place for place, key in enumerate(dict.fromkeys(keys))}


def device_colour(place: int | None, shade: Shade) -> str:
    """The colour of a place, over again beyond the fifth; None is the CPU."""
    return SERIES[shade][CPU_SERIES if place is None else place % CPU_SERIES]
