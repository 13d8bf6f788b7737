"""One device's single-card steps over the batch sizes, whether they come from the spec table or were timed here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from advisor.core.sentences import Reason
from advisor.core.units import Basis
from advisor.cost.step_parts import RangedSteps
from advisor.cost.step_time import StepGrid


@dataclass(frozen=True, kw_only=True)
class DeviceSteps(RangedSteps):
    """Steps of one micro-batch and one optimizer update on devices, and how they are known."""

    measured: NDArray[np.bool_]
    """Whether this very batch size was timed here; shape (devices, batch sizes)."""
    basis: tuple[Basis, ...]
    """For each device."""
    notes: tuple[tuple[Reason, ...], ...]
    """For each device."""


def from_grid(grid: StepGrid, row: int, basis: Basis) -> DeviceSteps:
    """One card of a predicted grid."""
    ranges = {"low_s": grid.low_s[row : row + 1], "high_s": grid.high_s[row : row + 1]}
    measured = np.zeros(ranges["low_s"].shape, dtype=bool)
    return DeviceSteps(**grid.of_card(row), **ranges, measured=measured, basis=(basis,), notes=(grid.notes[row],))
