"""80 % ranges: what leave-one-out errors on published runs say about a prediction like this one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.cost.efficiencies import Band, BandGroup, Efficiencies
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.op_columns import Floats
from advisor.workload.workload import Training

_MANY = 0.3
"""Share of operators' work from which an unfitted family counts."""
_MOST_UNKNOWN = 0.9
"""Beyond it no range says anything."""


def step_band(
    specs: Sequence[GpuSpec],
    compiled: CompiledTable,
    training: Training,
    host_share: Floats,
    figures: Efficiencies,
) -> tuple[Floats, Floats]:
    """Factors that turn a step's time into the low and high end of its 80 % range, shape (cards, batch sizes).

    The range is that of published steps whose model (and, for cards or architectures that no fitted run has,
    whose card or architecture) was left out of the fit; wider under `torch.compile`, for families of operators
    that no fitted run has, and by the share of the step that waits for the host (`host_share`, same shape). Calls of
    unknown work lift the high end, as if each took as long as two others.
    """
    assumed = figures.assumed
    width = assumed.compiled_range if training.compile else 1.0
    unknown = min(compiled.unknown_call_fraction, _MOST_UNKNOWN)
    if _has_new_family(compiled) or unknown > 0:
        width *= assumed.new_family_range
    bands = [_band(spec, figures) for spec in specs]
    below = np.array([[-np.log(min(band.low, 1.0 / assumed.least_range))] for band in bands]) * width
    above = np.array([[np.log(max(band.high, assumed.least_range))] for band in bands]) * width
    host = host_share * np.log(assumed.host_range)
    longer = -2 * np.log1p(-unknown)
    return np.exp(-np.hypot(below, host)), np.exp(np.hypot(above, host) + longer)


def band_group(spec: GpuSpec, figures: Efficiencies) -> BandGroup:
    """How well this card is known from the fitted runs."""
    if spec.key in figures.fitted_cards:
        return "known_card"
    if spec.compute_capability in figures.fitted_capabilities:
        return "known_architecture"
    return "new_architecture"


def _band(spec: GpuSpec, figures: Efficiencies) -> Band:
    group = band_group(spec, figures)
    return next(band for band in figures.bands if band.group == group)


def _has_new_family(compiled: CompiledTable) -> bool:
    """Whether recurrent layers do a good part of the work."""

    def flop(columns: Floats, calls: Floats) -> float:
        return float(np.sum(columns * calls))

    families = (compiled.rnn, compiled.attention, compiled.matmul, compiled.convolution)
    work = [flop(family.constant.flop + family.slope.flop, family.constant.call_count) for family in families]
    return work[0] > _MANY * max(sum(work), 1.0)
