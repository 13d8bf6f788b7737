"""What a card is busy with during one forward and backward pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from advisor.cost.efficiencies import Efficiencies
from advisor.cost.operators.attention_time import attention_seconds
from advisor.cost.operators.convolution_time import convolution_seconds
from advisor.cost.operators.device_rates import DeviceRates
from advisor.cost.operators.matmul_time import matmul_seconds
from advisor.cost.operators.memory_bound_time import memory_bound_seconds
from advisor.cost.operators.op_time import Peaks, sustained_peaks
from advisor.cost.operators.rnn_time import rnn_seconds
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.op_columns import (
    KINDS,
    AttentionWork,
    ConvolutionWork,
    Families,
    Floats,
    MatmulWork,
    MemoryWork,
    RnnWork,
    Work,
)
from advisor.workload.workload import Training, fp8_recipe_of


@dataclass(frozen=True, kw_only=True)
class DeviceSeconds:
    """Busy seconds of one pass, shape (cards, batch sizes)."""

    forward: Floats
    backward: Floats


def family_seconds(work: Work, rates: DeviceRates, peaks: Peaks, figures: Efficiencies, nhwc: Floats) -> Floats:
    """Seconds of all calls of each operator of one family, kernel starts included.

    Columns, rates, peaks and `nhwc` (1.0 channels-last, 0.0 not) broadcast against each other.
    """
    fitted = figures.fitted
    if isinstance(work, RnnWork):
        return rnn_seconds(work, rates, peaks, fitted) * work.call_count
    if isinstance(work, MatmulWork | AttentionWork):
        kept = rates.tensor_cores_for_cudnn_only == 1  # torch's default has them in FP32 while convolutions take TF32
        peaks = replace(peaks, single=np.where(kept, peaks.fp32, peaks.single))
        rates = replace(rates, single_on_tensor_cores=np.where(kept, 0.0, rates.single_on_tensor_cores))
    if isinstance(work, MatmulWork):
        seconds = matmul_seconds(work, rates, peaks, fitted)
    elif isinstance(work, ConvolutionWork):
        seconds = convolution_seconds(work, rates, peaks, fitted, nhwc=nhwc)
    elif isinstance(work, AttentionWork):
        seconds = attention_seconds(work, rates, peaks, figures)
    else:
        assert isinstance(work, MemoryWork)
        seconds = memory_bound_seconds(work, rates, peaks, fitted, nhwc=nhwc)
    return (seconds + fitted.kernel_start_s * work.kernel_count) * work.call_count


def runs_fused(training: Training, *, whole_layers: bool = True) -> bool:
    """Whether element-wise work and reductions that follow one another run as one kernel.

    The compiler makes such kernels; Transformer Engine's layers bring them, where they run whole: norm and cast, rotary
    embedding, gated activation, cross-entropy.
    """
    return training.compile or (whole_layers and runs_transformer_engine(training))


def runs_transformer_engine(training: Training) -> bool:
    """Whether layers are Transformer Engine's, all of them or the linear ones alone."""
    return fp8_recipe_of(training) == "transformer_engine"


def runs_channels_last(compiled: CompiledTable, training: Training) -> bool:
    """Whether convolutions run channels-last: asked for, or turned by the compiler."""
    return training.channels_last or (training.compile and compiled.turned_by_compiler)


def device_seconds(  # noqa: PLR0913 - what a pass depends on
    families: Families,
    rates: DeviceRates,
    batches: Floats,
    figures: Efficiencies,
    *,
    channels_last: bool,
    fused: bool = False,
    factors: Mapping[str, float] | None = None,
) -> DeviceSeconds:
    """Busy seconds of one pass; `rates` of shape (cards,), `batches` of shape (batches, 1).

    `channels_last` and `fused` say what `runs_channels_last` and `runs_fused` do; `factors` multiply operator kinds.
    """
    wide = rates.changed(lambda values: values.reshape(-1, 1, 1))
    peaks = sustained_peaks(wide, figures.fitted)
    nhwc = np.array(float(channels_last))
    shape = (len(rates.sm_count), len(batches))
    forward, backward = np.zeros(shape), np.zeros(shape)
    weights = _kind_weights(factors or {}, figures, compiled_by_factor=fused and families.fused is None)
    for family in families.in_pass(fused=fused):
        if family.count == 0:
            continue
        work = family.at(batches)
        seconds = family_seconds(work, wide, peaks, figures, nhwc)
        seconds = np.broadcast_to(seconds * weights[work.kind.astype(np.intp)], (*shape, family.count))
        late = work.backward
        backward += seconds @ late
        forward += seconds @ (1.0 - late)
    return DeviceSeconds(forward=forward, backward=backward)


_FUSED_BY_COMPILER = ("elementwise", "norm", "softmax", "reduction", "copy", "other")


def _kind_weights(factors: Mapping[str, float], figures: Efficiencies, *, compiled_by_factor: bool) -> Floats:
    weights = np.array([factors.get(kind, 1.0) for kind in KINDS])
    if compiled_by_factor:
        fused = np.array([kind in _FUSED_BY_COMPILER for kind in KINDS])
        weights = np.where(fused, weights * figures.assumed.compiled_traffic, weights)
    return weights
