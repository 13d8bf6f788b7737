"""What no step on a card can beat: its peak arithmetic rate and its peak memory bandwidth, operator by operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from advisor.catalogue.gpu_spec import GpuSpec, is_consumer
from advisor.catalogue.precisions import HALF_BYTES, TRACE_PRECISIONS, Precision, TracePrecision
from advisor.claims.setting import usual_precision
from advisor.cost.operators.convolution_time import WINOGRAD_KERNEL
from advisor.optable.op_table import Op, OpTable, at
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Mode

WINOGRAD_SAVING = 2.25
"""F(2x2, 3x3) multiplies 16 times for what takes 36 directly; counted for FP32, where libraries use it."""
CONSUMER_CLOCK_SLACK = 1.2
"""GeForce and TITAN boards clock above the boost of their data sheet; the others do not."""
DATA_CENTRE_CLOCK_SLACK = 1.03
_COUNTED = {"matmul", "convolution", "attention", "rnn"}
"""Kinds that no fusion can remove; element-wise work could hide in them, so that it is not counted."""


class Bound(NamedTuple):
    """The least time of one micro-batch on one card, and what it is made of."""

    step_s: float
    flop: float
    rate_flop_per_s: float
    """Peak of the data sheet at the precision."""


def step_bound(
    tables: Mapping[TracePrecision, OpTable],
    spec: GpuSpec,
    precision: Precision,
    batch_size: int,
    mode: Mode = "training",
) -> Bound | None:
    """The roofline of a step at peak data-sheet rates, without optimizer, launches or element-wise work.

    Each operator takes at least its arithmetic at the peak rate (Williams et al. 2009), or its input and output,
    less what the L2 cache may hold, at the peak bandwidth. None: the card or the trace lacks a figure.
    """
    table, rate = tables.get(TRACE_PRECISIONS[precision]), rate_of(spec, precision)
    bandwidth = spec.memory_bandwidth_bytes_per_s
    if table is None or rate is None or bandwidth is None:
        return None
    exact_rate = max(spec.fp32_flop_per_s or 0.0, spec.tf32_flop_per_s or 0.0) if precision != "fp32" else rate
    seconds, flop = 0.0, 0.0
    for op in table.ops:
        if op.kind not in _COUNTED or (mode == "inference" and op.phase == "backward"):
            continue
        own_rate = rate if op.element_bytes <= HALF_BYTES or precision == "tf32" else max(exact_rate, 1.0)
        work = _least_flop(op, batch_size, precision)
        moved = max(0.0, at(op.read_bytes, batch_size) + at(op.written_bytes, batch_size) - (spec.l2_bytes or 0.0))
        seconds += op.count * max(work / own_rate, moved / bandwidth)
        flop += op.count * at(op.flop, batch_size)
    return Bound(step_s=seconds / clock_slack(spec), flop=flop, rate_flop_per_s=rate)


def clock_slack(spec: GpuSpec) -> float:
    """How much faster than the data sheet's boost clock a card of this kind may run."""
    return CONSUMER_CLOCK_SLACK if is_consumer(spec) else DATA_CENTRE_CLOCK_SLACK


def _least_flop(op: Op, batch_size: int, precision: Precision) -> float:
    flop, shape = at(op.flop, batch_size), op.convolution
    three_by_three = shape is not None and shape.kernel_elements == WINOGRAD_KERNEL and shape.unit_stride
    return flop / WINOGRAD_SAVING if three_by_three and precision == "fp32" else flop


def ratio_bound(fast: GpuSpec, slow: GpuSpec, precision: Precision) -> float | None:
    """The most that one card can be ahead of another for its data sheet: the best of its figures' ratios.

    A card that lacks the precision computes in what stands in for it. None where a figure is missing. Holds for work
    that fits both.
    """
    instead = usual_precision(slow, precision)
    ratios = [
        (rate_of(fast, precision), rate_of(slow, instead) if instead is not None else None),
        (fast.memory_bandwidth_bytes_per_s, slow.memory_bandwidth_bytes_per_s),
    ]
    known_ratios = [numerator / other for numerator, other in ratios if numerator is not None and other is not None]
    return max(known_ratios) if len(known_ratios) == len(ratios) else None
