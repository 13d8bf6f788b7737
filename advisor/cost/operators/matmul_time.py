"""Time of matrix products: the best of several tile sizes, with its waves over the card's SMs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from advisor.cost.efficiencies import Fitted
from advisor.cost.operators.device_rates import DeviceRates
from advisor.cost.operators.op_time import (
    TENSOR_FLOP_PER_CLOCK_16,
    Peaks,
    smooth_maximum,
    smooth_minimum,
    through_cache,
)
from advisor.optable.op_columns import Floats, MatmulWork, Work

TILES = ((256, 128, 1.02), (128, 128, 1.0), (128, 64, 0.85), (64, 64, 0.65), (64, 32, 0.45))
"""Rows, columns and speed of a tile, relative to 128 × 128."""
_SPLIT_K_FROM = 512
"""Products with a shorter K are not split along it, nor into more parts than K is longer than the other sides."""
_ALIGNMENT = 8
_ALIGNMENT_32 = 4
_HOPPER = 9.0
"""From here on products with unaligned rows fall back to the kernels of the generation before."""
_BYTE_TENSOR_CORES = 7.5
"""From here on tensor cores multiply bytes (INT8; FP8 from 8.9, below which it is refused) at twice the FP16 rate."""
_PADDING_PAYS = 1.1
"""The compiler pads a product that it timed as so many times as fast that way (`torch._inductor.fx_passes.pad_mm`)."""
_HALF_OVER_FP32 = 1.0
"""What 16-bit products reach on FP32 units, of the FP32 peak."""
_GEMM_MEMORY_SHARE = 0.95
"""Of the element-wise bandwidth, for operands that are read in tiles."""


def matmul_seconds(work: MatmulWork, rates: DeviceRates, peaks: Peaks, fitted: Fitted) -> Floats:
    """Seconds of one call of each product, without its kernels' start."""
    of_bytes = np.where(rates.compute_capability >= _BYTE_TENSOR_CORES, 2.0, 1.0) * peaks.half
    peak = np.where(work.half, peaks.half, np.where(work.element_bytes == 1, of_bytes, peaks.single))
    on_tensor_cores = ~work.half & (rates.single_on_tensor_cores == 1)
    unaligned = (work.half & _misfit(work, _ALIGNMENT)) | (
        on_tensor_cores & (rates.compute_capability >= _HOPPER) & _misfit(work, _ALIGNMENT_32)
    )
    narrow = fitted.unaligned_matmul * TENSOR_FLOP_PER_CLOCK_16 * rates.clock_hz * rates.sm_count
    without_tensor_cores = _HALF_OVER_FP32 * rates.fp32_flop_per_s
    narrow = np.where(rates.needs_alignment == 1, without_tensor_cores, smooth_minimum(peak, narrow))
    seconds = _product_seconds(work, np.where(unaligned, narrow, peak), rates, fitted)
    if not rates.pads_products.any():
        return seconds
    multiple = np.where(work.half, float(_ALIGNMENT), float(_ALIGNMENT_32))
    padded = _product_seconds(_padded(work, multiple), peak, rates, fitted)
    padded = padded + operand_seconds(_copied_bytes(work, multiple), rates, fitted)
    pays = unaligned & (rates.pads_products == 1) & (padded * _PADDING_PAYS < seconds)
    return np.where(pays, padded, seconds)


def _product_seconds(work: MatmulWork, peak: Floats, rates: DeviceRates, fitted: Fitted) -> Floats:
    # Published sweeps of FP32 products (V100, A100) run as fast at a third of a wave as at eight: the library has small
    # tiles and sliced ones for the layout of forward products, which fill every wave.
    even = ~work.half & (rates.single_on_tensor_cores == 0) & (work.backward == 0)
    quantisation = np.where(even, 0.0, fitted.wave_quantisation)
    compute = tiled_seconds(work.batch, work.m, work.n, work.k, peak, rates, fitted, quantisation)
    compute = compute / np.where(work.batch > 1, fitted.batched_matmul, 1.0)
    compute = compute / np.where(work.backward == 1, fitted.backward_matmul, 1.0)
    compute = compute * early_slowdown(work, rates, fitted)
    return smooth_maximum(compute, operand_seconds(work.moved_bytes, rates, fitted))


