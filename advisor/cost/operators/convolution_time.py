"""Time of convolutions, by algorithm family (implicit GEMM, Winograd, grouped, depthwise) and memory layout."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from advisor.cost.efficiencies import Fitted
from advisor.cost.operators.device_rates import DeviceRates
from advisor.cost.operators.matmul_time import early_slowdown, operand_seconds, tiled_seconds
from advisor.cost.operators.op_time import Peaks, limited_bandwidth, smooth_maximum, tensor_widths
from advisor.optable.op_columns import ConvolutionWork, Floats

_FORWARD = 0
_INPUT_GRADIENT = 1
_WEIGHT_GRADIENT = 2
WINOGRAD_KERNEL = 9
"""Elements of the kernel, 3 × 3, that the fast products of Winograd are for."""
_WINOGRAD_CHANNELS = 128
"""Channels at which a Winograd convolution has half of its gain."""
_DEPTHWISE_CHANNELS = 2
_FP32_FLOP_PER_CLOCK = 128.0
"""Of a multiprocessor with 64 FP32 units, such as the V100's."""
_NARROWEST_TILE = 32
"""Channels of the narrowest tile of grouped kernels on tensor cores."""


def convolution_seconds(
    work: ConvolutionWork, rates: DeviceRates, peaks: Peaks, fitted: Fitted, *, nhwc: Floats
) -> Floats:
    """Seconds of one call of each convolution, without its kernels' start; `nhwc` is 1.0 for channels-last."""
    input_gradient = work.direction == _INPUT_GRADIENT
    weight_gradient = work.direction == _WEIGHT_GRADIENT
    depthwise = (work.groups > 1) & (np.maximum(work.output_channels, work.input_channels) <= _DEPTHWISE_CHANNELS)
    grouped = (work.groups > 1) & ~depthwise
    channels = np.minimum(work.output_channels, work.input_channels)
    width_single, width_half = tensor_widths(rates)
    width = np.where(work.half, width_half, width_single)
    peak = np.where(work.half, peaks.half, peaks.single) * width**-fitted.convolution_width_exponent

    inner = work.input_channels * work.kernel_elements
    m = np.where(weight_gradient, work.output_channels, work.positions)
    n = np.where(input_gradient, work.input_channels, np.where(weight_gradient, inner, work.output_channels))
    k = np.where(
        input_gradient, work.output_channels * work.kernel_elements, np.where(weight_gradient, work.positions, inner)
    )
    whole = tiled_seconds(np.where(work.groups > 1, work.groups, 1.0), m, n, k, peak, rates, fitted)
    by_groups = work.flop / (peak * np.minimum(1.0, channels / fitted.group_channels))
    backward = work.direction != _FORWARD
    by_groups = by_groups / np.where(backward, fitted.grouped_backward, 1.0)
    share = fitted.convolution * np.where(
        input_gradient,
        fitted.convolution_input_gradient,
        np.where(weight_gradient, fitted.convolution_weight_gradient, 1.0),
    )
    on_a_line = (work.kernel_elements > 1) & (np.sqrt(work.kernel_elements) % 1 > 0)
    line = np.where(on_a_line, fitted.convolution_1d / early_slowdown(work, rates, fitted), 1.0)
    compute = np.where(grouped, by_groups, whole) / (share * line)

    on_tensor_cores = work.half | (rates.single_on_tensor_cores == 1)
    winograd = (work.kernel_elements == WINOGRAD_KERNEL) & (work.unit_stride == 1) & (work.groups == 1)
    gain = 1.0 + np.where(winograd, (fitted.winograd_gain - 1.0) * channels / (channels + _WINOGRAD_CHANNELS), 0.0)
    units = rates.fp32_flop_per_s / (rates.sm_count * rates.clock_hz * _FP32_FLOP_PER_CLOCK)
    fed = np.maximum(units, 1.0) ** -fitted.convolution_units_exponent
    compute = np.where(on_tensor_cores, compute, compute / (fitted.convolution_fp32 * gain * fed))
    sliding = work.flop / (rates.fp32_flop_per_s * fitted.depthwise) * np.where(weight_gradient, 2.0, 1.0)
    sliding = sliding / np.where(nhwc == 1, fitted.depthwise_nhwc, 1.0)
    sliding = sliding / np.where(backward, fitted.depthwise_backward, 1.0)
    untiled = grouped & (nhwc == 1) & on_tensor_cores & _untiled(channels, backward)
    compute = np.where(depthwise | untiled, sliding, compute)

    copies = np.where(work.half, fitted.nchw_half_transform, fitted.nchw_tf32_transform)
    copied = rates.bandwidth_bytes_per_s * fitted.copy
    copied = limited_bandwidth(copied, fitted.copy_elements_per_clock, work.element_bytes, rates)
    transform = copies * 2.0 * work.data_bytes / copied
    transform = np.where(on_tensor_cores & (nhwc == 0) & ~depthwise, transform, 0.0)
    return smooth_maximum(compute, operand_seconds(work.moved_bytes, rates, fitted)) + transform


def _untiled(channels: Floats, backward: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether groups of so many channels fit no tile of the tensor cores' channels-last kernels.

    Forward, a tile holds whole groups or lies within one; backward, kernels are made for 4, 8, 16 and 32 channels.
    """
    power_of_two = np.log2(np.maximum(channels, 1.0)) % 1 == 0
    whole = power_of_two | (channels % _NARROWEST_TILE == 0)
    untiled: NDArray[np.bool_] = ~np.where(backward, power_of_two & (channels <= _NARROWEST_TILE), whole)
    return untiled
