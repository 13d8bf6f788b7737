"""Predictions and the calibrations that correct them: parts that add up, ranges, and where they come from."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.core.units import Basis, Estimate
from advisor.cost.parts import MemoryPart, Part


class Device(Record, frozen=True, kw_only=True):
    """A candidate device: `cpu`, a local GPU by UUID, or a row of the spec table."""

    key: str
    name: str
    spec_key: str | None
    local: bool


class Candidate(Record, frozen=True, kw_only=True):
    """A set-up to be predicted."""

    device: Device
    count: int
    strategy: Strategy
    precision: Precision
    batch_size_per_device: int
    gradient_accumulation_steps: int = 1


class Calibration(Record, frozen=True, kw_only=True):
    """What measurements on one device say about the model's errors there (measured over predicted)."""

    device_key: str
    spec_key: str | None
    class_factors: dict[str, float]
    """Per operator kind, shrunk towards the published fit."""
    step_factor: float
    """Of the user's own step, after the class factors."""
    step_factor_elsewhere: float
    """What of it is applied to other cards: half of it in the log, nothing where it is large."""
    host_s_per_dispatch: float | None
    batch_sizes: tuple[int, ...]
    notes: tuple[Reason, ...] = ()


class Prediction(Record, frozen=True, kw_only=True):
    """One set-up: how long a step and the job take, and whether it fits."""

    device: Device
    count: int
    strategy: Strategy
    precision: Precision
    batch_size_per_device: int
    global_batch_size: int
    gradient_accumulation_steps: int
    step_s: Estimate
    """One optimizer step: all micro-batches of an accumulation and one synchronisation."""
    parts: tuple[Part, ...]
    samples_per_s: Estimate
    peak_memory_bytes: Estimate | None
    memory_parts: tuple[MemoryPart, ...] = ()
    memory_capacity_bytes: float | None
    fits: bool | None
    """None: unknown, because memory could not be predicted or the capacity is unknown."""
    job_s: Estimate | None
    cost: Estimate | None = None
    currency: str | None = None
    energy_j: Estimate | None = None
    efficiency: Estimate | None = None
    """rate(n) / (n * rate(1)) at the same batch a device."""
    measured: bool = False
    """Whether this very set-up was timed here."""
    notes: tuple[Reason, ...] = ()

    @property
    def device_and_count(self) -> tuple[str, int]:
        """Key of the device, and how many of it."""
        return (self.device.key, self.count)


set_up_of: Callable[[object], tuple[object, ...]] = attrgetter(
    "device.key", "count", "strategy", "precision", "batch_size_per_device", "gradient_accumulation_steps"
)
"""What tells a set-up (of a candidate, a prediction or a recommendation) from every other one."""


def basis_of(*bases: Basis) -> Basis:
    """The weakest of several bases: a whole is only as good as its worst part."""
    order: tuple[Basis, ...] = ("measured", "calibrated", "specified")
    return max(bases, key=order.index)
