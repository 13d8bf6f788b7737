"""What a step holds at most by its trace: enough to refuse a batch size before it is tried."""

from __future__ import annotations

import numpy as np

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training

_ALLOCATE, _FREE = 0, 1
_STATE_COPIES = {"adamw": 2.0, "adam": 2.0, "adafactor": 0.1, "lamb": 2.0, "sgd_momentum": 1.0, "sgd": 0.0, "none": 0.0}


def expected_peak_bytes(table: OpTable, training: Training, batch_size: int, precision: Precision) -> float:
    """Highest sum of live bytes in the trace's event stream plus optimizer states; without a stream a lower bound.

    Plain sums: no allocator, no workspace. The exact figure is `advisor.cost.memory.need`'s business.
    """
    copies = _STATE_COPIES[training.optimizer] if training.mode == "training" else 0.0
    weight_bytes = 2.0 if table.precision == "half" else 4.0
    trainable_count = table.trainable_parameter_bytes / weight_bytes
    states = copies * PRECISION_FACTS[precision].state_bytes * trainable_count
    if training.mode == "training" and PRECISION_FACTS[precision].master_copies:
        states += 4.0 * trainable_count
    timeline = table.memory
    if timeline is None:
        gradients = table.gradient_bytes if training.mode != "inference" else 0.0
        return table.parameter_bytes + table.buffer_bytes + gradients + states
    sizes = np.asarray(timeline.size0_bytes) + np.asarray(timeline.size1_bytes) * batch_size
    kinds = np.asarray(timeline.kind)
    signs = np.where(kinds == _ALLOCATE, 1.0, np.where(kinds == _FREE, -1.0, 0.0))
    live = np.cumsum(signs * sizes)
    return float(live.max(initial=0.0)) + states
