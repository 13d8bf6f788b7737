"""Asks one card what a recording holds (fields, steps, rates), or the device that stands in for it."""

from __future__ import annotations

import csv
import statistics
import subprocess
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from advisor.catalogue.precisions import Precision
from advisor.hardware.machine import Gpu, Machine, Reading
from advisor.hardware.monitor import Monitor
from advisor.measure.collection import Collection
from advisor.measure.measurement import RateMeasurement, StepMeasurement
from advisor.measure.plan import DevicePlan
from advisor.measure.steering import Steering
from advisor.measure.worker_session import WorkerSession
from advisor.protocol.messages import Environment, Failed, MeasureRequest, MicrobenchmarkRequest, Request, WorkerEvent
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.on_gpu.recording import RateSeen, SmiCard, StepSeen

_SMI_FIELDS = (
    "uuid", "name", "driver_version", "memory.total", "power.limit", "clocks.max.sm", "temperature.gpu",
    "pcie.link.gen.current", "pcie.link.width.current",
)  # fmt: skip
_MEBIBYTE = 2**20
_BUILD_S = 90.0
"""Importing torch and building the largest model, beside a request's own budget."""
_MOST_BLOCKS = 60
"""Kept of a step: a recording of all workloads stays small."""
_DIGITS = 5


class Bench:
    """One device with its worker and its monitor; a worker that died is started anew with the next request."""

    def __init__(self, machine: Machine, gpu: Gpu | None, torch_device: str = "cuda") -> None:
        """`gpu` None: a device that no driver knows (the stand-in of a test)."""
        self.machine, self.gpu = machine, gpu
        self.torch_device = torch_device
        self.environment: Environment | None = None
        self.failures: list[Failed] = []
        self.readings: list[Reading] = []
        """Of the last request."""
        self._session: WorkerSession | None = None
        self._monitor = Monitor()

    def __enter__(self) -> Self:
        """The monitor runs until the end."""
        self._monitor.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End worker and monitor."""
        self.restart()
        self._monitor.__exit__(kind, error, trace)

    @property
    def session(self) -> WorkerSession:
        """A worker that can be asked."""
        if self._session is None or not self._session.alive:
            self.restart()
            visible = None if self.gpu is None else self.gpu.uuid
            self._session = WorkerSession(visible=visible)
        return self._session

    def restart(self) -> None:
        """Let go of the worker and of what it holds of the card."""
        if self._session is not None:
            self._session.close()
        self._session = None

    def ask(self, request: Request, budget_s: float) -> tuple[Collection, list[WorkerEvent]]:
        """One request, steered as a run of the program steers it, and judged from the readings of its time."""
        plan = DevicePlan(
            key="cpu" if self.gpu is None else self.gpu.uuid or str(self.gpu.index),
            name="stand-in" if self.gpu is None else self.gpu.name,
            torch_device=self.torch_device,
            visible=None,
            budget_s=budget_s,
            calibration_s=0.0,
            precisions=(),
            batch_sizes=(),
        )
        steering = Steering(on_cpu=False, full_method=False, gpu=self.gpu)
        collection = Collection(plan, self.machine, None, steering)
        if isinstance(request, MeasureRequest):
            collection.layer_limit = request.layer_limit
        self._monitor.readings()
        session = self.session
        events = []
        for event in session.ask(request, deadline_s=time.monotonic() + budget_s + _BUILD_S):
            found = self._monitor.readings()
            collection.readings.extend(found)
            steering.read(found)
            if event is None:
                continue
            events.append(event)
            collection.take(event)
            for control in steering.take(event):
                session.send(control)
        self.environment = collection.environment or self.environment
        self.failures += collection.failures
        self.readings = collection.readings
        return collection, events

    def steps(
        self,
        name: str,
        precision: Precision,
        *,
        batch_sizes: Sequence[int] = (),
        budget_s: float = 2.0,
        layer_limit: int | None = None,
        change: dict[str, object] | None = None,
        workload: Workload | None = None,
        expected_step_s: dict[int, float] | None = None,
    ) -> list[StepSeen]:
        """Time a bundled workload; no batch sizes: its own."""
        settings = change or {}
        chosen = with_training(workload or load_workload(name), **{"precision": precision, **settings})
        sizes = tuple(batch_sizes) or (chosen.training.batch_size,)
        request = MeasureRequest(
            workload=chosen,
            device=self.torch_device,
            batch_sizes=sizes,
            budget_s=budget_s,
            layer_limit=layer_limit,
            allow_code=True,
            expected_step_s=expected_step_s or {},
        )
        collection, _ = self.ask(request, budget_s)
        said = ",".join(f"{field}={value}" for field, value in settings.items())
        return [step_seen(name, chosen, said, step) for step in collection.steps()]

    def rates(self, budget_s: float) -> list[RateSeen]:
        """The program's own calibration of the device."""
        collection, _ = self.ask(MicrobenchmarkRequest(device=self.torch_device, budget_s=budget_s), budget_s)
        return [seen for rate in collection.rates() if (seen := _rate_seen(rate)) is not None]

    def watch(self, seconds: float) -> tuple[Reading, ...]:
        """What the monitor reads within that time."""
        self._monitor.readings()
        time.sleep(seconds)
        return tuple(self._monitor.readings())


