"""The precisions a step can compute in, and their names."""

from __future__ import annotations

from typing import Literal

Precision = Literal["fp32", "tf32", "fp16_amp", "bf16_amp", "fp16", "bf16"]
"""How a step computes. `fp16`/`bf16`: weights and gradients in half, FP32 master copies in the optimizer."""

PRECISIONS: tuple[Precision, ...] = ("fp32", "tf32", "fp16_amp", "bf16_amp", "fp16", "bf16")
PRECISION_LABELS: dict[Precision, str] = {
    "fp32": "FP32",
    "tf32": "TF32",
    "fp16_amp": "FP16 AMP",
    "bf16_amp": "BF16 AMP",
    "fp16": "FP16",
    "bf16": "BF16",
}
"""As tables, sentences and plots write them, in every language."""
