"""80 % ranges: what leave-one-out errors on published runs say about a prediction like this one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from advisor.hardware.gpu_spec import GpuSpec
from advisor.predict.efficiencies import Efficiencies
from advisor.predict.op_columns import Floats
from advisor.workload.workload import Training

_ALL = "all"


def step_band(specs: Sequence[GpuSpec], training: Training, figures: Efficiencies) -> tuple[Floats, Floats]:
    """Factors of shape (cards, 1) that turn a step's time into the low and high end of its 80 % range."""
    band = next(band for band in figures.bands if band.group == _ALL)
    width = figures.assumed.compiled_range if training.compile else 1.0
    low = np.full((len(specs), 1), band.low**width)
    high = np.full((len(specs), 1), band.high**width)
    return low, high