def step_seen(name: str, workload: Workload, change: str, step: StepMeasurement) -> StepSeen:
    """A measured step as a recording keeps it."""
    kept = [sample for sample in step.samples if not sample.warm_up and sample.series == "step"][:_MOST_BLOCKS]
    return StepSeen(
        workload=name,
        precision=step.precision,
        batch_size=step.batch_size,
        mode=workload.training.mode,
        change=change,
        layer_limit=step.layer_limit,
        wall_s=tuple(_rounded(sample.wall_s) for sample in kept),
        device_s=tuple(_rounded(sample.device_s) for sample in kept if sample.device_s is not None),
        step_counts=tuple(sample.step_count for sample in kept),
        median_s=None if step.summary is None else _rounded(step.summary.median_s),
        parts_s={part: _rounded(seconds) for part, seconds in step.parts_s.items()},
        peak_allocated_bytes=None if step.memory is None else step.memory.peak_allocated_bytes,
        peak_reserved_bytes=None if step.memory is None else step.memory.peak_reserved_bytes,
        verdict=step.verdict.kind,
        why=step.verdict.reason,
    )


def smi_cards() -> tuple[SmiCard, ...]:
    """What `nvidia-smi` prints of every card."""
    query = ["nvidia-smi", f"--query-gpu={','.join(_SMI_FIELDS)}", "--format=csv,noheader,nounits"]
    done = subprocess.run(query, capture_output=True, text=True, timeout=600, check=True)
    return tuple(_card([cell.strip() for cell in row]) for row in csv.reader(done.stdout.splitlines()))


def _card(cells: Sequence[str]) -> SmiCard:
    uuid, name, driver, *figures = cells
    memory, power, clock, temperature, generation, width = (_figure(text) for text in figures)
    return SmiCard(
        uuid=uuid,
        name=name,
        driver=driver,
        memory_total_bytes=None if memory is None else memory * _MEBIBYTE,
        power_limit_w=power,
        sm_clock_max_hz=None if clock is None else clock * 1e6,
        temperature_celsius=temperature,
        pcie_generation=None if generation is None else int(generation),
        pcie_width=None if width is None else int(width),
    )


def _figure(text: str) -> float | None:
    """A number, or None for `[N/A]` and its kin."""
    try:
        return float(text)
    except ValueError:
        return None


def _rate_seen(rate: RateMeasurement) -> RateSeen | None:
    if rate.summary is None:
        return None
    times = [one.wall_s if one.device_s is None else one.device_s for one in rate.samples if not one.warm_up]
    median_s = statistics.median(times) if times else rate.summary.median_s
    return RateSeen(kind=rate.kind, precision=rate.precision, median_s=_rounded(median_s), figures=rate.figures)


def _rounded(seconds: float) -> float:
    return float(f"{seconds:.{_DIGITS}g}")


def without_identity(machine: Machine) -> Machine:
    """The machine without what names this very one: its cards' numbers and their processes."""
    cards = [
        replace(gpu, uuid=f"GPU-{number:08d}-0000-0000-0000-000000000000", pcie_bus=None, processes=())
        for number, gpu in enumerate(machine.gpus)
    ]
    return replace(machine, gpus=tuple(cards))
