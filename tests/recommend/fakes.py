"""Synthetic but physically sensible predictions: a roofline with launch cost, so that tests choose their regime."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import Precision
from advisor.core.units import Basis, Estimate
from advisor.cost.parts import Part, PartKind
from advisor.hardware.machine import Cpu, Gpu, HostMemory, Machine, Software
from advisor.measure.measurement import Measurement, StepMeasurement, Verdict, VerdictKind
from advisor.predict.prediction import Candidate, Prediction
from advisor.recommend.comparison import Comparison
from advisor.recommend.precisions import rate_of
from advisor.recommend.recommendation import Limits
from advisor.recommend.switches import Switch
from advisor.workload.workload import Data, Mode, TemplateModel, Training, Workload

CPU = Cpu(
    name="Test CPU",
    architecture="x86_64",
    physical_core_count=8,
    logical_core_count=16,
    usable_core_count=16,
    cgroup_core_limit_count=None,
    max_clock_hz=4e9,
    instruction_sets=("avx2", "avx512_bf16"),
)
LAUNCH_S = 5e-6
CPU_FLOP_PER_S = 5e11


def machine(*gpus: Gpu) -> Machine:
    return Machine(
        cpu=CPU,
        memory=HostMemory(total_bytes=64 * 2**30, available_bytes=60 * 2**30, cgroup_limit_bytes=None),
        gpus=gpus,
        software=Software(os="Linux", python="3.11"),
    )


def gpu(index: int = 0, name: str = "NVIDIA GeForce RTX 3090", spec_key: str | None = "rtx3090", **more: object) -> Gpu:
    given: dict[str, object] = {
        "uuid": f"GPU-{index:08d}",
        "memory_total_bytes": 24 * 2**30,
        "power_limit_w": 350.0,
        "compute_capability": "8.6",
        **more,
    }
    return Gpu(index=index, vendor="nvidia", name=name, spec_key=spec_key, **given)  # type: ignore[arg-type]


def spec(key: str, name: str, rates: tuple[float, float | None, float | None, float | None], **more: object) -> GpuSpec:
    """Rates in TFLOP/s: FP32, TF32, FP16, BF16."""
    fp32, tf32, fp16, bf16 = (None if rate is None else rate * 1e12 for rate in rates)
    given: dict[str, object] = {
        "compute_capability": "8.6",
        "memory_bytes": 24 * 2.0**30,
        "memory_bandwidth_bytes_per_s": 936e9,
        "l2_bytes": 6e6,
        "power_w": 350.0,
        **more,
    }
    return GpuSpec(
        key=key, name=name, fp32_flop_per_s=fp32, tf32_flop_per_s=tf32, fp16_flop_per_s=fp16, bf16_flop_per_s=bf16,
        source="test", checked="2026-01-01", **given,  # type: ignore[arg-type]
    )  # fmt: skip


SPECS = {
    one.key: one
    for one in (
        spec(
            "v100-sxm2-32", "Tesla V100 SXM2 32 GB", (15.7, None, 125.3, None), memory_bytes=32 * 2.0**30,
            memory_bandwidth_bytes_per_s=900e9, power_w=300.0, nvlink_bytes_per_s=150e9,
            compute_capability="7.0",
        ),
        spec(
            "a100-sxm4-40", "A100 SXM4 40 GB", (19.5, 156.0, 312.0, 312.0), memory_bytes=40 * 2.0**30,
            memory_bandwidth_bytes_per_s=1555e9, power_w=400.0, nvlink_bytes_per_s=300e9, nvswitch=True,
            l2_bytes=40e6, compute_capability="8.0",
        ),
        spec(
            "a100-pcie-40", "A100 PCIe 40 GB", (19.5, 156.0, 312.0, 312.0), memory_bytes=40 * 2.0**30,
            memory_bandwidth_bytes_per_s=1555e9, power_w=250.0, l2_bytes=40e6, compute_capability="8.0",
        ),
        spec("rtx3090", "GeForce RTX 3090", (35.6, 35.6, 71.2, 71.2), nvlink_bytes_per_s=56e9),
        spec(
            "rtx4090", "GeForce RTX 4090", (82.6, 82.6, 165.2, 165.2), memory_bandwidth_bytes_per_s=1008e9,
            power_w=450.0, l2_bytes=72e6, compute_capability="8.9",
        ),
        spec(
            "l40s", "L40S", (91.6, 183.0, 362.0, 362.0), memory_bytes=48 * 2.0**30,
            memory_bandwidth_bytes_per_s=864e9, l2_bytes=96e6, compute_capability="8.9",
        ),
        spec("wide", "Wide", (35.6, 35.6, 71.2, 71.2), memory_bandwidth_bytes_per_s=3e12),
        spec("rtx3080ti", "GeForce RTX 3080 Ti", (34.1, 34.1, 68.2, 68.2), memory_bytes=12 * 2.0**30),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Physics:
    """What a step of the fake model is made of."""

    flop_per_sample: float = 5e10
    bytes_per_sample: float = 5e7
    kernel_count: int = 800
    gradient_bytes: float = 4.4e8
    memory_fixed_bytes: float = 2e9
    memory_per_sample_bytes: float = 2e8
    spread: float = 0.05
    loader_s: float = 0.0


TRANSFORMER = Physics()
TINY = Physics(
    flop_per_sample=500, bytes_per_sample=400, kernel_count=60, gradient_bytes=300, memory_fixed_bytes=1e6,
    memory_per_sample_bytes=1e3,
)  # fmt: skip
RECURRENT = Physics(
    flop_per_sample=2e7, bytes_per_sample=1e5, kernel_count=600, gradient_bytes=3e5, memory_fixed_bytes=1e8,
    memory_per_sample_bytes=1e5,
)  # fmt: skip


def workload(
    precision: Precision = "fp32",
    batch_size: int = 16,
    samples: int = 67349,
    mode: Mode = "training",
    validation_samples: int = 0,
    **training: object,
) -> Workload:
    return Workload(
        name="fake",
        model=TemplateModel(template="mlp", layers=(4, 10, 3)),
        data=Data(samples=samples, validation_samples=validation_samples),
        training=Training(precision=precision, batch_size=batch_size, mode=mode, **training),  # type: ignore[arg-type]
    )


def estimate(value: float, spread: float = 0.1, basis: Basis = "specified") -> Estimate:
    return Estimate(value=value, low=value * (1 - spread), high=value * (1 + spread), basis=basis)


def switch(
    gain: Estimate | None, saved_bytes: float | None = 0.0, *, peak: Estimate | None = None, fits: bool = True
) -> Switch:
    """torch.compile with such a gain on one card."""
    return Switch(
        kind="compile",
        device_key="a",
        device_name="A",
        count=1,
        strategy="single",
        batch_size_per_device=8,
        gradient_accumulation_steps=1,
        step_s=Estimate(value=0.1, low=0.08, high=0.125, basis="specified"),
        gain=gain,
        peak_memory_bytes=peak,
        saved_bytes=saved_bytes,
        fits=fits,
    )


def predict(
    candidate: Candidate, physics: Physics, work: Workload, *, measured_keys: tuple[str, ...] = ()
) -> Prediction:
    """One prediction from the fake physics; local devices in `measured_keys` have basis `measured`."""
    parts = _parts(candidate, physics)
    step = sum(parts.values())
    total = candidate.batch_size_per_device * candidate.count * candidate.gradient_accumulation_steps
    basis: Basis = "measured" if candidate.device.key in measured_keys else "specified"
    step_s = estimate(step, physics.spread, basis)
    rate = Estimate(value=total / step_s.value, low=total / step_s.high, high=total / step_s.low, basis=basis)
    row = SPECS.get(candidate.device.spec_key or "")
    capacity = row.memory_bytes if row is not None else 60 * 2.0**30
    need = physics.memory_fixed_bytes + physics.memory_per_sample_bytes * candidate.batch_size_per_device
    if candidate.strategy in {"fsdp", "fsdp_offload", "zero2"}:
        need -= physics.memory_fixed_bytes * (1 - 1 / (2 * candidate.count))
    assert capacity is not None
    steps = math.ceil(work.data.samples / total) * work.training.epochs
    return Prediction(
        device=candidate.device,
        count=candidate.count,
        strategy=candidate.strategy,
        precision=candidate.precision,
        batch_size_per_device=candidate.batch_size_per_device,
        global_batch_size=total,
        gradient_accumulation_steps=candidate.gradient_accumulation_steps,
        step_s=step_s,
        parts=tuple(Part(kind=kind, duration_s=duration) for kind, duration in parts.items() if duration > 0),
        samples_per_s=rate,
        peak_memory_bytes=estimate(need, 0.05),
        memory_capacity_bytes=capacity,
        fits=need < 0.9 * capacity,
        job_s=step_s.scaled(steps),
        efficiency=_efficiency(parts) if candidate.count > 1 else None,
        measured=candidate.device.key in measured_keys,
    )


def _efficiency(parts: dict[PartKind, float]) -> Estimate:
    value = 1 - parts["communication"] / sum(parts.values())
    return Estimate(value=value, low=0.9 * value, high=min(1.0, 1.05 * value), basis="specified")


def _parts(candidate: Candidate, physics: Physics) -> dict[PartKind, float]:
    row = SPECS.get(candidate.device.spec_key or "")
    passes = candidate.gradient_accumulation_steps
    flop = physics.flop_per_sample * candidate.batch_size_per_device * passes
    if candidate.device.key == "cpu" or row is None:
        speed_up = 2.0 if candidate.precision == "bf16_amp" else 1.0
        busy = flop / (CPU_FLOP_PER_S * speed_up) + 40e-6
        return {"forward": busy / 3, "backward": busy * 2 / 3, "optimizer": 1e-5, "loader": physics.loader_s}
    rate = rate_of(row, candidate.precision)
    assert rate is not None
    assert row.memory_bandwidth_bytes_per_s is not None
    moved = physics.bytes_per_sample * candidate.batch_size_per_device * passes / row.memory_bandwidth_bytes_per_s
    busy = max(flop / (0.5 * rate), moved)
    host = max(0.0, physics.kernel_count * LAUNCH_S * passes - busy)
    count = candidate.count
    communication = 0.0
    if count > 1:
        bus = row.nvlink_bytes_per_s or 10e9
        times = 2.0 if candidate.strategy == "dp" else 1.0
        communication = times * (2 * (count - 1) / count * physics.gradient_bytes / bus * 0.4 + 2e-4)
        if candidate.strategy == "dp":
            host += physics.kernel_count * LAUNCH_S * (count - 1)
    return {
        "forward": busy / 3,
        "backward": busy * 2 / 3,
        "optimizer": physics.gradient_bytes * 4 / row.memory_bandwidth_bytes_per_s,
        "host": host,
        "synchronisation": 2e-5,
        "communication": communication,
        "loader": physics.loader_s,
    }


def predict_all(
    candidates: tuple[Candidate, ...], physics: Physics, work: Workload, measured_keys: tuple[str, ...] = ()
) -> tuple[Prediction, ...]:
    return tuple(predict(one, physics, work, measured_keys=measured_keys) for one in candidates)


def measurement(key: str, kind: VerdictKind, *, batch_size: int = 16, thread_count: int | None = 8) -> Measurement:
    step = StepMeasurement(
        batch_size=batch_size,
        precision="fp32",
        thread_count=thread_count,
        layer_limit=None,
        samples=(),
        summary=None,
        device_summary=None,
        parts_s={},
        memory=None,
        verdict=Verdict(kind=kind),
    )
    return Measurement(
        device_key=key,
        device_name=key,
        created_utc="2026-01-01T00:00:00Z",
        workload_name="fake",
        environment=None,
        steps=(step,),
        verdict=Verdict(kind=kind),
    )


def comparison(own_batch: int, global_limit: int, samples: int, predictions: Sequence[Prediction] = ()) -> Comparison:
    """A question about batch sizes alone."""
    return Comparison(
        workload=workload(batch_size=own_batch, samples=samples),
        goal="time",
        limits=Limits(),
        specs={},
        draws={},
        untrusted={},
        global_limit=global_limit,
        predictions=tuple(predictions),
    )
