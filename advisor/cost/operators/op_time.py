"""How long the operators of a step take on a card: bounds joined smoothly, a fixed start for every kernel.

All functions take operator columns and device rates that broadcast against each other and return seconds of one
call. The formulas and what each of them is worth are told in `docs/accuracy.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from advisor.cost.efficiencies import Fitted
from advisor.cost.operators.device_rates import DeviceRates
from advisor.optable.op_columns import Floats

TENSOR_FLOP_PER_CLOCK_16 = 1024.0
"""Of one SM of the V100 in 16-bit numbers (512 fused multiply-adds), where the width law is 1; the A100 has twice, the
H100 four times as many."""
TENSOR_FLOP_PER_CLOCK_TF32 = TENSOR_FLOP_PER_CLOCK_16 / 2
"""TF32 runs at half of the 16-bit rate on every card that has both."""
_LEAST_WIDTH = 0.1
_LARGEST_L2_SHARE = 0.8


@dataclass(frozen=True, kw_only=True)
class Peaks:
    """What large products sustain, flop per second, of the devices' shape."""

    fp32: Floats
    single: Floats
    half: Floats


def smooth_minimum(first: Floats, second: Floats) -> Floats:
    """A minimum without a corner: below both, 16 % below either where they are equal."""
    a, b = first * first, second * second
    return first * second / np.sqrt(np.sqrt(a * a + b * b))


def smooth_maximum(first: Floats, second: Floats) -> Floats:
    """A maximum without a corner: above both, 19 % above either where they are equal."""
    a, b = first * first, second * second
    return np.sqrt(np.sqrt(a * a + b * b))


def tensor_widths(rates: DeviceRates) -> tuple[Floats, Floats]:
    """How wide the tensor cores are for 32-bit (TF32) and 16-bit numbers: flop a clock a SM over the V100's.

    Where 32-bit products do not run on them, the first is 1.
    """
    clocks = rates.sm_count * rates.clock_hz
    single = np.maximum(rates.single_flop_per_s / clocks / TENSOR_FLOP_PER_CLOCK_TF32, _LEAST_WIDTH)
    half = np.maximum(rates.half_flop_per_s / clocks / TENSOR_FLOP_PER_CLOCK_16, _LEAST_WIDTH)
    return np.where(rates.single_on_tensor_cores == 1, single, 1.0), half


def sustained_peaks(rates: DeviceRates, fitted: Fitted) -> Peaks:
    """The data sheet's rate as far as kernels reach it and as far as the power limit lets it last.

    Wider tensor cores than the V100's are harder to feed; narrower ones are not taken to be easier.
    """
    width_single, width_half = (np.maximum(width, 1.0) for width in tensor_widths(rates))
    exponent = -fitted.tensor_width_exponent
    fp32 = smooth_minimum(
        rates.fp32_flop_per_s * rates.fp32_share * fitted.fp32_matmul, rates.fp32_limit_flop_per_s * fitted.power_limit
    )
    tf32 = smooth_minimum(
        rates.single_flop_per_s * width_single**exponent * rates.single_share * fitted.tf32_matmul,
        rates.single_limit_flop_per_s * fitted.power_limit,
    )
    half = smooth_minimum(
        rates.half_flop_per_s * width_half**exponent * rates.half_share * fitted.fp16_matmul,
        rates.half_limit_flop_per_s * fitted.power_limit,
    )
    return Peaks(fp32=fp32, single=np.where(rates.single_on_tensor_cores == 1, tf32, fp32), half=half)


def limited_bandwidth(
    bandwidth: Floats, elements_per_clock: Floats | float, element_bytes: Floats, rates: DeviceRates
) -> Floats:
    """Bytes a second of kernels whose multiprocessors take so many elements a clock, from memory of `bandwidth`."""
    by_elements = rates.sm_count * rates.clock_hz * elements_per_clock * element_bytes
    limited: Floats = bandwidth / np.cbrt(1.0 + (bandwidth / by_elements) ** 3)
    return limited


def through_cache(moved_bytes: Floats, rates: DeviceRates, fitted: Fitted) -> Floats:
    """The traffic that reaches memory: the L2 cache saves a share of it, all the more the better it fits."""
    fit = np.minimum(1.0, rates.l2_bytes / np.maximum(moved_bytes, 1.0))
    return moved_bytes * (1.0 - np.minimum(fitted.l2_help * fit, _LARGEST_L2_SHARE))
