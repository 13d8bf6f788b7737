"""Whether a set-up fits its device: the model's need against what the device can give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.hardware.gpu_spec import GpuSpec
from advisor.hardware.machine import Machine
from advisor.predict.memory import MemoryNeed, memory_need, usable_bytes
from advisor.predict.prediction import Candidate, Device, MemoryPart, Prediction
from advisor.predict.step_time import TRACE_PRECISIONS
from advisor.sentences import Reason
from advisor.units import Estimate
from advisor.workload.op_table import OpTable, TracePrecision
from advisor.workload.workload import Training


@dataclass(frozen=True, kw_only=True)
class MemoryAnswer:
    """Peak memory of one device of a set-up in bytes, what it can hold, and whether that is enough."""

    peak: Estimate | None
    parts: tuple[MemoryPart, ...]
    capacity_bytes: float | None
    fits: bool | None
    notes: tuple[Reason, ...] = ()
