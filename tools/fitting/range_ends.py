"""How many deviations the 80 % ranges reach, told by steps that were predicted without their like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from advisor.cost.efficiencies import Band, BandGroup, Efficiencies
from advisor.optable.op_columns import Floats
from advisor.predict.ranges.deviation import log_deviation
from advisor.predict.ranges.step_range import is_compiled_training
from tools.fitting.card_shares import slopes_of
from tools.fitting.fit import MeasuredStep

COVERAGE = 0.8
"""Share of the runs of a publisher that no fit has seen that are to lie inside their range."""
_LEFT_OUT: dict[BandGroup, tuple[str, ...]] = {
    "known_card": ("model", "source", "generation"),
    "known_architecture": ("gpu",),
    "new_architecture": ("architecture",),
}
"""What is left out for the range of a card, beyond what is for the range of one that is better known."""


def bands_of(
    steps: Sequence[MeasuredStep],
    figures: Efficiencies,
    predicted: Mapping[str, Floats],
    *,
    kept: NDArray[np.bool_] | None = None,
) -> tuple[Band, ...]:
    """Ends of each group of cards of which `predicted` (seconds of all steps, by what was left out) tells.

    The widest of model, source and generation left out counts; for new cards and architectures that of steps without
    those, if it is wider. Training under `torch.compile` has ends of its own. `kept`: the steps that tell; None: all.
    """
    slopes = slopes_of(steps, figures)
    measured, sources = np.array([step.measured_s for step in steps]), np.array([step.source for step in steps])
    compiled = np.array([is_compiled_training(step.training) for step in steps])
    ends = {False: np.zeros(2), True: np.zeros(2)}
    bands = []
    for group, left in _LEFT_OUT.items():
        if not set(left) <= set(predicted):
            break
        deviation = log_deviation(slopes, figures.share_spread, new_card=float(group != "known_card"))
        for what in left:
            off = np.log(measured / predicted[what]) / deviation
            for kind, known in ends.items():
                inside = (compiled == kind) & (True if kept is None else kept)
                ends[kind] = np.maximum(known, _ends(off[inside], sources[inside].tolist()))
        bands += [
            Band(group=group, compiled=kind, below=round(float(below), 3), above=round(float(above), 3))
            for kind, (below, above) in ends.items()
        ]
    return tuple(bands)


def _ends(off: Floats, sources: Sequence[str]) -> Floats:
    """Below and above, (2,): split-conformal percentiles of errors in their deviations.

    A run weighs 1 / sqrt(runs of its publisher): between counting runs, where the publishers of many hide all others,
    and counting publishers, of whom many have a few runs. The finite-sample correction (n + 1) / n counts publishers,
    since runs of one err alike; what stays outside is shared evenly by both ends.
    """
    sizes = Counter(sources)
    tail = max(0.0, 1.0 - COVERAGE * (len(sizes) + 1) / len(sizes)) / 2.0
    order = np.argsort(off)
    weight = np.array([sizes[source] ** -0.5 for source in sources])[order]
    reached = (np.cumsum(weight) - weight / 2.0) / weight.sum()
    low, high = np.interp([tail, 1.0 - tail], reached, off[order])
    return np.array([-low, high])
