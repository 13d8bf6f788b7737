"""The parts of an optimizer step on one card: one grid for every way to know them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from advisor.optable.op_columns import Floats

Seconds = TypeVar("Seconds", float, Floats)


@dataclass(frozen=True, kw_only=True)
class StepParts:
    """Seconds of one micro-batch and one update; arrays of shape (cards, batch sizes), NaN where nothing is known."""

    forward_s: Floats
    backward_s: Floats
    optimizer_s: Floats
    host_s: Floats
    """What the host's dispatch adds: on a card where the card waits for it."""
    copy_s: Floats
    loader_s: Floats
    synchronisation_s: Floats

    @property
    def total_s(self) -> Floats:
        """The whole step."""
        return sum((getattr(self, name) for name in OWN_PARTS), start=np.zeros_like(self.forward_s))

    def of_card(self, row: int) -> dict[str, Floats]:
        """The parts of one card, by name, each of shape (1, batch sizes)."""
        return {name: getattr(self, name)[row : row + 1] for name in OWN_PARTS}


def of_rounds(parts: Mapping[str, Seconds], rounds: int) -> dict[str, Seconds]:
    """A card's own parts of an optimizer step of so many micro-batches, each part in seconds."""
    return {name: parts[name] * (1 if name == "optimizer_s" else rounds) for name in OWN_PARTS}


OWN_PARTS = tuple(part.name for part in fields(StepParts))
"""Those of a card alone; several cards add communication and imbalance."""
