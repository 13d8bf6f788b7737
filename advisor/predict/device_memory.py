"""Whether a set-up fits its device: the model's need against what the device can give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import TRACE_PRECISIONS, TracePrecision
from advisor.core.records import shared_fields
from advisor.core.sentences import Reason
from advisor.core.units import Estimate, exactly
from advisor.cost.memory.capacity import context_bytes, usable_bytes
from advisor.cost.memory.largest_batch import WORST_FRAGMENTATION, largest_batch
from advisor.cost.memory.need import MemoryNeed, MemoryQuestion, answered, host_bytes, memory_question
from advisor.cost.parts import MemoryPart
from advisor.hardware.machine import Machine
from advisor.optable.op_table import OpTable
from advisor.predict.computed_precision import computed_precision
from advisor.predict.host_memory import OffloadCapacity
from advisor.predict.memory_savings import MemorySaving, memory_savings
from advisor.predict.prediction import Candidate, Device, Prediction, SetUp
from advisor.predict.ranges.memory_range import need_range
from advisor.workload.workload import Training

_REFERENCE_CAPABILITY = "8.0"
_TYPICAL_FRAGMENTATION = 0.025
"""Of the allocated bytes: the median over a hundred vision models; used where more would change nothing."""
_BATCH_TOLERANCE = 0.02
"""An advised largest batch may lie this little below the exact one: each further digit costs replays."""
_HOST_RANGE = (0.9, 1.3)
"""A CPU step holds its tensors, the libraries' scratch and what the C allocator has not given back."""
_HOST_PROCESS_BYTES = 0.6 * 2**30
"""What Python with torch holds before the model."""
_LOCAL_MARGIN_FRACTION = 0.02
"""Of a local card's free memory, kept for whoever else draws on it."""


@dataclass(frozen=True, kw_only=True)
class MemoryAnswer:
    """Peak memory of one device of a set-up in bytes, what it can hold, and whether that is enough."""

    peak: Estimate | None = None
    parts: tuple[MemoryPart, ...] = ()
    capacity_bytes: float | None = None
    fits: bool | None = None
    notes: tuple[Reason, ...] = ()
    beside_bytes: float = 0.0
    """What the driver's context or the process itself holds beside the step; in `peak` where that is known."""


def unknown_memory(candidate: Candidate) -> MemoryAnswer:
    """The answer where nobody solves for memory: every figure unknown."""
    del candidate
    return MemoryAnswer()


