"""Time of fused attention (flash and memory-efficient): products that never leave the SM."""

from __future__ import annotations

import numpy as np

from advisor.cost.efficiencies import Efficiencies
from advisor.cost.operators.device_rates import DeviceRates
from advisor.cost.operators.matmul_time import operand_seconds
from advisor.cost.operators.op_time import Peaks, smooth_maximum, smooth_minimum
from advisor.optable.op_columns import AttentionWork, Floats

_QUERY_TILE, _KEY_TILE = 128.0, 64.0
"""What lies beyond the lengths in the last tile is computed too."""
_FULL_RATE_HEAD = 64.0
_HEAD_STEP = 32.0
"""Kernels are made for heads of 32, 64, 96 … numbers: any other is computed as wide as the next."""


def attention_seconds(work: AttentionWork, rates: DeviceRates, peaks: Peaks, figures: Efficiencies) -> Floats:
    """Seconds of one call, without its kernels' start; cards without flash attention run it as memory-efficient."""
    fitted, assumed = figures.fitted, figures.assumed
    flash = (work.flash == 1) & work.half & (rates.flash_attention == 1)
    backward = work.backward == 1
    efficient = np.where(work.half, assumed.efficient_half_attention, fitted.efficient_attention)
    share = np.where(flash, fitted.flash_attention, efficient)
    share = share * np.where(flash & (rates.first_flash == 1), fitted.first_flash_attention, 1.0)
    share = share * np.where(backward, fitted.flash_backward, 1.0)
    # FP32 has no tensor instruction to fill: its products are as wide as the head.
    width = np.where(work.half, _next(work.head_size, _HEAD_STEP), work.head_size)
    width = np.where(flash & (rates.first_flash == 1), 2.0 ** np.ceil(np.log2(width)), width)
    share = share * work.head_size / width * np.sqrt(np.minimum(1.0, width / _FULL_RATE_HEAD))
    pairs = _next(work.query_length, _QUERY_TILE) * _next(work.key_length, _KEY_TILE)
    flop = work.flop * pairs / (work.query_length * work.key_length)
    tiles = work.batch_heads * np.ceil(np.where(backward, work.key_length, work.query_length) / _QUERY_TILE)
    waves = tiles / rates.sm_count
    idle = np.maximum(1.0, waves + fitted.wave_quantisation * (np.ceil(waves) - waves)) / waves
    # In FP32 numbers the kernel adds three TF32 products up whatever torch is told: TF32 makes it no faster.
    peak = np.where(work.half, peaks.half, peaks.fp32)
    own = np.where(rates.hopper_attention == 1, assumed.hopper_attention, 1.0)
    widest = fitted.flash_flop_per_clock * own * rates.clock_hz * rates.sm_count
    peak = np.where(flash, smooth_minimum(peak, widest), peak)
    compute = flop / (peak * share) * idle
    return smooth_maximum(compute, operand_seconds(work.moved_bytes, rates, fitted))


def _next(size: Floats, step: float) -> Floats:
    """The next multiple of `step`."""
    multiple: Floats = np.ceil(size / step) * step
    return multiple
