"""Time of fused attention (flash and memory-efficient): products that never leave the SM."""

from __future__ import annotations

import numpy as np

from advisor.cost.efficiencies import Efficiencies
from advisor.cost.operators.device_rates import DeviceRates
from advisor.cost.operators.matmul_time import operand_seconds
from advisor.cost.operators.op_time import Peaks, smooth_maximum, smooth_minimum
from advisor.optable.op_columns import AttentionWork, Floats

_FLASH_FROM_CAPABILITY = 8.0
_QUERY_TILE = 128.0
_FULL_RATE_HEAD = 64.0


def attention_seconds(work: AttentionWork, rates: DeviceRates, peaks: Peaks, figures: Efficiencies) -> Floats:
    """Seconds of one call, without its kernels' start; cards before Ampere run flash as memory-efficient."""
    fitted, assumed = figures.fitted, figures.assumed
    flash = (work.flash == 1) & work.half & (rates.compute_capability >= _FLASH_FROM_CAPABILITY)
    backward = work.backward == 1
    share = np.where(flash, fitted.flash_attention, assumed.efficient_attention)
    share = share * np.where(flash & (rates.first_flash == 1), fitted.first_flash_attention, 1.0)
    share = share * np.where(backward, fitted.flash_backward, 1.0)
    share = share * np.sqrt(np.minimum(1.0, work.head_size / _FULL_RATE_HEAD))
    tiles = work.batch_heads * np.ceil(np.where(backward, work.key_length, work.query_length) / _QUERY_TILE)
    waves = tiles / rates.sm_count
    idle = np.maximum(1.0, waves + fitted.wave_quantisation * (np.ceil(waves) - waves)) / waves
    peak = np.where(work.half, peaks.half, peaks.single)
    own = np.where(rates.hopper_attention == 1, assumed.hopper_attention, 1.0)
    widest = fitted.flash_flop_per_clock * own * rates.clock_hz * rates.sm_count
    peak = np.where(flash, smooth_minimum(peak, widest), peak)
    compute = work.flop / (peak * share) * idle
    return smooth_maximum(compute, operand_seconds(work.moved_bytes, rates, fitted))
