"""Time of operators on a device whose rates were measured: curves by the size of the work in a spec row's place."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from advisor.catalogue.precisions import FP32_BYTES, HALF_BYTES, PRECISION_FACTS, ComputedPrecision
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import Op, OpTable

_COMPUTE_SERIES = {"matmul": "matmul", "convolution": "convolution", "attention": "attention", "rnn": "matmul"}
_MEMORY_SERIES = {"norm": "reduction", "softmax": "reduction", "reduction": "reduction"}
_JOIN = 4.0


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
class MeasuredRates:
    """All that a calibration knows of a device; curves by (kernel, precision)."""

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


def passes_seconds(
    table: OpTable, rates: MeasuredRates, batches: Floats, precision: ComputedPrecision
) -> tuple[Floats, Floats]:
    """Busy seconds of (forward, backward) at each batch size, shape of `batches`; `rates.complete` must hold.

    Per operator (compute^4 + memory^4)^(1/4) of its flop and bytes over the measured curves. A table of another
    precision will do where the asked one is FP32: its operators are then taken as if their elements had four bytes.
    Raises KeyError where no curve stands for an operator.
    """
    times = {"forward": np.zeros_like(batches), "backward": np.zeros_like(batches)}
    for op in table.ops:
        times[op.phase] = times[op.phase] + op.count * _op_seconds(op, rates, batches, precision)
    return times["forward"], times["backward"]


def _op_seconds(op: Op, rates: MeasuredRates, batches: Floats, precision: ComputedPrecision) -> Floats:
    element_bytes = op.element_bytes if PRECISION_FACTS[precision].computes_in_half else FP32_BYTES
    flop = op.flop[0] + op.flop[1] * batches
    moved = op.read_bytes[0] + op.written_bytes[0] + (op.read_bytes[1] + op.written_bytes[1]) * batches
    moved = moved * max(1.0, element_bytes / op.element_bytes)
    kernel = _compute_precision(precision, element_bytes)
    seconds = moved / _find(rates.memory, _MEMORY_SERIES.get(op.kind, "elementwise"), kernel, "elementwise").at(moved)
    series = _COMPUTE_SERIES.get(op.kind)
    if series is None:
        return seconds
    rate = _find(rates.compute, series, kernel, "matmul").at(flop)
    if op.convolution is not None and op.convolution.groups > 1 and rates.depthwise_flop_per_s is not None:
        rate = np.minimum(rate, rates.depthwise_flop_per_s)
    joined: Floats = ((flop / rate) ** _JOIN + seconds**_JOIN) ** (1.0 / _JOIN)
    return joined


def _compute_precision(precision: ComputedPrecision, element_bytes: int) -> str:
    """Whose rates an operator of this element size has in a step of this precision."""
    if element_bytes <= HALF_BYTES:
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
