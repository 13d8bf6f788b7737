"""Whether a set-up fits its device: the model's need against what the device can give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from advisor.hardware.gpu_spec import GpuSpec
from advisor.hardware.machine import Machine
from advisor.predict.memory import MemoryNeed, context_bytes, host_bytes, memory_need, usable_bytes
from advisor.predict.prediction import Candidate, Device, MemoryPart, Prediction
from advisor.predict.step_time import TRACE_PRECISIONS
from advisor.sentences import Reason
from advisor.units import Estimate
from advisor.workload.op_table import OpTable, TracePrecision
from advisor.workload.workload import Training

_REFERENCE_CAPABILITY = "8.0"
_HOST_RANGE = (0.9, 1.3)
"""A CPU step holds its tensors, the libraries' scratch and what the C allocator has not given back."""
_HOST_PROCESS_BYTES = 0.6 * 2**30
"""What Python with torch holds before the model."""
_LOCAL_MARGIN_FRACTION = 0.02
"""Of a local card's free memory, kept for whoever else draws on it."""


@dataclass(frozen=True, kw_only=True)
class MemoryAnswer:
    """Peak memory of one device of a set-up in bytes, what it can hold, and whether that is enough."""

    peak: Estimate | None
    parts: tuple[MemoryPart, ...]
    capacity_bytes: float | None
    fits: bool | None
    notes: tuple[Reason, ...] = ()


class MemorySolver:
    """Answers the memory of candidates; each replay of the allocator is done once and kept."""

    def __init__(
        self,
        training: Training,
        tables: Mapping[TracePrecision, OpTable],
        specs: Mapping[str, GpuSpec],
        machine: Machine,
    ) -> None:
        """Keep what the answers depend on."""
        self._training = training
        self._tables = tables
        self._specs = specs
        self._machine = machine
        self._needs: dict[tuple[object, ...], MemoryNeed | None] = {}

    def answer(self, candidate: Candidate | Prediction) -> MemoryAnswer:
        """Peak memory and capacity of a candidate; None where the trace or the card's memory is unknown."""
        if candidate.device.key == "cpu":
            return self._host(candidate)
        capacity, usable = self._capacity(candidate.device)
        need = self._need(candidate)
        if need is None:
            return MemoryAnswer(peak=None, parts=(), capacity_bytes=capacity, fits=None)
        peak, parts = _with_context(need, context_bytes(self._capability(candidate.device)))
        fits = None if usable is None else peak.value <= usable
        return MemoryAnswer(peak=peak, parts=parts, capacity_bytes=capacity, fits=fits, notes=need.notes)

    def largest_batch(self, prediction: Prediction) -> int | None:
        """The largest batch size that fits where this prediction is made; None where that is unknown."""
        _, usable = self._capacity(prediction.device)
        table = self._tables.get(TRACE_PRECISIONS[prediction.precision])
        if usable is None or table is None or table.memory is None or prediction.device.key == "cpu":
            return None
        from advisor.predict.largest_batch import largest_batch

        return largest_batch(
            table,
            self._training,
            prediction.precision,
            usable,
            compute_capability=self._capability(prediction.device),
        )

    def _need(self, candidate: Candidate | Prediction) -> MemoryNeed | None:
        table = self._tables.get(TRACE_PRECISIONS[candidate.precision])
        if table is None:
            return None
        steps = candidate.gradient_accumulation_steps
        key = (candidate.precision, candidate.batch_size_per_device, candidate.strategy, candidate.count, steps > 1)
        if key not in self._needs:
            training = msgspec.structs.replace(self._training, gradient_accumulation_steps=steps)
            self._needs[key] = memory_need(
                table,
                training,
                candidate.precision,
                candidate.batch_size_per_device,
                compute_capability=_REFERENCE_CAPABILITY,
                strategy=candidate.strategy,
                count=candidate.count,
            )
        return self._needs[key]

    def _host(self, candidate: Candidate | Prediction) -> MemoryAnswer:
        capacity = float(self._machine.memory.total_bytes)
        limit = self._machine.memory.cgroup_limit_bytes
        capacity = min(capacity, float(limit)) if limit else capacity
        table = self._tables.get(TRACE_PRECISIONS[candidate.precision])
        need = (
            None
            if table is None
            else host_bytes(table, self._training, candidate.precision, candidate.batch_size_per_device)
        )
        if need is None:
            return MemoryAnswer(peak=None, parts=(), capacity_bytes=capacity, fits=None)
        whole = need + _HOST_PROCESS_BYTES
        low, high = _HOST_RANGE
        peak = Estimate(value=whole, low=whole * low, high=whole * high, basis="specified")
        parts = (
            MemoryPart(kind="activations", size_bytes=need),
            MemoryPart(kind="context", size_bytes=_HOST_PROCESS_BYTES),
        )
        fits = peak.value <= self._machine.memory.available_bytes
        return MemoryAnswer(peak=peak, parts=parts, capacity_bytes=capacity, fits=fits)

    def _spec(self, device: Device) -> GpuSpec | None:
        return self._specs.get(device.spec_key) if device.spec_key is not None else None

    def _capability(self, device: Device) -> str | None:
        spec = self._spec(device)
        if spec is not None:
            return spec.compute_capability
        return next((gpu.compute_capability for gpu in self._machine.gpus if gpu.uuid == device.key), None)

    def _capacity(self, device: Device) -> tuple[float | None, float | None]:
        """Nominal bytes and what a process may take; on a local card only what is free now."""
        if device.local:
            for gpu in self._machine.gpus:
                if device.key in {gpu.uuid, f"gpu{gpu.index}"} and gpu.memory_total_bytes is not None:
                    free = gpu.memory_free_bytes
                    limit = usable_bytes(gpu.memory_total_bytes)
                    if free is not None:
                        limit = min(limit, free * (1 - _LOCAL_MARGIN_FRACTION))
                    return float(gpu.memory_total_bytes), limit
        spec = self._spec(device)
        if spec is None or spec.memory_bytes is None:
            return None, None
        return spec.memory_bytes, usable_bytes(spec.memory_bytes)


def _with_context(need: MemoryNeed, context: float) -> tuple[Estimate, tuple[MemoryPart, ...]]:
    """The need with this architecture's driver context in the place of the reference's."""
    change = context - context_bytes(_REFERENCE_CAPABILITY)
    parts = tuple(
        MemoryPart(kind=part.kind, size_bytes=context) if part.kind == "context" else part for part in need.parts
    )
    estimate = need.need
    peak = Estimate(
        value=estimate.value + change,
        low=estimate.low + change,
        high=estimate.high + change,
        basis=estimate.basis,
    )
    return peak, tuple(part for part in parts if part.size_bytes > 0)
