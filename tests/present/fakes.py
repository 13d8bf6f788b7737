"""A small advice of real types with synthetic figures, for tests of what is written and read."""

from __future__ import annotations

from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.cost.parts import Part
from advisor.hardware.machine import Cpu, HostMemory, Machine, Software
from advisor.measure.measurement import Measurement, Verdict
from advisor.predict.prediction import Device, Prediction
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord, ModelFacts
from advisor.store.history import Truth
from advisor.workload.workload import Data, TemplateModel, Training, Workload

GIB = 2.0**30


def estimate(value: float, spread: float = 0.1) -> Estimate:
    return Estimate(value=value, low=value * (1 - spread), high=value * (1 + spread), basis="specified")


def machine(cpu_name: str = "Synthetic CPU", torch: str = "2.13.0") -> Machine:
    cpu = Cpu(
        name=cpu_name,
        architecture="x86_64",
        physical_core_count=2,
        logical_core_count=2,
        usable_core_count=2,
        cgroup_core_limit_count=None,
        max_clock_hz=2.5e9,
        instruction_sets=("avx2",),
    )
    memory = HostMemory(total_bytes=24 * 2**30, available_bytes=20 * 2**30, cgroup_limit_bytes=None)
    return Machine(cpu=cpu, memory=memory, software=Software(os="Linux", python="3.11.7", torch=torch))


def prediction(device: Device, count: int = 1, step_s: float = 0.2) -> Prediction:
    rate = estimate(16 * count / step_s)
    return Prediction(
        device=device,
        count=count,
        strategy="single" if count == 1 else "ddp",
        precision="fp16_amp",
        batch_size_per_device=16,
        global_batch_size=16 * count,
        gradient_accumulation_steps=1,
        step_s=estimate(step_s),
        parts=(Part(kind="forward", duration_s=step_s * 0.3), Part(kind="backward", duration_s=step_s * 0.7)),
        samples_per_s=rate,
        peak_memory_bytes=estimate(6 * GIB),
        memory_capacity_bytes=24 * GIB,
        fits=True,
        job_s=estimate(10_000 / rate.value),
    )


def advice(workload_name: str = "Synthetic workload", device_name: str = "Synthetic GPU") -> AdviceRecord:
    device = Device(key="synthetic", name=device_name, spec_key=None, local=False)
    best = prediction(device, count=2)
    recommendation = Recommendation(
        device=device,
        count=2,
        strategy="ddp",
        precision="fp16_amp",
        batch_size_per_device=16,
        global_batch_size=32,
        gradient_accumulation_steps=1,
        goal="time",
        step_s=best.step_s,
        job_s=best.job_s,
        peak_memory_bytes=best.peak_memory_bytes,
        samples_per_s=best.samples_per_s,
        why=(),
    )
    workload = Workload(
        name=workload_name,
        model=TemplateModel(template="mlp", layers=(4, 10, 3)),
        data=Data(samples=10_000),
        training=Training(precision="fp16_amp", batch_size=16),
    )
    facts = ModelFacts(
        source="template", parameter_count=83, trainable_parameter_count=83, flop_per_sample=420.0, traced=True
    )
    return AdviceRecord(
        created_utc="2026-11-21T08:00:00Z",
        advisor_version="0.1.0",
        workload=workload,
        model=facts,
        machine=machine(),
        predictions=(prediction(device), best),
        recommendation=recommendation,
        recommendation_local=None,
        caveats=(Reason.of("history-newer", version=2, known=1),),
    )


def calibration(device_key: str = "cpu") -> Measurement:
    return Measurement(
        device_key=device_key,
        device_name="Synthetic CPU",
        created_utc="2026-11-21T08:00:00Z",
        workload_name=None,
        environment=None,
        verdict=Verdict(kind="stable"),
    )


def truth(actual_s: float = 0.1) -> Truth:
    """What came true of a prediction of 0.1 s."""
    return Truth(
        created_utc="2026-11-21T08:00:00Z",
        workload_name="w",
        device_name="d",
        count=1,
        strategy="single",
        precision="fp32",
        batch_size_per_device=8,
        gradient_accumulation_steps=1,
        predicted_step_s=estimate(0.1),
        actual_step_s=actual_s,
        actual_low_s=actual_s,
        actual_high_s=actual_s,
    )
