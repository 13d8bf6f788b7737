"""A device's measured rates by size, and what they say a training step would take there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.measure.measurement import RateMeasurement
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training

Floats = npt.NDArray[np.float64]

_COMPUTE_SERIES = {"matmul": "matmul", "convolution": "convolution", "attention": "attention", "rnn": "matmul"}
_MEMORY_SERIES = {"norm": "reduction", "softmax": "reduction", "reduction": "reduction"}
_CHAIN_CALLS_PER_LINK = 8.0
"""Of the host_overhead kernel: product and tanh forward; their three gradients, two transposes and a sum backward."""
_JOIN = 4.0
_HOST_JOIN = 8.0
_HALF_BYTES = 2
_SINGLE_BYTES = 4
_STEP_PASSES = {"adamw": 7.0, "adam": 7.0, "adafactor": 7.0, "lamb": 9.0, "sgd_momentum": 5.0, "sgd": 3.0, "none": 0.0}


@dataclass(frozen=True)
class Curve:
    """A rate (per second) by the size of the work, between measured sizes on a log-log line, flat beyond them."""

    sizes: Floats
    rates: Floats

    def at(self, size: Floats) -> Floats:
        """Rate at each size."""
        logs = np.interp(np.log(np.maximum(size, 1.0)), np.log(self.sizes), np.log(self.rates))
        return np.exp(logs)


@dataclass(frozen=True)
class DeviceRates:
    """All that calibration knows of a device; curves by (kernel, precision)."""

    compute: dict[tuple[str, str], Curve] = field(default_factory=dict)
    """flop a second by flop of a call."""
    memory: dict[tuple[str, str], Curve] = field(default_factory=dict)
    """bytes a second by bytes of a call."""
    depthwise_flop_per_s: float | None = None
    call_s: float | None = None
    """Host time of one operator call, autograd's share included."""
    synchronise_s: float | None = None
    host_to_device_bytes_per_s: float | None = None
    optimizer_tensor_s: float | None = None
    optimizer_bytes_per_s: float | None = None

    @property
    def complete(self) -> bool:
        """Whether there is enough to expect a step time at all."""
        return ("matmul", "fp32") in self.compute and ("elementwise", "fp32") in self.memory and self.call_s is not None


@dataclass(frozen=True)
class Expectation:
    """Parts of a step in seconds at each batch size, shape (batches,)."""

    forward_s: Floats
    backward_s: Floats
    host_s: Floats
    """What the host adds: on a CPU its own time per operator, on a GPU the excess over the device's time."""
    optimizer_s: Floats
    copy_s: Floats
    synchronisation_s: Floats

    @property
    def total_s(self) -> Floats:
        """The whole step."""
        return self.forward_s + self.backward_s + self.host_s + self.optimizer_s + self.copy_s + self.synchronisation_s


def rates_of(measured: Iterable[RateMeasurement]) -> DeviceRates:
    """The curves of a calibration; on a CPU those of the highest thread count, which alone has all kernels."""
    series = [rate for rate in measured if rate.summary is not None]
    threads = [rate.figures["threads"] for rate in series if "threads" in rate.figures]
    chosen = max(threads, default=None)
    kept = [rate for rate in series if rate.figures.get("threads", chosen) == chosen]
    compute: dict[tuple[str, str], list[tuple[float, float]]] = {}
    memory: dict[tuple[str, str], list[tuple[float, float]]] = {}
    depthwise = None
    for rate in kept:
        median_s = rate.summary.median_s if rate.summary is not None else 0.0
        if median_s <= 0.0:
            continue
        if rate.kind == "convolution" and rate.figures.get("groups", 1.0) > 1.0:
            depthwise = rate.figures["flop"] / median_s
        elif rate.kind in {"matmul", "convolution", "attention"}:
            point = (rate.figures["flop"], rate.figures["flop"] / median_s)
            compute.setdefault((rate.kind, rate.precision), []).append(point)
        elif rate.kind in {"elementwise", "reduction"}:
            point = (rate.figures["bytes"], rate.figures["bytes"] / median_s)
            memory.setdefault((rate.kind, rate.precision), []).append(point)
    tensor_s, optimizer_rate = _optimizer_costs(kept)
    copies = [_median_rate(rate) for rate in kept if rate.kind == "host_to_device" and rate.figures.get("pinned")]
    return DeviceRates(
        compute={key: _curve(points) for key, points in compute.items()},
        memory={key: _curve(points) for key, points in memory.items()},
        depthwise_flop_per_s=depthwise,
        call_s=_call_s(kept),
        synchronise_s=_median_of(kept, "synchronise"),
        host_to_device_bytes_per_s=max(copies, default=None),
        optimizer_tensor_s=tensor_s,
        optimizer_bytes_per_s=optimizer_rate,
    )


