"""How far what a switch brings may be off: in the ratio of two steps of one card, what both err by cancels."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from advisor.core.units import Estimate
from advisor.cost.efficiencies import efficiencies
from advisor.cost.host_time import slower_host_factor
from advisor.predict.prediction import Prediction
from advisor.predict.ranges.envelope import widening

GainKind = Literal["alike", "compiled", "adapters", "unpublished", "unlike"]
"""What differs: little of the operators (precision, layout, attention, checkpointing, the optimizer's kernels, the
batch size), who makes the kernels, what is trained, what nobody published a pair of, or a thing whose errors are of
another kind than the rest of the step's (FP8 products, how cards share the work)."""
LOG_WIDTHS: dict[GainKind, float] = {"alike": 0.13, "compiled": 0.25, "adapters": 0.21, "unpublished": 0.27}
"""Half of the range in the logarithm: 84 of 100 published pairs err less in their ratio when their source is left out
of the fit, a pair weighing one over the root of its source's pairs (docs/accuracy.md has them). A switch without a
published pair has the widest."""

_OF_WHAT_DIFFERS = 2.0
"""The parts of a step that a switch changes may take half or twice as long as predicted (assumed)."""
_ALIKE = 1e-6


def gain_range(after: Prediction, before: Prediction, *kinds: GainKind) -> Estimate:
    """Samples a second of `after` over those of `before`, one set-up of one device but for a switch, or several.

    Card, host, model and publisher are the same in both. The range is that of published pairs, wider outside of what
    was fitted, narrower where most of the step is what it was, wider again by what a slower or quicker host makes of
    the ratio, and never wider than of two steps whose errors have nothing in common. Of several switches squares add.
    """
    alone = independent_ratio(after.samples_per_s, before.samples_per_s)
    if "unlike" in kinds:
        return alone
    assumed, value = efficiencies().assumed, alone.value
    width = math.hypot(*(LOG_WIDTHS[kind] for kind in kinds)) * widening((*after.notes, *before.notes), assumed)
    shares = np.array([after.part_share("host"), before.part_share("host")])
    hosts = (slower_host_factor(shares, slowness) for slowness in (assumed.host_range, 1.0 / assumed.quick_host_range))
    of_host = [math.log(before_s / after_s) for after_s, before_s in hosts]
    less, more = _by_what_differs(after, before)
    down = math.hypot(min(width, less), min(0.0, *of_host))
    up = math.hypot(min(width, more), max(0.0, *of_host))
    return Estimate(
        value=value,
        low=max(alone.low, value * math.exp(-down)),
        high=min(alone.high, value * math.exp(up)),
        basis=alone.basis,
    )


def independent_ratio(after: Estimate, before: Estimate) -> Estimate:
    """One over the other, their errors independent: squares of logarithms add."""
    value = after.value / before.value
    down = math.hypot(math.log(after.value / after.low), math.log(before.high / before.value))
    up = math.hypot(math.log(after.high / after.value), math.log(before.value / before.low))
    return Estimate(value=value, low=value * math.exp(-down), high=value * math.exp(up), basis=after.basis)


def _by_what_differs(after: Prediction, before: Prediction) -> tuple[float, float]:
    """How far the log of the ratio can be off downwards and upwards by the parts of the steps that differ."""
    old, new = ({part.kind: part.duration_s for part in prediction.parts} for prediction in (before, after))
    alike = (kind for kind in old if kind in new and math.isclose(old[kind], new[kind], rel_tol=_ALIKE))
    same = sum(old[kind] for kind in alike)  # in the order of the parts: that of a set changes the last digit
    old_s, new_s = before.step_s.value - same, after.step_s.value - same
    least = (same + old_s / _OF_WHAT_DIFFERS) / (same + new_s * _OF_WHAT_DIFFERS)
    most = (same + old_s * _OF_WHAT_DIFFERS) / (same + new_s / _OF_WHAT_DIFFERS)
    value = before.step_s.value / after.step_s.value
    return math.log(value / least), math.log(most / value)
