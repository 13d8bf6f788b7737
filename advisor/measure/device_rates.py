"""A calibration's microbenchmarks as the rates that the cost model takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.cost.operators.measured_rates import Curve, MeasuredRates
from advisor.measure.measurement import RateMeasurement

_CHAIN_CALLS_PER_LINK = 8.0
"""Of the host_overhead kernel: product and tanh forward; their three gradients, two transposes and a sum backward."""


Timed = Sequence[tuple[RateMeasurement, float]]
"""Kernels, each with the median seconds of a call."""


def rates_of(measured: Iterable[RateMeasurement]) -> MeasuredRates:
    """The curves of a calibration; on a CPU those of the highest thread count, which alone has all kernels."""
    timed = [(rate, rate.summary.median_s) for rate in measured if rate.summary is not None]
    most_threads = max((rate.figures["threads"] for rate, _ in timed if "threads" in rate.figures), default=None)
    kept = [pair for pair in timed if pair[0].figures.get("threads", most_threads) == most_threads]
    compute: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    memory: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    depthwise = None
    for rate, median_s in kept:
        figures = rate.figures
        if median_s <= 0.0:
            continue
        if rate.kind == "convolution" and figures.get("groups", 1.0) > 1.0:
            depthwise = figures["flop"] / median_s
        elif rate.kind in {"matmul", "convolution", "attention"}:
            compute[rate.kind, rate.precision].append((figures["flop"], figures["flop"] / median_s))
        elif rate.kind in {"elementwise", "reduction"}:
            memory[rate.kind, rate.precision].append((figures["bytes"], figures["bytes"] / median_s))
    tensor_s, optimizer_rate = _optimizer_costs(kept)
    copies = [
        rate.figures["bytes"] / median_s
        for rate, median_s in kept
        if rate.kind == "host_to_device" and rate.figures.get("pinned")
    ]
    return MeasuredRates(
        compute={key: _curve(points) for key, points in compute.items()},
        memory={key: _curve(points) for key, points in memory.items()},
        depthwise_flop_per_s=depthwise,
        call_s=_call_s(kept),
        synchronise_s=next((median_s for rate, median_s in kept if rate.kind == "synchronise"), None),
        host_to_device_bytes_per_s=max(copies, default=None),
        optimizer_tensor_s=tensor_s,
        optimizer_bytes_per_s=optimizer_rate,
    )


def _curve(points: list[tuple[float, float]]) -> Curve:
    """A curve over rising sizes; the best rate where two shapes have the same size."""
    best: dict[float, float] = {}
    for size, rate in points:
        best[size] = max(rate, best.get(size, 0.0))
    sizes = sorted(best)
    return Curve(np.asarray(sizes), np.asarray([best[size] for size in sizes]))


def _call_s(kept: Timed) -> float | None:
    """Seconds that one thread computes for a call: its processor time where others kept it waiting.

    That is the median of all samples, warm-up too: where others are on the processor few count as steady, and one of
    them alone may be five times as long.
    """
    for rate, median_s in kept:
        if rate.kind == "host_overhead":
            spent = [sample.process_cpu_s for sample in rate.samples if sample.process_cpu_s is not None]
            chain_s = min(median_s, float(np.median(spent))) if spent else median_s
            return chain_s / (_CHAIN_CALLS_PER_LINK * rate.figures["links"])
    return None


def _optimizer_costs(kept: Timed) -> tuple[float | None, float | None]:
    """(seconds a tensor, bytes a second) of AdamW, from many small and few large tensors; the latter alone will do.

    Its bytes are those of the chain of kernels that torch runs by default.
    """
    series = [pair for pair in kept if pair[0].kind == "optimizer" and "adamw" in pair[0].figures]
    if not series:
        return None, None
    large, large_s = max(series, key=lambda pair: pair[0].figures["elements"])
    small, small_s = min(series, key=lambda pair: pair[0].figures["elements"])
    bytes_per_s = _adamw_bytes(large) / large_s
    if small is large:
        return None, bytes_per_s
    rest_s = small_s - _adamw_bytes(small) / bytes_per_s
    return max(0.0, rest_s) / small.figures["tensors"], bytes_per_s


def _adamw_bytes(rate: RateMeasurement) -> float:
    return OPTIMIZER_FACTS["adamw"].looped_bytes * rate.figures["tensors"] * rate.figures["elements"]
