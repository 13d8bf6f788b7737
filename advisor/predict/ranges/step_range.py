"""80 % ranges: what leave-one-out errors on published runs say about a prediction like this one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.cost.efficiencies import BandGroup, Efficiencies
from advisor.cost.host_time import slower_host_factor
from advisor.cost.traced_step import TracedStep
from advisor.optable.op_columns import Floats
from advisor.predict.ranges.deviation import log_deviation
from advisor.predict.ranges.envelope import outside_envelope, widening
from advisor.workload.workload import Training

_MOST_UNKNOWN = 0.9
"""Beyond it no range says anything."""


def step_band(
    step: TracedStep,
    specs: Sequence[GpuSpec],
    host_share: Floats,
    slopes: tuple[Floats, Floats],
    figures: Efficiencies,
) -> tuple[Floats, Floats]:
    """Factors that turn a step's time into the low and high end of its 80 % range, shape (cards, batch sizes).

    The range is as many deviations (`log_deviation`, by the step's `slopes`) wide as published steps have shown whose
    publisher, model or generation (and, for cards or architectures that no fitted run has, whose card or architecture)
    was left out of the fit; wider outside of what was fitted (`envelope.py`), and by what a slower or quicker host
    would make of the step, of which `host_share` (same shape) waits for the one at hand, less so for one that was
    measured. Calls of unknown work lift the high end, as if each took as long as two others; a model that is known by
    its totals alone has a wider range.
    """
    assumed, compiled = figures.assumed, step.compiled
    unknown = min(compiled.unknown_call_fraction, _MOST_UNKNOWN)
    factors = [widening(outside_envelope(compiled, step.training, figures), assumed)]
    if unknown > 0:
        factors.append(assumed.new_family_range)
    if compiled.totals_only:
        factors.append(assumed.totals_range)
    makers = np.array([[assumed.other_maker_range if spec.amdgpu_target else 1.0] for spec in specs])
    width = np.maximum(max(factors), makers)
    groups = [band_group(spec, figures) for spec in specs]
    compiles = is_compiled_training(step.training)
    bands = {band.group: band for band in figures.bands if band.compiled == compiles}
    new_card = np.array([[float(group != "known_card")] for group in groups])
    deviation = log_deviation(slopes, figures.share_spread, new_card=new_card)
    least = np.log(assumed.least_range)
    below = np.maximum(deviation * [[bands[group].below] for group in groups], least) * width
    above = np.maximum(deviation * [[bands[group].above] for group in groups], least) * width
    host_measured = step.host.forward_s_per_dispatch is not None
    ends = (assumed.measured_host_range,) * 2 if host_measured else (assumed.host_range, assumed.quick_host_range)
    slower = np.log(slower_host_factor(host_share, ends[0]))
    quicker = -np.log(slower_host_factor(host_share, 1.0 / ends[1]))
    longer = -2 * np.log1p(-unknown)
    return np.exp(-np.hypot(below, quicker)), np.exp(np.hypot(above, slower) + longer)


def is_compiled_training(training: Training) -> bool:
    """Whether a step has the ranges of those that a compiler made."""
    return training.compile and training.mode != "inference"


def band_group(spec: GpuSpec, figures: Efficiencies) -> BandGroup:
    """How well this card is known from the fitted runs."""
    if spec.published_as in figures.fitted_cards:
        return "known_card"
    if spec.compute_capability in figures.fitted_capabilities:
        return "known_architecture"
    return "new_architecture"
