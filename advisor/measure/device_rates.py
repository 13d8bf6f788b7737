"""A calibration's microbenchmarks as the rates that the cost model takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.cost.operators.measured_rates import Curve, MeasuredRates
from advisor.measure.measurement import RateMeasurement

_CHAIN_CALLS_PER_LINK = 8.0
"""Of the host_overhead kernel: product and tanh forward; their three gradients, two transposes and a sum backward."""


def rates_of(measured: Iterable[RateMeasurement]) -> MeasuredRates:
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
    return MeasuredRates(
        compute={key: _curve(points) for key, points in compute.items()},
        memory={key: _curve(points) for key, points in memory.items()},
        depthwise_flop_per_s=depthwise,
        call_s=_call_s(kept),
        synchronise_s=_median_of(kept, "synchronise"),
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


def _call_s(kept: Sequence[RateMeasurement]) -> float | None:
    """Seconds that one thread computes for a call: its processor time where others kept it waiting.

    That is the median of all samples, warm-up too: where others are on the processor few count as steady, and one of
    them alone may be five times as long.
    """
    for rate in kept:
        if rate.kind == "host_overhead" and rate.summary is not None:
            spent = [sample.process_cpu_s for sample in rate.samples if sample.process_cpu_s is not None]
            chain_s = min(rate.summary.median_s, float(np.median(spent))) if spent else rate.summary.median_s
            return chain_s / (_CHAIN_CALLS_PER_LINK * rate.figures["links"])
    return None


def _median_of(kept: Sequence[RateMeasurement], kind: str) -> float | None:
    return next((rate.summary.median_s for rate in kept if rate.kind == kind and rate.summary is not None), None)


def _median_rate(rate: RateMeasurement) -> float:
    return rate.figures["bytes"] / _median_s(rate)


def _optimizer_costs(kept: Sequence[RateMeasurement]) -> tuple[float | None, float | None]:
    """(seconds a tensor, bytes a second) of AdamW, from many small and few large tensors; the latter alone will do.

    Its bytes are those of the chain of kernels that torch runs by default.
    """
    series = [
        rate for rate in kept if rate.kind == "optimizer" and "adamw" in rate.figures and rate.summary is not None
    ]
    if not series:
        return None, None
    large = max(series, key=lambda rate: rate.figures["elements"])
    small = min(series, key=lambda rate: rate.figures["elements"])
    bytes_per_s = _adamw_bytes(large) / _median_s(large)
    if small is large:
        return None, bytes_per_s
    rest_s = _median_s(small) - _adamw_bytes(small) / bytes_per_s
    return max(0.0, rest_s) / small.figures["tensors"], bytes_per_s


def _adamw_bytes(rate: RateMeasurement) -> float:
    return OPTIMIZER_FACTS["adamw"].looped_bytes * rate.figures["tensors"] * rate.figures["elements"]


def _median_s(rate: RateMeasurement) -> float:
    assert rate.summary is not None  # only such series are kept
    return rate.summary.median_s