def _padded(work: MatmulWork, multiple: Floats) -> MatmulWork:
    m, n, k = (np.ceil(side / multiple) * multiple for side in (work.m, work.n, work.k))
    return replace(work, m=m, n=n, k=k)


def _copied_bytes(work: MatmulWork, multiple: Floats) -> Floats:
    """To pad what a product reads and to trim what it writes: each matrix with an odd side is read and written once.

    The compiler fuses some of these copies into what makes or reads the matrix; which, is not counted.
    """
    odd = {name: np.not_equal(getattr(work, name) % multiple, 0) for name in "mnk"}
    elements = sum(
        np.where(odd[one] | odd[other], getattr(work, one) * getattr(work, other), 0.0)
        for one, other in (("m", "k"), ("k", "n"), ("m", "n"))
    )
    copied: Floats = 2.0 * work.batch * elements * work.element_bytes
    return copied


def _misfit(work: MatmulWork, multiple: int) -> NDArray[np.bool_]:
    return np.not_equal(work.m % multiple, 0) | np.not_equal(work.n % multiple, 0) | np.not_equal(work.k % multiple, 0)


def early_slowdown(work: Work, rates: DeviceRates, fitted: Fitted) -> Floats:
    """How much longer tensor-core products take with the libraries of 2020: TF32 on Ampere, 16-bit before it."""
    tf32 = (rates.early_kernels == 1) & (rates.single_on_tensor_cores == 1) & ~work.half
    half = (rates.needs_alignment == 1) & work.half
    slowdown: Floats = np.where(tf32, fitted.early_tf32_products, np.where(half, fitted.early_half_products, 1.0))
    return slowdown


def operand_seconds(moved_bytes: Floats, rates: DeviceRates, fitted: Fitted) -> Floats:
    """Seconds for the traffic of a product or convolution."""
    return through_cache(moved_bytes, rates, fitted) / (
        rates.bandwidth_bytes_per_s * fitted.elementwise * _GEMM_MEMORY_SHARE
    )


def tiled_seconds(  # noqa: PLR0913 - the sizes of a product
    batch: Floats,
    m: Floats,
    n: Floats,
    k: Floats,
    peak: Floats,
    rates: DeviceRates,
    fitted: Fitted,
    quantisation: Floats | None = None,
) -> Floats:
    """Compute-bound seconds of (m × k)(k × n) products at `peak` flop per second of the whole card.

    `quantisation` is the share of an unfilled wave that is lost; None: the fitted one.
    """
    best: Floats | None = None
    lost: Floats | float = fitted.wave_quantisation if quantisation is None else quantisation
    start_s = fitted.tile_start_clocks / rates.clock_hz
    fewest = np.maximum(1.0 / fitted.most_k_parts, np.sqrt(m * n) / np.maximum(k, 1.0))
    smallest_part = np.where(k < _SPLIT_K_FROM, 1.0, np.minimum(1.0, fewest))
    per_sm = k * (2.0 * rates.sm_count) / peak
    for rows, columns, speed in TILES:
        waves = (batch * np.ceil(m / rows) * np.ceil(n / columns)) / rates.sm_count
        whole = np.ceil(waves)
        quantised = waves + lost * (whole - waves)
        split = np.maximum(np.minimum(1.0, waves / fitted.split_k_fill), np.maximum(waves, smallest_part))
        counted = np.where(waves > 1, quantised, split)
        seconds = counted * (per_sm * (rows * columns / speed) + start_s)
        best = seconds if best is None else np.minimum(best, seconds)
    assert best is not None
    return best
