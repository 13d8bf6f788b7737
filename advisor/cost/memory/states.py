"""What the optimizer holds between steps, and what it takes for the length of its own step."""

from __future__ import annotations

import math
from typing import NamedTuple

from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.catalogue.precisions import FP32_BYTES, ComputedPrecision
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training, stepped_facts

_EIGHT_BIT_BLOCK = 256
"""Elements that share one FP32 scale in 8-bit states (bitsandbytes)."""
_EIGHT_BIT_SMALLEST = 4096
"""Smaller tensors keep 32-bit states there."""
_MATRIX_DIMENSIONS = 2


class OptimizerMemory(NamedTuple):
    """Sizes in bytes of single allocations."""

    states: tuple[float, ...]
    """Made in the first step, kept to the end; FP32 master copies of half weights are among them."""
    temporaries: tuple[float, ...]
    """Alive together at the height of an optimizer step."""


def optimizer_memory(
    table: OpTable,
    training: Training,
    precision: ComputedPrecision,
    *,
    looped: bool = False,
    masters_only: bool = False,
) -> OptimizerMemory:
    """States and temporaries of the workload's optimizer over the table's trainable parameters.

    Adam's foreach implementation holds one copy of all FP32 parameters while it takes the second moment's root;
    fused kernels hold none, and a loop over the parameters (`looped`, as on a processor) two copies of the largest.
    Half weights add an FP32 master copy, and FP32 gradients during the step, which are there anyway where only the
    FP32 weights are kept (`masters_only`, as full sharding does).
    """
    if not training.updates_weights:
        return OptimizerMemory((), ())
    facts = OPTIMIZER_FACTS[training.optimizer]
    stepped = stepped_facts(training, precision)
    half, width, weight_bytes = stepped.master_copies, stepped.state_bytes, stepped.weight_bytes
    counts = [size / weight_bytes for size in table.trainable_tensor_bytes]
    in_fp32 = [count * width for count in counts]
    states: list[float] = list(in_fp32) if half else []
    temporaries: list[float] = list(in_fp32) if half and not masters_only else []
    if facts.factored:
        states += _factored(table, counts)
        temporaries += [max(in_fp32, default=0.0)] * 2
        return OptimizerMemory(tuple(states), tuple(temporaries))
    eight_bit = training.optimizer_bits == 8 and facts.eight_bit  # noqa: PLR2004 - bits
    for count in counts:
        each = _eight_bit_size(count) if eight_bit else count * width
        states += [each] * facts.state_count
    if facts.copies_parameters and not training.fused_optimizer and not eight_bit:
        temporaries += [max(in_fp32, default=0.0)] * 2 if looped else in_fp32
    return OptimizerMemory(tuple(states), tuple(temporaries))


def _eight_bit_size(count: float) -> float:
    if count < _EIGHT_BIT_SMALLEST:
        return count * FP32_BYTES
    return count + math.ceil(count / _EIGHT_BIT_BLOCK) * FP32_BYTES


def _factored(table: OpTable, counts: list[float]) -> list[float]:
    """Adafactor: row and column means of matrices, a full second moment of vectors."""
    if not table.trainable_tensor_shapes:
        return [2 * math.sqrt(count) * FP32_BYTES for count in counts]
    sizes: list[float] = []
    for shape in table.trainable_tensor_shapes:
        count = math.prod(shape)
        if len(shape) >= _MATRIX_DIMENSIONS:
            sizes += [count / shape[-1] * FP32_BYTES, count / shape[-2] * FP32_BYTES]
        else:
            sizes.append(count * FP32_BYTES)
    return sizes
