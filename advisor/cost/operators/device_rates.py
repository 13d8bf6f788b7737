"""From a row of the spec table to the rates that a card sustains at a precision, or the reason why that is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_FACTS, ComputedPrecision
from advisor.catalogue.software import (
    CUDNN_ATTENTION_YEAR,
    FIRST_AMPERE_YEAR,
    PADDED_PRODUCTS_YEAR,
    SECOND_FLASH_YEAR,
    is_before,
)
from advisor.core.sentences import Reason
from advisor.cost.efficiencies import Architecture, Efficiencies
from advisor.optable.op_columns import Floats

_REQUIRED = (
    "sm_count",
    "boost_clock_hz",
    "fp32_flop_per_s",
    "memory_bandwidth_bytes_per_s",
)
_AMPERE, _HOPPER, _BLACKWELL = 8.0, 9.0, 10.0
"""First compute capability of each."""
_AMD_FLASH = ("gfx90a", "gfx942", "gfx950")
"""AMD's generations for which PyTorch has kernels of flash attention (AOTriton 0.4: MI200 and MI300; 0.10: MI350)."""
UNLIMITED = 1e30
"""Stands for a limit that does not bind, where an infinity would turn products into NaN."""


@dataclass(frozen=True, kw_only=True)
class DeviceRates:
    """Figures of several cards, arrays of one shape that broadcasts against operator columns."""

    sm_count: Floats
    clock_hz: Floats
    fp32_flop_per_s: Floats
    """Of the data sheet."""
    single_flop_per_s: Floats
    """What 32-bit products run at by the data sheet: TF32 where it is asked for and there is, else FP32."""
    single_on_tensor_cores: Floats
    """1.0 where those are TF32, else 0.0."""
    tensor_cores_for_cudnn_only: Floats
    """1.0 where convolutions and recurrent layers run in TF32 but products do not, as torch's default has it."""
    half_flop_per_s: Floats
    fp32_share: Floats
    single_share: Floats
    half_share: Floats
    fp32_limit_flop_per_s: Floats
    """What the power limit sustains."""
    single_limit_flop_per_s: Floats
    half_limit_flop_per_s: Floats
    bandwidth_bytes_per_s: Floats
    """Of a long copy."""
    l2_bytes: Floats
    compute_capability: Floats
    flash_attention: Floats
    """1.0 where there are kernels of it; cards before Ampere run memory-efficient ones."""
    needs_alignment: Floats
    """1.0 where 16-bit products with a side that is no multiple of 8 leave the tensor cores, as in 2020."""
    pads_products: Floats
    """1.0 where the compiler pads the sides of products to what tensor cores want."""
    early_kernels: Floats
    """1.0 where the software has the first kernels for Ampere."""
    first_flash: Floats
    """1.0 where it has the first kernels of flash attention."""
    hopper_attention: Floats
    """1.0 where attention runs in kernels that are written for Hopper."""

    def changed(self, function: Callable[[Floats], Floats]) -> DeviceRates:
        """The same figures with `function` (a reshape, a selection) applied to each array."""
        return replace(self, **{field.name: function(getattr(self, field.name)) for field in fields(self)})


def missing_figures(spec: GpuSpec, precision: ComputedPrecision) -> Reason | None:
    """Why no step time can be predicted for this card at this precision; None: it can be."""
    generation = () if spec.compute_capability or spec.amdgpu_target else ("compute_capability",)
    missing = [*generation, *(name for name in _REQUIRED if getattr(spec, name) is None)]
    if missing:
        return Reason.of("predict-missing-figures", gpu=spec.name, fields=", ".join(missing))
    facts = PRECISION_FACTS[precision]
    if spec.lacks_tensor_rates and (facts.products != "fp32" or facts.cudnn_in_tf32):
        return Reason.of("predict-missing-figures", gpu=spec.name, fields="fp16_flop_per_s")
    if facts.half_format == "bf16" and spec.bf16_flop_per_s is None:
        return Reason.of("predict-no-bf16", gpu=spec.name)
    if facts.half_format == "fp16" and spec.fp16_flop_per_s is None:
        return Reason.of("predict-no-fp16", gpu=spec.name)
    if facts.products == "fp8" and spec.fp8_flop_per_s is None:
        return Reason.of("predict-no-fp8", gpu=spec.name)
    return None


def precision_notes(spec: GpuSpec, precision: ComputedPrecision) -> tuple[Reason, ...]:
    """What a reader must know about a prediction that can be made: mapped precisions, unknown limits, other memory."""
    notes = []
    if precision == "tf32" and spec.tf32_flop_per_s is None:
        notes.append(Reason.of("predict-tf32-runs-as-fp32", gpu=spec.name))
    if spec.power_w is None:
        notes.append(Reason.of("predict-power-unknown", gpu=spec.name))
    if spec.l2_bytes is None:
        notes.append(Reason.of("predict-cache-unknown", gpu=spec.name))
    if spec.memory_replaced:
        notes.append(Reason.of("predict-memory-replaced", gpu=spec.name))
    return tuple(notes)


