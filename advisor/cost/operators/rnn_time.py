"""Time of cuDNN's recurrent layers: one large input product, then dependent steps that a card cannot spread out."""

from __future__ import annotations

import numpy as np

from advisor.cost.efficiencies import Fitted
from advisor.cost.operators.device_rates import DeviceRates
from advisor.cost.operators.matmul_time import operand_seconds, tiled_seconds
from advisor.cost.operators.op_time import Peaks, smooth_maximum
from advisor.optable.op_columns import Floats, RnnWork

_KERNELS_A_STEP = 2.0
"""The recurrent product and the gates' element-wise work."""


def rnn_seconds(work: RnnWork, rates: DeviceRates, peaks: Peaks, fitted: Fitted) -> Floats:
    """Seconds of one call with the start of every step's kernels.

    Backward runs the recurrent product once more along the steps and adds the weights' gradient as one large
    product, which forward has not.
    """
    peak = np.where(work.half, peaks.half, peaks.single)
    gate_width = work.gates * work.hidden_size
    once = np.ones_like(work.steps)
    rows = work.steps * work.batch
    deep_input = work.hidden_size * work.directions
    first = tiled_seconds(once, rows, gate_width, work.input_size, peak, rates, fitted)
    further = tiled_seconds(once, rows, gate_width, deep_input, peak, rates, fitted)
    products = work.directions * (first + (work.layers - 1.0) * further)
    recurrent_weights = tiled_seconds(once, work.hidden_size, gate_width, rows, peak, rates, fitted)
    in_backward = 2.0 * products + work.directions * work.layers * recurrent_weights
    products = np.where(work.backward == 1, in_backward, products)

    step = tiled_seconds(once, work.batch, gate_width, work.hidden_size, peak, rates, fitted)
    weights_read = operand_seconds(gate_width * work.hidden_size * work.element_bytes, rates, fitted)
    step = smooth_maximum(step, weights_read) + _KERNELS_A_STEP * fitted.kernel_start_s
    return products + work.layers * work.directions * work.steps * step