class MemorySolver:
    """Answers the memory of candidates.

    The allocator's replay is slow, so it is done only where fragmentation decides whether a set-up fits, once for
    a precision and batch size; the fraction found on one device holds for the other strategies and devices too. Which
    of them is asked first must not matter: `settled` answers again what was asked before the fraction was found.
    """

    def __init__(
        self,
        training: Training,
        tables: Mapping[TracePrecision, OpTable],
        specs: Mapping[str, GpuSpec],
        machine: Machine,
        host: OffloadCapacity | None = None,
    ) -> None:
        """Keep what the answers depend on; `host` judges what off-loading leaves to the machines of the cards."""
        self._offload_capacity = host or OffloadCapacity(machine)
        self._training = training
        self._tables = tables
        self._specs = specs
        self._machine = machine
        self._questions: dict[tuple[object, ...], MemoryQuestion | None] = {}
        self._plain: dict[tuple[object, ...], MemoryNeed] = {}
        self._fragmentation: dict[tuple[object, ...], float] = {}

    def answer(self, candidate: SetUp, *, replayed: bool = False) -> MemoryAnswer:
        """Peak memory and capacity of a candidate; None where the trace or the card's memory is unknown.

        `replayed`: the allocator is replayed also where its waste decides nothing.
        """
        if candidate.device.key == "cpu":
            return self._host(candidate)
        candidate = self._as_computed(candidate)
        capacity, usable = self._capacity(candidate.device)
        question, context = self._question(candidate), context_bytes(self._capability(candidate.device))
        if question is None:
            return MemoryAnswer(capacity_bytes=capacity, beside_bytes=context)
        plain = self._without_waste(candidate, question)
        least = plain.need_bytes - context_bytes(_REFERENCE_CAPABILITY) + context
        decides = usable is not None and least <= usable < least * WORST_FRAGMENTATION
        known = _fraction_key(candidate) in self._fragmentation
        fraction = self._fraction(candidate) if decides or known or replayed else _TYPICAL_FRAGMENTATION
        peak, parts = _completed(plain, context, fraction * plain.allocated_bytes)
        fits = None if usable is None else peak.value <= usable
        table = self._tables[TRACE_PRECISIONS[candidate.precision]]
        unified = self._has_unified_memory(candidate.device)
        held, reasons = self._offload_capacity.judged(candidate, table, self._training, unified_memory=unified)
        shared = (Reason(code="memory-unified"),) if unified and not candidate.device.local else ()
        notes = (*plain.notes, *reasons, *shared)
        return MemoryAnswer(peak=peak, parts=parts, capacity_bytes=capacity, fits=fits if held else False, notes=notes)

    def settled(self, predictions: Sequence[Prediction]) -> tuple[Prediction, ...]:
        """The predictions with one and the same waste of the allocator at a precision and batch size.

        A need that decides on one card is then also the need that is shown of another. What was timed here has its
        own peak.
        """
        return tuple(
            prediction
            if prediction.measured or _fraction_key(self._as_computed(prediction)) not in self._fragmentation
            else _with_memory(prediction, self.answer(prediction))
            for prediction in predictions
        )

    def replayed(self, prediction: Prediction) -> Prediction:
        """The prediction with the allocator's waste at its own batch size."""
        return _with_memory(prediction, self.answer(prediction, replayed=True))

    def has_own_waste(self, prediction: Prediction) -> bool:
        """Whether the allocator was replayed for a prediction's peak, which else holds what is wasted usually."""
        computed = self._as_computed(prediction)
        question, peak = self._question(computed), prediction.peak_memory_bytes
        if question is None or peak is None or prediction.device.key == "cpu":
            return False
        plain = self._without_waste(computed, question)
        context = context_bytes(self._capability(prediction.device))
        usual, _ = _completed(plain, context, _TYPICAL_FRAGMENTATION * plain.allocated_bytes)
        return not math.isclose(peak.value, usual.value, rel_tol=1e-9)

    def largest_batch(self, prediction: Prediction) -> int | None:
        """The largest batch size that fits one such device; None where that is unknown."""
        _, usable = self._capacity(prediction.device)
        single = msgspec.structs.replace(
            prediction, strategy="single", count=1, gradient_accumulation_steps=1, global_batch_size=1
        )
        question = self._question(single)
        if usable is None or question is None or prediction.device.key == "cpu":
            return None
        context = context_bytes(self._capability(prediction.device)) - context_bytes(_REFERENCE_CAPABILITY)
        return largest_batch(question, usable - context, tolerance_fraction=_BATCH_TOLERANCE)

    def savings(self, prediction: Prediction) -> tuple[MemorySaving, ...]:
        """What would make one device's step smaller, most first; empty on a CPU and where nothing is known."""
        precision = self._as_computed(prediction).precision
        table = self._tables.get(TRACE_PRECISIONS[precision])
        if table is None or prediction.device.key == "cpu":
            return ()
        training = msgspec.structs.replace(
            self._training, gradient_accumulation_steps=prediction.gradient_accumulation_steps
        )
        return memory_savings(
            table,
            training,
            precision,
            prediction.batch_size_per_device,
            compute_capability=self._capability(prediction.device),
        )

    def _as_computed(self, set_up: SetUp) -> SetUp:
        """In the precision that its layers compute in."""
        precision = computed_precision(set_up, self._training, self._tables)
        return set_up if precision == set_up.precision else msgspec.structs.replace(set_up, precision=precision)

    def _question(self, candidate: SetUp) -> MemoryQuestion | None:
        table = self._tables.get(TRACE_PRECISIONS[candidate.precision])
        if table is None:
            return None
        key = _question_key(candidate)
        if key not in self._questions:
            steps = candidate.gradient_accumulation_steps
            self._questions[key] = memory_question(
                table,
                msgspec.structs.replace(self._training, gradient_accumulation_steps=steps),
                candidate.precision,
                compute_capability=_REFERENCE_CAPABILITY,
                strategy=candidate.strategy,
                count=candidate.count,
            )
        return self._questions[key]

    def _without_waste(self, candidate: SetUp, question: MemoryQuestion) -> MemoryNeed:
        key = (*_question_key(candidate), candidate.batch_size_per_device)
        if key not in self._plain:
            self._plain[key] = answered(question, candidate.batch_size_per_device, replayed=False)
        return self._plain[key]

    def _fraction(self, candidate: SetUp) -> float:
        """What the allocator wastes at this precision and batch size, as a fraction of what is allocated."""
        key = _fraction_key(candidate)
        if key not in self._fragmentation:
            alone = {"count": 1, "strategy": "single", "gradient_accumulation_steps": 1}
            single = Candidate(**{**shared_fields(candidate, SetUp), **alone})
            question = self._question(single)
            assert question is not None  # the same table was asked before, by several cards
            self._fragmentation[key] = answered(question, candidate.batch_size_per_device).wasted_fraction
        return self._fragmentation[key]

    def _host(self, candidate: SetUp) -> MemoryAnswer:
        memory, precision = self._machine.memory, candidate.precision
        capacity = float(min(memory.total_bytes, memory.cgroup_limit_bytes or memory.total_bytes))
        table, size = self._tables.get(TRACE_PRECISIONS[precision]), candidate.batch_size_per_device
        need = None if table is None else host_bytes(table, self._training, precision, size)
        if need is None:
            return MemoryAnswer(capacity_bytes=capacity, beside_bytes=_HOST_PROCESS_BYTES)
        whole = need + _HOST_PROCESS_BYTES
        low, high = _HOST_RANGE
        peak = Estimate(value=whole, low=whole * low, high=whole * high, basis="specified")
        parts = (
            MemoryPart(kind="activations", size_bytes=need),
            MemoryPart(kind="context", size_bytes=_HOST_PROCESS_BYTES),
        )
        fits = peak.value <= memory.available_bytes
        return MemoryAnswer(peak=peak, parts=parts, capacity_bytes=capacity, fits=fits)

    def _capability(self, device: Device) -> str | None:
        spec = self._specs.get(device.spec_key or "") or self._machine.gpu_of(device.key)
        return None if spec is None else spec.compute_capability

    def _has_unified_memory(self, device: Device) -> bool:
        gpu, spec = self._machine.gpu_of(device.key) if device.local else None, self._specs.get(device.spec_key or "")
        return (gpu is not None and gpu.unified_memory) or (spec is not None and spec.unified_memory)

    def _capacity(self, device: Device) -> tuple[float | None, float | None]:
        """Nominal bytes and what a process may take; on a local card only what is free now."""
        if device.local:
            gpu = self._machine.gpu_of(device.key)
            if gpu is not None and gpu.memory_total_bytes is not None:
                limit = usable_bytes(gpu.memory_total_bytes)
                if gpu.memory_free_bytes is not None:
                    limit = min(limit, gpu.memory_free_bytes * (1 - _LOCAL_MARGIN_FRACTION))
                return float(gpu.memory_total_bytes), limit
        spec = self._specs.get(device.spec_key or "")
        if spec is None or spec.memory_bytes is None:
            return None, None
        return spec.memory_bytes, usable_bytes(spec.memory_bytes)


