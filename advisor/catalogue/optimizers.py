"""Optimizers, one row each: what they keep between steps, what a step moves and launches, what torch has of them."""

from __future__ import annotations

from typing import Literal

from advisor.core.records import Record
from advisor.core.units import NonNegative

Optimizer = Literal["adamw", "adam", "sgd", "sgd_momentum", "adafactor", "lamb", "none"]


class OptimizerFacts(Record, frozen=True, kw_only=True):
    """One algorithm over parameters held in FP32, in bytes a parameter."""

    least_bytes: NonNegative
    """Weight, gradient and states read once, weight and states written once: what no implementation goes below."""
    looped_bytes: NonNegative
    """As a chain of element-wise kernels, each of which reads and writes: looped or foreach (multi-tensor)."""
    fused_bytes: NonNegative
    """By torch's fused kernel; the same as looped where it has none."""
    kernel_count: NonNegative
    """Kernels of one pass over a tensor, looped or foreach."""
    state_count: int
    """FP32 numbers kept a parameter; a factored second moment is not among them."""
    factored: bool = False
    """The second moment is kept as means of rows and columns (Shazeer & Stern 2018), tensor by tensor."""
    copies_parameters: bool = False
    """Foreach holds a copy of all FP32 parameters while it takes the second moment's root."""
    fused_kernel: bool = False
    """Whether torch has a fused kernel."""
    eight_bit: bool = False
    """Whether bitsandbytes keeps its states in 8 bits."""
    runs_in_torch: bool = True
    """False: predicted only."""


_ADAM = OptimizerFacts(
    least_bytes=28.0,
    looped_bytes=80.0,
    fused_bytes=36.0,
    kernel_count=8.0,
    state_count=2,
    copies_parameters=True,
    fused_kernel=True,
    eight_bit=True,
)
"""Looped: eight element-wise kernels (decay, lerp, mul, addcmul, sqrt, div, add, addcdiv), twenty reads and writes of
four bytes. Fused: nine, two above the least, as seven streams side by side do not reach a copy's bandwidth (assumed,
not fitted)."""
OPTIMIZER_FACTS: dict[Optimizer, OptimizerFacts] = {
    "adamw": _ADAM,
    "adam": _ADAM,
    "sgd": OptimizerFacts(
        least_bytes=12.0, looped_bytes=24.0, fused_bytes=16.0, kernel_count=2.0, state_count=0, fused_kernel=True
    ),
    "sgd_momentum": OptimizerFacts(
        least_bytes=20.0, looped_bytes=44.0, fused_bytes=24.0, kernel_count=4.0, state_count=1, fused_kernel=True
    ),
    "adafactor": OptimizerFacts(
        least_bytes=16.0, looped_bytes=64.0, fused_bytes=64.0, kernel_count=20.0, state_count=0, factored=True
    ),
    "lamb": OptimizerFacts(
        least_bytes=36.0,
        looped_bytes=72.0,
        fused_bytes=72.0,
        kernel_count=6.0,
        state_count=2,
        copies_parameters=True,
        runs_in_torch=False,
    ),
    "none": OptimizerFacts(least_bytes=0.0, looped_bytes=0.0, fused_bytes=0.0, kernel_count=0.0, state_count=0),
}
"""LAMB (You et al. 2020) by the multi-tensor kernels of others: Adam's update, two norms, the scaled update."""
OPTIMIZERS: tuple[Optimizer, ...] = tuple(OPTIMIZER_FACTS)
FUSED_OPTIMIZERS: tuple[Optimizer, ...] = tuple(name for name, row in OPTIMIZER_FACTS.items() if row.fused_kernel)
EIGHT_BIT_OPTIMIZERS: tuple[Optimizer, ...] = tuple(name for name, row in OPTIMIZER_FACTS.items() if row.eight_bit)
