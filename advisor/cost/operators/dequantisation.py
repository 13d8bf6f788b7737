"""What weights that are stored in few bits cost a step: each use writes them out in 16 bits first."""

from __future__ import annotations

from advisor.catalogue.software import DEQUANTISING_KERNELS_YEAR
from advisor.optable.compiled_table import CompiledTable
from advisor.workload.workload import Training, quantization_of, stored_bits

_WRITTEN_BYTES = 2.0
_SCALE_BYTES = 0.02
"""A 16-bit scale to 128 weights (GPTQ), or an 8-bit one to 64 with its own (nf4)."""
_UNPACKED_BY_OPERATORS_BYTES = 16.5
"""GPTQ before it had a kernel, one PyTorch operator after the other: shift to int32 (0.5 read, 4 written), to int8
(4, 1), mask (1, 1), less the zero point (1, 1), times the scale (1, 2)."""


def dequantised_bytes(compiled: CompiledTable, training: Training, software_year: int | None) -> tuple[float, float]:
    """Bytes moved to restore all quantised weights once in forward and in backward of one micro-batch.

    Backward needs each weight for the gradient of its layer's input, and once more where it runs forward again.
    """
    bits = stored_bits(training)
    if bits is None:
        return 0.0, 0.0
    each = bits / 8.0 + _SCALE_BYTES + _WRITTEN_BYTES
    by_operators = software_year is not None and software_year < DEQUANTISING_KERNELS_YEAR
    if quantization_of(training) == "gptq" and by_operators:
        each = _UNPACKED_BY_OPERATORS_BYTES
    once = compiled.frozen_linear_count * each
    if training.mode == "inference":
        return once, 0.0
    return once, once * (2.0 if training.activation_checkpointing == "full" else 1.0)