def device_rates(  # noqa: PLR0913 - what rates depend on
    specs: Sequence[GpuSpec],
    precision: ComputedPrecision,
    figures: Efficiencies,
    software_year: int | None = None,
    *,
    compiled: bool = False,
    transformer_engine: bool = False,
    flash_generation: int | None = None,
) -> DeviceRates:
    """Rates of cards for which `missing_figures` is None; arrays of shape (len(specs),).

    `software_year` is that of PyTorch and its libraries; None: today's. `compiled`: by `torch.compile`;
    `transformer_engine` says that its layers run. `flash_generation` is that of the kernels of flash attention; None:
    the year's.
    """
    cudnn = transformer_engine and not is_before(software_year, CUDNN_ATTENTION_YEAR)
    first_flash = is_before(software_year, SECOND_FLASH_YEAR)
    if flash_generation is not None:
        first_flash = flash_generation == 1
    padded = compiled and not is_before(software_year, PADDED_PRODUCTS_YEAR)
    software = {"first_flash": float(first_flash), "pads_products": float(padded)}
    rows = [_row(spec, precision, figures) | _software(spec, software_year, cudnn=cudnn) | software for spec in specs]
    names = (field.name for field in fields(DeviceRates))
    return DeviceRates(**{name: np.array([row[name] for row in rows], dtype=np.float64) for name in names})


def architecture_of(spec: GpuSpec, figures: Efficiencies) -> Architecture:
    """The first row of the architecture table that fits the card; the newest for cards newer than the table."""
    capability = float(spec.compute_capability or 0)
    power_w = spec.power_w or UNLIMITED
    ratio = (spec.fp16_flop_per_s or 0.0) / (spec.fp32_flop_per_s or UNLIMITED)
    rows = [row for row in figures.architectures if row.amd == (spec.amdgpu_target is not None)]
    for row in rows:
        if (
            row.from_capability <= capability < row.below_capability
            and (row.clock_below_hz is None or (spec.boost_clock_hz or 0.0) < row.clock_below_hz)
            and (row.power_below_w is None or power_w < row.power_below_w)
            and (row.tensor_over_fp32_above is None or ratio > row.tensor_over_fp32_above)
        ):
            return row
    oldest = min(rows, key=lambda row: row.from_capability)
    newest = max(rows, key=lambda row: row.from_capability)
    return oldest if capability < oldest.from_capability else newest


def _row(spec: GpuSpec, precision: ComputedPrecision, figures: Efficiencies) -> dict[str, float]:
    architecture = architecture_of(spec, figures)
    bandwidth = spec.memory_bandwidth_bytes_per_s or 0.0
    narrow = bandwidth < figures.narrow_bandwidth_bytes_per_s
    copied_share = figures.narrow_bandwidth_share if narrow else figures.bandwidth_share
    power_w = spec.power_w or UNLIMITED
    fp32 = spec.fp32_flop_per_s or 0.0
    facts = PRECISION_FACTS[precision]
    own_bandwidth, own_compute = _own_shares(spec, figures)
    tf32 = None if facts.products == "fp32" and not facts.cudnn_in_tf32 else spec.tf32_flop_per_s
    single_flop_per_j = architecture.fp32_flop_per_j if tf32 is None else architecture.tf32_flop_per_j
    half = (spec.bf16_flop_per_s if facts.half_format == "bf16" else spec.fp16_flop_per_s) or fp32
    return {
        "sm_count": float(spec.sm_count or 0),
        "clock_hz": spec.boost_clock_hz or 0.0,
        "fp32_flop_per_s": fp32,
        "single_flop_per_s": fp32 if tf32 is None else tf32,
        "single_on_tensor_cores": float(tf32 is not None),
        "tensor_cores_for_cudnn_only": float(facts.cudnn_in_tf32),
        "half_flop_per_s": half,
        "fp32_share": architecture.fp32_share * own_compute,
        "single_share": (architecture.fp32_share if tf32 is None else architecture.tf32_share) * own_compute,
        "half_share": architecture.tensor_share * own_compute,
        "fp32_limit_flop_per_s": architecture.fp32_flop_per_j * power_w * own_compute,
        "single_limit_flop_per_s": single_flop_per_j * power_w * own_compute,
        "half_limit_flop_per_s": architecture.tensor_flop_per_j * power_w * own_compute,
        "bandwidth_bytes_per_s": bandwidth * min(1.0, copied_share * own_bandwidth),
        "l2_bytes": spec.l2_bytes or 0.0,
        "compute_capability": float(spec.compute_capability or 0),
        "flash_attention": float(float(spec.compute_capability or 0) >= _AMPERE or spec.amdgpu_target in _AMD_FLASH),
    }


def _own_shares(spec: GpuSpec, figures: Efficiencies) -> tuple[float, float]:
    """(bandwidth, compute) that this very card reaches over what the figures tell of one like it; 1 where unknown."""
    own = (card for card in figures.cards if card.key == spec.published_as)
    return next(((card.bandwidth, card.compute) for card in own), (1.0, 1.0))


def _software(spec: GpuSpec, year: int | None, *, cudnn: bool) -> dict[str, float]:
    capability = float(spec.compute_capability or 0)
    ampere = capability >= _AMPERE
    early = year is not None and year <= FIRST_AMPERE_YEAR
    return {
        "needs_alignment": float(early and not ampere),
        "early_kernels": float(early and ampere),
        "hopper_attention": float(cudnn and _HOPPER <= capability < _BLACKWELL),
    }
