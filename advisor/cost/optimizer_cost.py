"""What an optimizer step moves and launches, by algorithm and by how PyTorch runs it."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.catalogue.precisions import FP32_BYTES, PRECISION_FACTS, ComputedPrecision
from advisor.catalogue.software import is_before
from advisor.workload.workload import Training, stepped_facts

_FOREACH_FROM_YEAR = 2023
_CHUNK_ELEMENTS = 65536 * 320
"""Elements that one multi-tensor launch handles at most, and its tensors."""
_CHUNK_TENSORS = 110
_UNSCALE_BYTES = 8.0
"""GradScaler reads and writes every FP32 gradient once."""
_CLIP_BYTES = 12.0
"""The norm reads every FP32 gradient, the scaling reads and writes it."""


@dataclass(frozen=True, kw_only=True)
class OptimizerCost:
    """One optimizer step of a whole model."""

    moved_bytes: float
    kernel_count: float
    dispatch_count: float
    """Calls of the host."""
    update_count: float
    """Times that the optimizer is called: once a step, or once a tensor where backward calls it."""


_MASTER_COPY_BYTES = 4.0
"""Half weights: a half gradient is read, FP32 masters and half weights are written."""
_MOMENT_STREAMS = 4.0
"""Two moments, read and written, which eight bits keep in one byte each."""


def optimizer_cost(  # noqa: PLR0913 - what an update depends on
    training: Training,
    precision: ComputedPrecision,
    parameter_count: float,
    tensor_count: float,
    software_year: int | None = None,
    stored_bytes: float | None = None,
) -> OptimizerCost:
    """Traffic, kernels and host calls of one step over the trainable parameters, scaler and clipping included.

    PyTorch takes the fused kernel where the training asks for it, else foreach, which before 2023 was a plain loop
    over the tensors; `software_year` None is today. `stored_bytes` of all of them, None: as wide as the precision says.
    """
    if not training.updates_weights:
        return OptimizerCost(moved_bytes=0.0, kernel_count=0.0, dispatch_count=0.0, update_count=0.0)
    facts = OPTIMIZER_FACTS[training.optimizer]
    looped = is_before(software_year, _FOREACH_FROM_YEAR)
    eight_bit = training.optimizer_bits == 8 and facts.eight_bit  # noqa: PLR2004 - bits
    fused = training.fused_optimizer or eight_bit
    per_parameter = facts.fused_bytes if fused else facts.looped_bytes
    stepped = stepped_facts(training, precision)
    # The algorithms' figures count in FP32; where nothing is kept in it, every stream of a step is half as wide.
    state_bytes = stepped.state_bytes
    if stored_bytes and not stepped.master_copies:
        # Copies of 16-bit modules beside FP32 adapters have states of their own width.
        state_bytes = stored_bytes / parameter_count
    width = state_bytes / FP32_BYTES
    per_parameter *= width
    per_parameter += _MASTER_COPY_BYTES if stepped.master_copies else 0.0
    per_parameter -= _MOMENT_STREAMS * (state_bytes - 1.0) if eight_bit else 0.0
    passes = 1.0 if fused else facts.kernel_count
    launches = max(1.0, parameter_count / _CHUNK_ELEMENTS, tensor_count / _CHUNK_TENSORS)
    in_backward = training.optimizer_in_backward
    by_tensor = (looped and not fused) or facts.factored or eight_bit or in_backward
    kernels = passes * (tensor_count if by_tensor else launches)
    if PRECISION_FACTS[precision].scales_gradients:
        per_parameter += _UNSCALE_BYTES
        kernels += launches
    if training.clip_gradient_norm is not None:
        per_parameter += _CLIP_BYTES * width
        kernels += 2.0 * launches
    return OptimizerCost(
        moved_bytes=per_parameter * parameter_count,
        kernel_count=kernels,
        dispatch_count=kernels if by_tensor else kernels + tensor_count,
        update_count=tensor_count if in_backward else 1.0,
    )