def _question_key(candidate: SetUp) -> tuple[object, ...]:
    """What the memory of a device depends on beside its batch size."""
    accumulated = candidate.gradient_accumulation_steps > 1
    return (candidate.precision, candidate.strategy, candidate.count, accumulated)


def _fraction_key(candidate: SetUp) -> tuple[object, ...]:
    """What the allocator's waste, as a fraction, depends on; none of a processor."""
    return (candidate.precision, candidate.batch_size_per_device)


def _with_memory(prediction: Prediction, found: MemoryAnswer) -> Prediction:
    if prediction.device.key == "cpu" or found.peak is None:
        return prediction
    return msgspec.structs.replace(prediction, peak_memory_bytes=found.peak, memory_parts=found.parts, fits=found.fits)


def _completed(plain: MemoryNeed, context: float, wasted: float) -> tuple[Estimate, tuple[MemoryPart, ...]]:
    """The need with this architecture's driver context and the allocator's waste in it."""
    change = context - context_bytes(_REFERENCE_CAPABILITY) + wasted
    sizes: dict[str, float] = {"context": context, "fragmentation": wasted}
    parts = tuple(MemoryPart(kind=part.kind, size_bytes=sizes.get(part.kind, part.size_bytes)) for part in plain.parts)
    peak = need_range(plain).plus(exactly(change, "specified"))
    return peak, tuple(part for part in parts if part.size_bytes > 0)
