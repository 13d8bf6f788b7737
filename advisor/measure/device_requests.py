"""What a device's workers are asked in turn: trace, calibration, steps, each made from what was found before."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision, TracePrecision
from advisor.core.sentences import Reason
from advisor.cost.measured_step import measured_step
from advisor.cost.memory.need import tensor_bytes
from advisor.measure.batch_choice import BatchChoice, choose
from advisor.measure.collection import Collection
from advisor.measure.device_rates import rates_of
from advisor.measure.device_workers import DeviceWorkers
from advisor.measure.kept_memory import worth_keeping
from advisor.measure.plan import DevicePlan, Plan
from advisor.optable.op_table import OpTable, least_batch
from advisor.protocol.budgets import steps_share_s
from advisor.protocol.messages import (
    ImportRequest,
    LoaderRequest,
    MeasureRequest,
    MicrobenchmarkRequest,
    Request,
    TraceRequest,
)
from advisor.workload.workload import NumbersModel, with_training

_RESERVE_S = 0.7
_LEAST_STEPS_S = 2.0
_TRIAL_S = 2.0
_LOADER_SHARE, _MOST_LOADER_S = 0.03, 0.6
_FIRST_PRECISION_SHARE = 0.85
_CROWDED_PRESSURE = 0.25
_RECENT_READINGS = 10


@dataclass
class DeviceRequests:
    """Iterate to ask; what came of a request must be in `collection` and `tables` before the next one is taken."""

    plan: Plan
    device: DevicePlan
    collection: Collection
    workers: DeviceWorkers
    tables: dict[TracePrecision, OpTable]
    trace: tuple[TracePrecision, ...]
    deadline_s: float
    """Monotonic time by which the device should be done; tracing may put it off."""

    def left_s(self) -> float:
        """Seconds until then, less what ending takes."""
        return max(0.0, self.deadline_s - _RESERVE_S - time.monotonic())

    def __iter__(self) -> Iterator[Request]:
        """The requests in turn; the later ones are made from what the earlier ones found."""
        workload = self.plan.workload
        if not isinstance(workload.model, NumbersModel):
            yield from self._preparations()
            # On a loaded machine import and trace are slow; the steps are what the run is for.
            self.deadline_s = max(self.deadline_s, time.monotonic() + steps_share_s(self.device.budget_s))
        if self.device.calibration_s > 0.0:
            threads = tuple(sorted(self.device.thread_counts, reverse=True)) or (1,)
            budget_s = min(self.device.calibration_s, max(1.0, self.left_s() * 0.4))
            yield MicrobenchmarkRequest(device=self.device.torch_device, budget_s=budget_s, thread_counts=threads)
        if isinstance(workload.model, NumbersModel):
            self.collection.caveats.append(Reason.of("measure-numbers-cannot-run"))
            return
        for number, precision in enumerate(self.device.precisions):
            last = number == len(self.device.precisions) - 1
            if number and self.left_s() < _LEAST_STEPS_S:
                break
            budget_s = max(_LEAST_STEPS_S, self.left_s() * (1.0 if last else _FIRST_PRECISION_SHARE))
            yield from self._step_requests(precision, budget_s, first=number == 0)
        yield from self._loader_passes()
        yield from self._keeping_memory()

    def _preparations(self) -> Iterator[Request]:
        """The trace, where it is missing, while the process that will train imports; then both are at rest."""
        workload = self.plan.workload
        importing = ImportRequest(workload=workload)
        on_cpu = self.device.torch_device == "cpu"
        if on_cpu:
            self.workers.start_trainer(importing)
        missing = tuple(precision for precision in self.trace if precision not in self.tables)
        if missing:
            yield TraceRequest(workload=workload, precisions=missing, allow_code=self.plan.allow_code)
        if on_cpu:
            yield importing

    def _step_requests(self, precision: Precision, budget_s: float, *, first: bool) -> Iterator[MeasureRequest]:
        choice, expected = self._choice(precision, budget_s)
        if choice is None:
            self.collection.caveats.append(self._no_room(precision))
            return
        sizes = choice.batch_sizes
        if not first:
            wanted = min(self.plan.workload.training.batch_size, sizes[-1])
            sizes = tuple(sorted({sizes[0], min(sizes, key=lambda size: abs(size - wanted)), sizes[-1]}))
        known_threads = next((step.thread_count for step in self.collection.steps()), None)
        for number, limit in enumerate(choice.layer_limits):
            left_s = budget_s / (len(choice.layer_limits) - number)
            began = time.monotonic()
            yield replace(
                self._measure(precision, sizes, left_s),
                thread_count=known_threads,
                thread_counts=self._thread_counts(),
                memory_limit_bytes=self.device.memory_limit_bytes,
                layer_limit=limit,
                expected_step_s=expected,
            )
            budget_s -= time.monotonic() - began

    def _keeping_memory(self) -> Iterator[MeasureRequest]:
        """One size again while the process keeps what it frees, where the system takes a good part of its steps.

        Last, as there is no way back; a moment beyond the budget, as only then it is known to be worth it.
        """
        worker = self.workers.current
        if self.device.torch_device != "cpu" or worker is None or not worker.alive:
            return
        step = worth_keeping(self.collection.steps(), self.plan.workload.training.batch_size)
        if step is None:
            return
        request = self._measure(step.precision, (step.batch_size,), _TRIAL_S)
        yield replace(request, thread_count=step.thread_count, keep_freed_memory=True)

    def _loader_passes(self) -> Iterator[LoaderRequest]:
        """The data loader, once a run: it is the processor's work, whichever device it feeds.

        A moment beyond the budget, after the steps, whose sizes it is asked at.
        """
        first = next((device for device in self.plan.devices if device.skipped is None), self.device)
        worker, steps = self.workers.current, self.collection.steps()
        if first.key != self.device.key or worker is None or not worker.alive or not steps:
            return
        workload = self.plan.workload
        sizes = [step.batch_size for step in steps]
        most = 8 * workload.training.batch_size
        yield LoaderRequest(
            workload=workload,
            batch_sizes=tuple(sorted({min(sizes), workload.training.batch_size, min(max(sizes), most)})),
            budget_s=min(_MOST_LOADER_S, _LOADER_SHARE * self.device.budget_s),
            allow_code=self.plan.allow_code,
        )

    def _measure(self, precision: Precision, sizes: tuple[int, ...], budget_s: float) -> MeasureRequest:
        return MeasureRequest(
            workload=with_training(self.plan.workload, precision=precision),
            device=self.device.torch_device,
            batch_sizes=sizes,
            budget_s=budget_s,
            allow_code=self.plan.allow_code,
        )

    def _choice(self, precision: Precision, budget_s: float) -> tuple[BatchChoice | None, dict[int, float]]:
        """Batch sizes by the trace and the calibration; without them the plan's first guess."""
        table = self.tables.get(TRACE_PRECISIONS[precision]) or next(iter(self.tables.values()), None)
        rates = rates_of(self.collection.rates())
        if table is None or not rates.complete:
            least = 1 if table is None else self._least(table)
            return BatchChoice(tuple(sorted({max(size, least) for size in self.device.batch_sizes}))), {}
        training = self.plan.workload.training
        on_cpu = self.device.torch_device == "cpu"

        def step_s(size: int) -> float:
            return measured_step(table, training, rates, [size], precision, on_cpu=on_cpu).total_s.item()

        limit = self.device.memory_limit_bytes
        choice = choose(
            wanted=training.batch_size,
            most=self.plan.workload.data.samples,
            budget_s=budget_s,
            expected_s=step_s,
            fits=lambda size: limit is None or tensor_bytes(table, training, precision, size, looped=on_cpu) <= limit,
            block_count=block_count_of(table),
            least=self._least(table),
        )
        return choice, {} if choice is None else {size: step_s(size) for size in choice.batch_sizes}

    def _least(self, table: OpTable) -> int:
        return least_batch((table,), self.plan.workload.training.mode)

    def _thread_counts(self) -> tuple[int, ...]:
        """What to try: on a crowded machine one thread, as several wait spinning for the one that has no core."""
        pressures = [reading.cpu_pressure_fraction for reading in self.collection.readings[-_RECENT_READINGS:]]
        measured = [pressure for pressure in pressures if pressure is not None]
        if measured and statistics.median(measured) > _CROWDED_PRESSURE:
            return (1,)
        return self.device.thread_counts

    def _no_room(self, precision: Precision) -> Reason:
        table = self.tables.get(TRACE_PRECISIONS[precision]) or next(iter(self.tables.values()))
        training, on_cpu = self.plan.workload.training, self.device.torch_device == "cpu"
        least = self._least(table)
        need = tensor_bytes(table, training, precision, least, looped=on_cpu)
        return Reason.of(
            "measure-does-not-fit",
            device=self.device.name,
            samples=least,
            need_bytes=need,
            limit_bytes=self.device.memory_limit_bytes or 0,
        )


def block_count_of(table: OpTable) -> int | None:
    """How many alike blocks the layer table shows: the longest numbered list of modules (`encoder.layer.11…`)."""
    numbers_by_module: dict[str, set[int]] = {}
    for layer in table.layers:
        parts = layer.path.split(".")
        for index, part in enumerate(parts):
            if part.isdigit():
                numbers_by_module.setdefault(".".join(parts[:index]), set()).add(int(part))
    longest = max((len(numbers) for numbers in numbers_by_module.values()), default=0)
    return longest or None
