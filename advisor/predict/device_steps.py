"""One device's single-card steps over the batch sizes, whether they come from the spec table or were timed here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from advisor.core.sentences import Reason
from advisor.core.units import Basis
from advisor.cost.step_time import StepGrid
from advisor.optable.op_columns import Floats

ARRAYS = (
    "forward_s",
    "backward_s",
    "optimizer_s",
    "host_s",
    "copy_s",
    "loader_s",
    "synchronisation_s",
    "total_s",
    "low_s",
    "high_s",
)


@dataclass(frozen=True, kw_only=True)
class DeviceSteps:
    """Steps of one micro-batch and one optimizer update; arrays of shape (devices, batch sizes), in seconds."""

    forward_s: Floats
    backward_s: Floats
    optimizer_s: Floats
    host_s: Floats
    copy_s: Floats
    loader_s: Floats
    synchronisation_s: Floats
    total_s: Floats
    low_s: Floats
    high_s: Floats
    measured: NDArray[np.bool_]
    """Whether this very batch size was timed here."""
    basis: tuple[Basis, ...]
    """For each device."""
    notes: tuple[tuple[Reason, ...], ...]
    """For each device."""


def from_grid(grid: StepGrid, row: int, basis: Basis) -> DeviceSteps:
    """One card of a predicted grid."""
    arrays = {name: getattr(grid, name)[row : row + 1] for name in ARRAYS}
    measured = np.zeros(arrays["total_s"].shape, dtype=bool)
    return DeviceSteps(**arrays, measured=measured, basis=(basis,), notes=(grid.notes[row],))


def stacked(steps: Sequence[DeviceSteps]) -> DeviceSteps:
    """Several devices' steps as one, in the order given."""
    joined = {
        field.name: np.concatenate([getattr(one, field.name) for one in steps])
        for field in fields(DeviceSteps)
        if field.name not in {"basis", "notes"}
    }
    return DeviceSteps(
        **joined,
        basis=tuple(basis for one in steps for basis in one.basis),
        notes=tuple(note for one in steps for note in one.notes),
    )
