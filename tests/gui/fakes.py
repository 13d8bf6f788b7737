"""Synthetic machines, readings and an advice, named so; every figure here is made up for the window's tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.cost.parts import MemoryPart, Part
from advisor.hardware.machine import Cpu, Gpu, GpuReading, HostMemory, Machine, Reading, Refusal, Software
from advisor.measure.measurement import Measurement, StepMeasurement, Summary, Verdict
from advisor.optable.op_table import Layer
from advisor.predict.prediction import Candidate, Prediction
from advisor.protocol.messages import Environment, Memory, Sample
from advisor.recommend.advise_from import recommend
from advisor.recommend.candidates import enumerate_candidates
from advisor.store.advice_record import AdviceRecord, ModelFacts
from advisor.workload.workload import Data, HuggingFaceModel, Training, Workload

if TYPE_CHECKING:
    from advisor.catalogue.precisions import Precision
    from advisor.catalogue.strategies import Strategy
    from advisor.core.units import Basis

GIB = 2**30
FIRST, SECOND = "GPU-11111111-2222-3333-4444-555555555555", "GPU-66666666-7777-8888-9999-000000000000"
_FLOP_PER_SAMPLE = 6 * 110e6 * 128
_PARAMETERS = 109_483_778
_RATES = {"cpu": 1.1e12, FIRST: 62e12, SECOND: 24e12}
_SLOWER = {"fp32": 3.4, "tf32": 1.9, "fp16_amp": 1.0, "bf16_amp": 1.02}


def machine(gpu_count: int = 2) -> Machine:
    """A workstation with an RTX 4090 and an RTX 3060, or with any number of 4090s."""
    gpus = [gpu(0, FIRST, "NVIDIA GeForce RTX 4090", 24, "rtx4090", 450)]
    gpus.append(gpu(1, SECOND, "NVIDIA GeForce RTX 3060", 12, "rtx3060-12", 170))
    if gpu_count > 2:
        gpus = [gpu(n, f"GPU-{n:08d}-0000", "NVIDIA GeForce RTX 4090", 24, "rtx4090", 450) for n in range(gpu_count)]
    return Machine(
        cpu=Cpu(
            name="AMD EPYC 7313 16-Core Processor",
            architecture="x86_64",
            physical_core_count=16,
            logical_core_count=32,
            usable_core_count=32,
            cgroup_core_limit_count=None,
            max_clock_hz=3.73e9,
            instruction_sets=("avx2", "fma"),
        ),
        memory=HostMemory(total_bytes=128 * GIB, available_bytes=101 * GIB, cgroup_limit_bytes=None),
        gpus=tuple(gpus[:gpu_count]),
        software=Software(
            os="Ubuntu 24.04", python="3.12.7", driver="580.95", cuda_driver="13.0", torch="2.9.0", torch_cuda="12.8"
        ),
    )


def gpu(index: int, uuid: str, name: str, gib: int, spec_key: str | None, power_w: float) -> Gpu:
    """One card; the second one refuses to tell its power."""
    return Gpu(
        uuid=uuid,
        index=index,
        vendor="nvidia",
        name=name,
        compute_capability="8.9" if gib > 12 else "8.6",
        memory_total_bytes=gib * GIB,
        memory_free_bytes=gib * GIB - 700 * 2**20,
        sm_clock_hz=2.52e9,
        sm_clock_max_hz=3.1e9,
        power_w=None if index == 1 else 58.0,
        power_limit_w=power_w,
        temperature_celsius=41.0 + index,
        pcie_generation=4,
        pcie_width=16,
        spec_key=spec_key,
        refusals=(Refusal(field="power_w", reason=Reason.of("window-unknown")),) if index == 1 else (),
    )


def readings(of: Machine, *, count: int = 6000, start_s: float = 1000.0) -> list[Reading]:
    """Ten minutes at 10 Hz: idle, three measured phases, and a gap."""
    made = []
    for number in range(count):
        share = number / count
        busy = 0.15 < share < 0.35 or 0.45 < share < 0.62 or 0.7 < share < 0.95
        wave = 0.5 + 0.5 * math.sin(number / 90)
        jitter = ((number * 7919) % 97) / 97
        made.append(
            Reading(
                monotonic_s=start_s + 0.1 * number,
                cpu_utilisation_fraction=0.12 + 0.25 * busy + 0.08 * jitter,
                memory_used_bytes=int((22 + 6 * busy + jitter) * GIB),
                cpu_pressure_fraction=0.02 + 0.03 * jitter,
                gpus=tuple(_gpu_reading(one, busy=busy, wave=wave, jitter=jitter) for one in of.gpus),
            )
        )
    del made[2000:2120]
    return made


def _gpu_reading(one: Gpu, *, busy: bool, wave: float, jitter: float) -> GpuReading:
    lag = 1 - 0.09 * one.index
    load = (0.78 + 0.18 * wave * lag + 0.04 * jitter) * lag if busy else 0.02 + 0.02 * jitter
    return GpuReading(
        uuid=one.uuid,
        index=one.index,
        utilisation_fraction=min(load, 1.0),
        memory_used_bytes=int((0.8 + 10 * busy * lag + 0.3 * jitter) * GIB),
        power_w=None if one.index == 1 else 55 + 330 * load,
        sm_clock_hz=(2.1e9 + 0.5e9 * load) * lag,
        temperature_celsius=40 + 30 * load * lag,
        throttle_bits=0,
    )


def workload() -> Workload:
    """BERT-base on SST-2."""
    return Workload(
        name="BERT-base on SST-2",
        model=HuggingFaceModel(config="bert-base-uncased", task="sequence-classification"),
        data=Data(samples=67_349, validation_samples=872, sequence_length=128),
        training=Training(precision="fp16_amp", batch_size=16, epochs=3),
    )


def advice() -> AdviceRecord:
    """A whole advice: two local GPUs, the CPU, five cards of the table; all counts, precisions and batches."""
    specs = spec_table()
    here, task = machine(), workload()
    predictions = [_predict(one, task) for one in enumerate_candidates(task, here, specs, strategies=STRATEGIES)]
    measurements = tuple(_measurement(here, key) for key in ("cpu", FIRST, SECOND))
    found = recommend(task, here, predictions, measurements, specs=specs)
    return AdviceRecord(
        created_utc="2026-11-21T09:30:00Z",
        advisor_version="0.1.0",
        workload=task,
        model=ModelFacts(
            source="huggingface",
            parameter_count=_PARAMETERS,
            trainable_parameter_count=_PARAMETERS,
            flop_per_sample=_FLOP_PER_SAMPLE,
            traced=True,
            layers=_layers(),
        ),
        machine=here,
        measurements=measurements,
        predictions=found.predictions,
        recommendation=found.recommendation,
        recommendation_local=found.recommendation_local,
        batch_advice=found.batch_advice,
        crossovers=found.crossovers,
        alternatives=found.alternatives,
        reasons=found.reasons,
        caveats=found.caveats,
    )


STRATEGIES: tuple[Strategy, ...] = ("single", "dp", "ddp", "fsdp")


def _layers() -> tuple[Layer, ...]:
    per_layer = 7_087_872
    embeddings = Layer(
        path="bert.embeddings",
        module="BertEmbeddings",
        parameter_count=23_837_184,
        flop=(0.0, 2e6),
        activation_bytes=(0.0, 1.2e6),
    )
    blocks = [
        Layer(
            path=f"bert.encoder.layer.{number}",
            module="BertLayer",
            parameter_count=per_layer,
            flop=(0.0, 1.86e9),
            activation_bytes=(0.0, 9.4e6),
        )
        for number in range(12)
    ]
    return (embeddings, *blocks)


def _rate(candidate: Candidate) -> float:
    known = _RATES.get(candidate.device.key)
    if known is not None:
        return known / _SLOWER[candidate.precision]
    spec = spec_table()[candidate.device.key]
    table: dict[str, float | None] = {
        "fp32": spec.fp32_flop_per_s,
        "tf32": spec.tf32_flop_per_s or spec.fp32_flop_per_s,
        "fp16_amp": spec.fp16_flop_per_s,
        "bf16_amp": spec.bf16_flop_per_s or spec.fp16_flop_per_s,
    }
    return 0.42 * (table[candidate.precision] or 1e12)


def _capacity(key: str) -> float:
    local = {"cpu": 101.0 * GIB, FIRST: 24.0 * GIB, SECOND: 12.0 * GIB}
    return local.get(key) or float(spec_table()[key].memory_bytes or 0)


def _predict(candidate: Candidate, task: Workload) -> Prediction:
    batch, count, key = candidate.batch_size_per_device, candidate.count, candidate.device.key
    compute_s = batch * _FLOP_PER_SAMPLE * (1 + 6 / batch) / _rate(candidate)
    optimizer_s = _PARAMETERS * 28 / (60e9 if key == "cpu" else 700e9)
    host_s = 0.0 if key == "cpu" else 0.0025
    shared_s = 0.0 if count == 1 else _PARAMETERS * 4 * (count - 1) / count / 11e9
    shared_s *= {"dp": 2.4, "fsdp": 1.6}.get(candidate.strategy, 0.7)
    seconds = {
        "forward": compute_s / 3,
        "backward": compute_s * 2 / 3,
        "optimizer": optimizer_s,
        "host": host_s,
        "copy": 2e-5 * batch,
        "communication": shared_s,
    }
    parts = tuple(Part(kind=kind, duration_s=one) for kind, one in seconds.items() if one > 0)  # type: ignore[arg-type]
    step_s = sum(part.duration_s for part in parts)
    measured = candidate.device.local and count == 1 and batch in {8, 16, 32}
    basis: Basis = "measured" if measured else "calibrated" if candidate.device.local else "specified"
    spread = {"measured": 0.02, "calibrated": 0.09, "specified": 0.21}[basis]
    whole = batch * count * candidate.gradient_accumulation_steps
    step_s *= candidate.gradient_accumulation_steps
    steps = math.ceil(task.data.samples / whole) * task.training.epochs
    memory = _memory(batch, candidate.precision, cpu=key == "cpu")
    need = sum(part.size_bytes for part in memory)
    step = Estimate(value=step_s, low=step_s * (1 - spread), high=step_s * (1 + spread), basis=basis)
    scale = candidate.gradient_accumulation_steps
    return Prediction(
        device=candidate.device,
        count=count,
        strategy=candidate.strategy,
        precision=candidate.precision,
        batch_size_per_device=batch,
        global_batch_size=whole,
        gradient_accumulation_steps=scale,
        step_s=step,
        parts=tuple(Part(kind=part.kind, duration_s=part.duration_s * scale) for part in parts),
        samples_per_s=Estimate(value=whole / step.value, low=whole / step.high, high=whole / step.low, basis=basis),
        peak_memory_bytes=Estimate(value=need, low=need * 0.94, high=need * 1.06, basis="calibrated"),
        memory_parts=memory,
        memory_capacity_bytes=_capacity(key),
        fits=need * 1.06 < 0.94 * _capacity(key),
        job_s=step.scaled(steps),
        measured=measured,
    )


def _memory(batch: int, precision: Precision, *, cpu: bool) -> tuple[MemoryPart, ...]:
    half = 0.62 if precision in {"fp16_amp", "bf16_amp"} else 1.0
    sizes = {
        "parameters": _PARAMETERS * 4.0,
        "gradients": _PARAMETERS * 4.0,
        "optimizer": _PARAMETERS * 8.0,
        "activations": 148e6 * batch * half,
        "workspace": 0.3e9,
        "context": 0.0 if cpu else 0.52e9,
    }
    return tuple(MemoryPart(kind=kind, size_bytes=size) for kind, size in sizes.items())  # type: ignore[arg-type]


def _measurement(here: Machine, key: str) -> Measurement:
    name = here.cpu.name if key == "cpu" else next(one.name for one in here.gpus if one.uuid == key)
    specs = {one.device.key: one.device for one in enumerate_candidates(workload(), here, {})}
    steps = []
    for batch in (8, 16, 32):
        candidate = Candidate(
            device=specs[key], count=1, strategy="single", precision="fp16_amp", batch_size_per_device=batch
        )
        steps.append(_step(_predict(candidate, workload()).step_s.value, batch))
    return Measurement(
        device_key=key,
        device_name=name or "CPU",
        created_utc="2026-11-21T09:29:30Z",
        workload_name=workload().name,
        environment=Environment(
            torch="2.9.0", torch_cuda="12.8", arch_list=(), device_name=name, device_uuid=None, thread_count=16
        ),
        steps=tuple(steps),
        readings=tuple(readings(here, count=600)) if key == FIRST else (),
        verdict=Verdict(kind="stable", half_width_fraction=0.008),
    )


def _step(step_s: float, batch: int) -> StepMeasurement:
    samples = tuple(
        Sample(
            series="step",
            batch_size=batch,
            precision="fp16_amp",
            step_count=4,
            wall_s=step_s * (1 + 0.02 * math.sin(number * 2.1) + (0.4 if number < 3 else 0)),
            device_s=None,
            started_monotonic_s=1010 + number * 0.4 + batch * 0.6,
            warm_up=number < 3,
        )
        for number in range(30)
    )
    summary = Summary(
        median_s=step_s,
        low_s=step_s * 0.992,
        high_s=step_s * 1.008,
        mad_s=step_s * 0.01,
        first_quartile_s=step_s * 0.99,
        third_quartile_s=step_s * 1.01,
        sample_count=27,
        duration_s=2.4,
        stop_reason="settled",
        drift_ratio=1.003,
    )
    memory = Memory(
        batch_size=batch, precision="fp16_amp", peak_allocated_bytes=int(2e9 + 92e6 * batch), how="cuda_allocator"
    )
    return StepMeasurement(
        batch_size=batch,
        precision="fp16_amp",
        thread_count=16,
        layer_limit=None,
        samples=samples,
        summary=summary,
        device_summary=None,
        parts_s={"forward": step_s * 0.3, "backward": step_s * 0.6, "optimizer": step_s * 0.1},
        memory=memory,
        verdict=Verdict(kind="stable", half_width_fraction=0.008),
    )
