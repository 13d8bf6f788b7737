"""How a layer and a figure of the model are written where there may be none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.core.sentences import visible
from advisor.core.units import format_quantity

if TYPE_CHECKING:
    from advisor.optable.op_table import Layer


def or_dash(number: float | None, unit: str) -> str:
    """A number with a decimal prefix; a dash where it is unknown."""
    return "–" if number is None else format_quantity(number, unit)


def layer_tip(layer: Layer) -> str:
    """A layer's path and its class, each on a line."""
    return visible(f"{layer.path}\n{layer.module}")
