"""Time of operators that wait for memory: element-wise work, norms, softmax, reductions, copies, embeddings, pools."""

from __future__ import annotations

import numpy as np

from advisor.cost.efficiencies import Fitted
from advisor.cost.operators.device_rates import DeviceRates
from advisor.cost.operators.op_time import Peaks, limited_bandwidth, smooth_maximum, through_cache
from advisor.optable.op_columns import KINDS, Floats, MemoryWork

_COPY = KINDS.index("copy")
_ELEMENT_LIMITED = (_COPY, *(KINDS.index(kind) for kind in ("softmax", "reduction", "pool")))


def _shares(fitted: Fitted) -> Floats:
    """Share of a copy's bandwidth by operator kind, in the order of `KINDS`."""
    by_kind = {
        "norm": fitted.norm,
        "softmax": fitted.softmax,
        "reduction": fitted.reduction,
        "copy": fitted.copy,
        "embedding": fitted.copy,
        "pool": fitted.reduction,
        "fused": fitted.fused,
    }
    return np.array([by_kind.get(kind, fitted.elementwise) for kind in KINDS])


def memory_bound_seconds(work: MemoryWork, rates: DeviceRates, peaks: Peaks, fitted: Fitted, *, nhwc: Floats) -> Floats:
    """Seconds of one call of each operator, without its kernels' start; `nhwc` is 1.0 for channels-last."""
    kind = work.kind.astype(np.intp)
    share = _shares(fitted)[kind]
    batch_norm = work.batch_norm == 1
    share = np.where(batch_norm & (nhwc == 1), fitted.norm_nhwc, share)
    bandwidth = rates.bandwidth_bytes_per_s * share
    limited = (batch_norm & (nhwc == 0)) | np.isin(kind, _ELEMENT_LIMITED)
    elements = np.where(kind == _COPY, fitted.copy_elements_per_clock, fitted.elements_per_clock)
    effective = np.where(limited, limited_bandwidth(bandwidth, elements, work.element_bytes, rates), bandwidth)
    from_memory = through_cache(work.moved_bytes, rates, fitted) / effective
    through_sms = work.moved_bytes / (rates.sm_count * rates.clock_hz * fitted.sm_bytes_per_clock)
    traffic = smooth_maximum(from_memory, through_sms)
    return smooth_maximum(traffic, work.flop / np.where(work.half, peaks.half, peaks.single))
