"""Operator tables and cards made by hand, for tests with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import Precision, TracePrecision
from advisor.cost.host_time import HostSpeed
from advisor.cost.memory.need import MemoryNeed, answered, memory_question
from advisor.cost.step_time import StepGrid, predict_steps
from advisor.cost.traced_step import TracedStep
from advisor.optable.compiled_table import CompiledTable, compile_table
from advisor.optable.op_table import (
    Affine,
    AttentionShape,
    ConvolutionPass,
    ConvolutionShape,
    MatmulShape,
    Op,
    OpKind,
    OpTable,
    Phase,
    RnnShape,
)
from advisor.workload.workload import Training

CARD = GpuSpec(
    key="a100-sxm4-40",
    name="A100 SXM4 40 GB",
    compute_capability="8.0",
    sm_count=108,
    boost_clock_hz=1.41e9,
    fp32_flop_per_s=19.49e12,
    tf32_flop_per_s=156e12,
    fp16_flop_per_s=312e12,
    bf16_flop_per_s=312e12,
    memory_bytes=40 * 2.0**30,
    memory_bandwidth_bytes_per_s=1.555e12,
    l2_bytes=40 * 2.0**20,
    power_w=400.0,
    pcie_generation=4,
    pcie_lane_count=16,
    source="data sheet",
    checked="2026-11-21",
)
OLD_CARD = replace(
    CARD,
    key="v100-sxm2-32",
    name="Tesla V100 SXM2 32 GB",
    compute_capability="7.0",
    tf32_flop_per_s=None,
    bf16_flop_per_s=None,
    fp16_flop_per_s=125.3e12,
    fp32_flop_per_s=15.67e12,
    boost_clock_hz=1.53e9,
    sm_count=80,
    power_w=300.0,
)


def fixed(value: float) -> Affine:
    return (float(value), 0.0)


def op(
    kind: OpKind, moved: Affine, *, phase: Phase = "forward", element_bytes: int = 4, flop: Affine = (0.0, 0.0)
) -> Op:
    """Half of `moved` is read, half written."""
    half = (moved[0] / 2, moved[1] / 2)
    return Op(
        kind=kind,
        name=kind,
        phase=phase,
        element_bytes=element_bytes,
        kernel_count=1,
        count=1,
        flop=flop,
        read_bytes=half,
        written_bytes=half,
    )


def matmul(m: Affine, n: int, k: int, *, element_bytes: int = 4, batch: int = 1, phase: Phase = "forward") -> Op:
    flop = (2.0 * batch * m[0] * n * k, 2.0 * batch * m[1] * n * k)
    moved = tuple(element_bytes * batch * (m[part] * (k + n) + (k * n if part == 0 else 0)) for part in (0, 1))
    base = op("matmul", (moved[0], moved[1]), element_bytes=element_bytes, flop=flop, phase=phase)
    return replace(base, matmul=MatmulShape(batch=fixed(batch), m=m, n=fixed(n), k=fixed(k)))


def convolution(
    channels: int,
    *,
    kernel: int = 3,
    groups: int = 1,
    direction: ConvolutionPass = "forward",
    element_bytes: int = 4,
    positions: Affine = (0.0, 3136.0),
    kernel_elements: int | None = None,
) -> Op:
    elements = kernel_elements or kernel * kernel
    inner = channels // groups
    flop = (2.0 * positions[0] * channels * inner * elements, 2.0 * positions[1] * channels * inner * elements)
    data = (2.0 * element_bytes * positions[0] * channels, 2.0 * element_bytes * positions[1] * channels)
    base = op(
        "convolution",
        data,
        element_bytes=element_bytes,
        flop=flop,
        phase="forward" if direction == "forward" else "backward",
    )
    return replace(
        base,
        convolution=ConvolutionShape(
            direction=direction,
            groups=groups,
            output_positions=positions,
            output_channels_per_group=inner,
            input_channels_per_group=inner,
            kernel_elements=elements,
            unit_stride=True,
            transposed=False,
            data_bytes=data,
            weight_bytes=float(element_bytes * channels * inner * elements),
        ),
    )


def attention(
    implementation: str, *, length: int = 1024, phase: Phase = "forward", element_bytes: int = 2, size: int = 64
) -> Op:
    heads = (0.0, 12.0)
    flop = (0.0, 4.0 * 12 * length * length * size * (1.0 if phase == "forward" else 2.5))
    data = (0.0, 4.0 * 12 * length * size * element_bytes)
    return replace(
        op("attention", data, element_bytes=element_bytes, flop=flop, phase=phase),
        attention=AttentionShape(
            implementation=implementation,  # type: ignore[arg-type]
            batch_heads=heads,
            query_length=length,
            key_length=length,
            head_size=size,
            causal=False,
        ),
    )


def lstm(*, steps: int = 100, phase: Phase = "forward", layers: int = 1) -> Op:
    work = (0.0, 2.0 * steps * 4 * 512 * 1024 * layers)
    return replace(
        op("rnn", (1e6, 1e5), flop=work, phase=phase),
        rnn=RnnShape(
            cell="lstm", steps=steps, batch=(0.0, 1.0), input_size=512, hidden_size=512, layers=layers, directions=1
        ),
    )


def table(*ops: Op, precision: TracePrecision = "fp32", dispatches: int = 0, input_bytes: float = 0.0) -> OpTable:
    """A model of one million trainable parameters in ten tensors."""
    return OpTable(
        precision=precision,
        ops=ops,
        parameter_count=1_000_000,
        trainable_parameter_count=1_000_000,
        parameter_tensor_count=10,
        parameter_bytes=4e6,
        trainable_parameter_bytes=4e6,
        gradient_bytes=4e6,
        trainable_tensor_bytes=(4e5,) * 10,
        buffer_bytes=0.0,
        input_bytes=(0.0, input_bytes),
        dispatch_count={"forward": dispatches, "backward": dispatches},
        synchronisation_count=0,
        gradients_ready=(),
        memory=None,
    )


def training(**changes: object) -> Training:
    """FP32 without an optimizer and without reads of the loss: only forward and backward count."""
    plain = Training(precision="fp32", batch_size=8, optimizer="none", read_loss_every=0)
    return replace(plain, **changes)


def need_of(
    table: OpTable,
    how: Training,
    precision: Precision,
    batch_size: int,
    *,
    compute_capability: str | None = "8.0",
    **split: Any,
) -> MemoryNeed:
    question = memory_question(table, how, precision, compute_capability=compute_capability, **split)
    assert question is not None
    return answered(question, batch_size)


def predicted_steps(
    model: OpTable | CompiledTable,
    how: Training,
    precision: Precision,
    specs: Sequence[GpuSpec],
    batch_sizes: Sequence[int],
    *,
    host: HostSpeed | None = None,
    software_year: int | None = None,
    flash_generation: int | None = None,
    **more: Any,
) -> StepGrid:
    compiled = compile_table(model)
    step = TracedStep(
        compiled=compiled,
        training=how,
        precision=precision,
        host=host or HostSpeed(),
        software_year=software_year,
        flash_generation=flash_generation,
    )
    return predict_steps(step, specs, batch_sizes, **more)
