"""What is believed of each fitted figure before any step is seen: its centre and its spread in the log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Prior:
    """A log-normal belief: `centre`, and one standard deviation of its logarithm."""

    centre: float
    spread: float


PRIORS: dict[str, Prior] = {
    "fp32_matmul": Prior(0.92, 0.2),
    "tf32_matmul": Prior(0.8, 0.2),
    "fp16_matmul": Prior(0.75, 0.2),
    "power_limit": Prior(1.15, 0.2),
    "tile_start_clocks": Prior(1500.0, 0.5),
    "tensor_width_exponent": Prior(0.15, 0.5),
    "wave_quantisation": Prior(0.6, 0.7),
    "split_k_fill": Prior(0.6, 0.5),
    "most_k_parts": Prior(16.0, 1.0),
    "batched_matmul": Prior(0.75, 0.3),
    "backward_matmul": Prior(0.95, 0.15),
    "unaligned_matmul": Prior(1.0, 0.4),
    "convolution": Prior(0.75, 0.3),
    "convolution_width_exponent": Prior(0.1, 0.7),
    "convolution_input_gradient": Prior(1.0, 0.3),
    "convolution_weight_gradient": Prior(0.85, 0.3),
    "convolution_fp32": Prior(1.1, 0.2),
    "convolution_units_exponent": Prior(0.5, 0.7),
    "convolution_1d": Prior(0.85, 0.2),
    "winograd_gain": Prior(2.0, 0.3),
    "group_channels": Prior(48.0, 0.5),
    "grouped_backward": Prior(0.85, 0.3),
    "depthwise": Prior(0.35, 0.6),
    "depthwise_nhwc": Prior(0.9, 0.3),
    "depthwise_backward": Prior(0.9, 0.3),
    "nchw_half_transform": Prior(0.6, 0.7),
    "nchw_tf32_transform": Prior(0.15, 0.7),
    "elementwise": Prior(0.95, 0.2),
    "norm": Prior(0.95, 0.3),
    "norm_nhwc": Prior(1.2, 0.3),
    "softmax": Prior(0.8, 0.3),
    "copy": Prior(0.7, 0.3),
    "reduction": Prior(0.6, 0.3),
    "fused": Prior(0.86, 0.2),
    "elements_per_clock": Prior(4.0, 0.5),
    "copy_elements_per_clock": Prior(6.0, 0.7),
    "sm_bytes_per_clock": Prior(24.0, 0.5),
    "l2_help": Prior(0.35, 0.7),
    "flash_attention": Prior(0.8, 0.2),
    "flash_backward": Prior(0.8, 0.2),
    "flash_flop_per_clock": Prior(2000.0, 0.3),
    "efficient_attention": Prior(0.5, 0.3),
    "first_flash_attention": Prior(0.6, 0.3),
    "kernel_start_s": Prior(4e-6, 0.15),
    "early_ampere_slowdown": Prior(1.1, 0.15),
    "early_tf32_products": Prior(1.15, 0.2),
    "early_half_products": Prior(1.1, 0.15),
}