def expect(  # noqa: PLR0913 - what a step's time depends on
    table: OpTable,
    training: Training,
    rates: DeviceRates,
    batch_sizes: Sequence[int] | Floats,
    precision: Precision,
    *,
    on_cpu: bool,
) -> Expectation:
    """A step's parts at each batch size from the device's own rates; `rates.complete` must hold.

    Per operator (compute^4 + memory^4)^(1/4) of its flop and bytes over the measured curves; each call of the host
    costs `call_s`, added on a CPU, joined as (device^8 + host^8)^(1/8) on a GPU. A table of another precision will
    do where the asked one is FP32: its operators are then taken as if their elements had four bytes.
    """
    batches = np.asarray(batch_sizes, dtype=np.float64)
    times = {"forward": np.zeros_like(batches), "backward": np.zeros_like(batches)}
    whole = precision in {"fp32", "tf32"}
    for op in table.ops:
        element_bytes = _SINGLE_BYTES if whole else op.element_bytes
        flop = op.flop[0] + op.flop[1] * batches
        moved = op.read_bytes[0] + op.written_bytes[0] + (op.read_bytes[1] + op.written_bytes[1]) * batches
        moved = moved * (element_bytes / op.element_bytes if op.element_bytes < element_bytes else 1.0)
        kernel = _compute_precision(precision, element_bytes)
        bandwidth = _find(rates.memory, _MEMORY_SERIES.get(op.kind, "elementwise"), kernel, "elementwise").at(moved)
        seconds = moved / bandwidth
        series = _COMPUTE_SERIES.get(op.kind)
        if series is not None:
            rate: Floats | float = _find(rates.compute, series, kernel, "matmul").at(flop)
            grouped = op.convolution is not None and op.convolution.groups > 1
            if grouped and rates.depthwise_flop_per_s is not None:
                rate = np.minimum(rate, rates.depthwise_flop_per_s)
            seconds = ((flop / rate) ** _JOIN + seconds**_JOIN) ** (1.0 / _JOIN)
        times[op.phase] = times[op.phase] + op.count * seconds
    calls = float(sum(table.dispatch_count.values()))
    host_s = np.full_like(batches, calls * (rates.call_s or 0.0))
    optimizer_s = _optimizer_s(table, training, rates)
    device_s = times["forward"] + times["backward"] + optimizer_s
    if not on_cpu:
        host_s = (device_s**_HOST_JOIN + host_s**_HOST_JOIN) ** (1.0 / _HOST_JOIN) - device_s
    copied = table.input_bytes[0] + table.input_bytes[1] * batches
    copy_rate = rates.host_to_device_bytes_per_s
    reads = 1.0 / training.read_loss_every if training.read_loss_every else 0.0
    synchronisations = table.synchronisation_count + reads
    return Expectation(
        forward_s=times["forward"],
        backward_s=times["backward"],
        host_s=host_s,
        optimizer_s=np.full_like(batches, optimizer_s),
        copy_s=np.zeros_like(batches) if on_cpu or not copy_rate else copied / copy_rate,
        synchronisation_s=np.full_like(batches, 0.0 if on_cpu else synchronisations * (rates.synchronise_s or 0.0)),
    )


def _optimizer_s(table: OpTable, training: Training, rates: DeviceRates) -> float:
    if training.mode != "training" or not rates.optimizer_bytes_per_s:
        return 0.0
    count = sum(table.trainable_tensor_bytes) / max(1.0, _weight_bytes(table))
    moved = _STEP_PASSES[training.optimizer] * 4.0 * count
    if training.clip_gradient_norm is not None:
        moved += 3.0 * 4.0 * count
    per_tensor = rates.optimizer_tensor_s or 0.0
    return moved / rates.optimizer_bytes_per_s + per_tensor * len(table.trainable_tensor_bytes)


def _weight_bytes(table: OpTable) -> float:
    return 2.0 if table.precision == "half" else 4.0


def _compute_precision(precision: Precision, element_bytes: int) -> str:
    """Whose rates an operator of this element size has in a step of this precision."""
    if element_bytes <= _HALF_BYTES:
        return PRECISION_FACTS[precision].half_format or "bf16"
    return "tf32" if precision == "tf32" else "fp32"


def _find(curves: dict[tuple[str, str], Curve], kind: str, precision: str, fallback: str) -> Curve:
    """The nearest curve that was measured: same kernel and precision, then other half, then FP32, then `fallback`."""
    other = {"fp16": "bf16", "bf16": "fp16"}.get(precision, "fp32")
    order = ((kind, precision), (kind, other), (fallback, precision), (fallback, other))
    for key in (*order, (kind, "fp32"), (fallback, "fp32")):
        if key in curves:
            return curves[key]
    message = f"no rate of {kind} or {fallback}"
    raise KeyError(message)


def _curve(points: list[tuple[float, float]]) -> Curve:
    """A curve over rising sizes; the best rate where two shapes have the same size."""
    best: dict[float, float] = {}
    for size, rate in points:
        best[size] = max(rate, best.get(size, 0.0))
    sizes = sorted(best)
    return Curve(np.asarray(sizes), np.asarray([best[size] for size in sizes]))


def _call_s(kept: Sequence[RateMeasurement]) -> float | None:
    for rate in kept:
        if rate.kind == "host_overhead" and rate.summary is not None:
            return rate.summary.median_s / (_CHAIN_CALLS_PER_LINK * rate.figures["links"])
    return None


def _median_of(kept: Sequence[RateMeasurement], kind: str) -> float | None:
    return next((rate.summary.median_s for rate in kept if rate.kind == kind and rate.summary is not None), None)


def _median_rate(rate: RateMeasurement) -> float:
    return rate.figures["bytes"] / rate.summary.median_s if rate.summary is not None else 0.0


def _optimizer_costs(kept: Sequence[RateMeasurement]) -> tuple[float | None, float | None]:
    """(seconds a tensor, bytes a second) of AdamW, from many small and few large tensors; the latter alone will do."""
    series = [
        rate for rate in kept if rate.kind == "optimizer" and "adamw" in rate.figures and rate.summary is not None
    ]
    if not series:
        return None, None
    large = max(series, key=lambda rate: rate.figures["elements"])
    small = min(series, key=lambda rate: rate.figures["elements"])
    bytes_per_s = _median_rate(large)
    if small is large or small.summary is None:
        return None, bytes_per_s
    rest_s = small.summary.median_s - small.figures["bytes"] / bytes_per_s
    return max(0.0, rest_s) / small.figures["tensors"], bytes_per_s
