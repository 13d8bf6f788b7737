"""One device's single-card steps over the batch sizes, whether they come from the spec table or were timed here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from advisor.core.sentences import Reason
from advisor.core.units import Basis
from advisor.cost.step_parts import StepParts
from advisor.cost.step_time import StepGrid
from advisor.optable.op_columns import Floats


@dataclass(frozen=True, kw_only=True)
class DeviceSteps(StepParts):
    """Steps of one micro-batch and one optimizer update on devices, and how well they are known."""

    low_s: Floats
    high_s: Floats
    """The 80 % range of their total, shape (devices, batch sizes)."""
    measured: NDArray[np.bool_]
    """Whether this very batch size was timed here; shape (devices, batch sizes)."""
    basis: tuple[Basis, ...]
    """For each device."""
    notes: tuple[tuple[Reason, ...], ...]
    """For each device."""


def from_grid(
    grid: StepGrid, band: tuple[Floats, Floats], row: int, basis: Basis, notes: tuple[Reason, ...] = ()
) -> DeviceSteps:
    """One card of a predicted grid; `band` are the factors of its low and high end, shape (cards, batch sizes).

    `notes` say what is unlike all fitted runs.
    """
    total_s, (low, high) = grid.total_s[row], band
    return DeviceSteps(
        **grid.of_card(row),
        low_s=(total_s * low[row])[None, :],
        high_s=(total_s * high[row])[None, :],
        measured=np.zeros((1, len(total_s)), dtype=bool),
        basis=(basis,),
        notes=((*grid.notes[row], *notes),),
    )
