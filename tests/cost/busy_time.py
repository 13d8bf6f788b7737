"""Busy seconds of single operators on a card, with round figures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import Precision
from advisor.cost.efficiencies import efficiencies
from advisor.cost.operators.device_rates import device_rates
from advisor.cost.operators.device_time import device_seconds
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import Op
from tests.cost.small_tables import CARD, table

FITTED = replace(
    efficiencies().fitted, kernel_start_s=4e-6, l2_help=0.2, elementwise=0.8, sm_bytes_per_clock=20.0, depthwise=0.25,
    batched_matmul=0.8, backward_matmul=0.9, convolution_1d=0.8, early_tf32_products=1.25, early_half_products=1.2,
    wave_quantisation=0.8,
)  # fmt: skip
"""Round figures where a test does its own arithmetic: what they are fitted to is asked of published runs."""
FIGURES = replace(efficiencies(), fitted=FITTED, bandwidth_share=0.9)
START_S = 4e-6


def seconds(
    ops: Sequence[Op],
    precision: Precision = "fp32",
    spec: GpuSpec = CARD,
    *,
    batch: float = 1.0,
    nhwc: bool = False,
    software_year: int | None = None,
    flash_generation: int | None = None,
) -> float:
    """Busy seconds of operators on a card."""
    trace = {"fp32": "fp32", "tf32": "fp32", "fp16_amp": "amp", "bf16_amp": "amp"}.get(precision, "half")
    compiled = compile_table(table(*ops, precision=trace))  # type: ignore[arg-type]
    rates = device_rates([spec], precision, FIGURES, software_year, flash_generation=flash_generation)
    busy = device_seconds(compiled, rates, np.array([[batch]]), FIGURES, channels_last=nhwc)
    return float(busy.forward[0, 0] + busy.backward[0, 0])
