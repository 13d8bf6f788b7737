"""How far a local step at another batch size may be off: an 80 % range that grows with the distance to timed sizes."""

from __future__ import annotations

import numpy as np

from advisor.core.units import HALF_RANGE_SIGMAS
from advisor.optable.op_columns import Floats

_MODEL_WIDTH = 0.025
_WIDTH_PER_OCTAVE_INSIDE = 0.005
_WIDTH_PER_OCTAVE_OUTSIDE = 0.04
"""Round figures with which, on synthetic devices whose truth and noise are known, eight of ten batch sizes between
those timed lie in their range on the least smooth device, and nine of ten beyond them on all devices together
(tests/predict/test_local_range.py asks both)."""
OTHER_PRECISION_WIDTH = 0.20
"""What is added where another precision was timed (assumed)."""
RATES_ONLY_WIDTH = 0.45
"""Where microbenchmarks alone tell of a step (assumed)."""


def half_widths(timed: Floats, own: Floats, batches: Floats, misfit: float, log_errors: Floats) -> Floats:
    """Half of the range as a fraction at each of `batches`, shape (batches,).

    `timed` are the batch sizes with a measurement, `own` half of each one's own range; `misfit` is the largest error,
    in the log, that the fit leaves at a timed batch size or makes where one is left out. `log_errors`, shape
    (batches,), are the standard errors of the fitted times' logarithms: what timed batch sizes leave open.
    """
    logs, wanted = np.log2(timed), np.log2(np.maximum(batches, 1.0))
    distance = np.min(np.abs(wanted[:, None] - logs[None, :]), axis=1)
    near = np.minimum(distance, 1.0) * (_MODEL_WIDTH + misfit / 2.0)
    alone = _WIDTH_PER_OCTAVE_OUTSIDE * (2.0 if len(timed) == 1 else 1.0)
    outside = alone * octaves_outside(logs, wanted) * (1.0 + misfit / 2.0)
    by_distance = np.interp(wanted, logs, own) + near + _WIDTH_PER_OCTAVE_INSIDE * distance + outside
    return np.asarray(np.maximum(by_distance, np.expm1(HALF_RANGE_SIGMAS * log_errors)))


def octaves_outside(logs: Floats, wanted: Floats) -> Floats:
    """How far each of `wanted` lies beyond the outermost of `logs`, both in octaves; 0 between them."""
    outside: Floats = np.maximum(np.maximum(logs[0] - wanted, wanted - logs[-1]), 0.0)
    return outside
