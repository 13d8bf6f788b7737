"""What weights that are stored in few bits cost a step beside the kernels that its trace counts."""

from __future__ import annotations

from typing import NamedTuple

from advisor.catalogue.software import DEQUANTISING_KERNELS_YEAR
from advisor.optable.compiled_table import CompiledTable
from advisor.workload.workload import Training, quantization_of, stored_bits

_WRITTEN_BYTES = 2.0
_SCALE_BYTES = 0.02
"""A 16-bit scale to 128 weights (GPTQ), or an 8-bit one to 64 with its own (nf4)."""
_UNPACKED_BY_OPERATORS_BYTES = 16.5
"""GPTQ before it had a kernel, one PyTorch operator after the other: shift to int32 (0.5 read, 4 written), to int8
(4, 1), mask (1, 1), less the zero point (1, 1), times the scale (1, 2)."""
_OPERATORS_DISPATCHES = 14.0
"""Those five, and the views, ranges and casts between them."""
_PACKED_BYTES = 0.5


def dequantised_bytes(compiled: CompiledTable, training: Training, software_year: int | None) -> tuple[float, float]:
    """Bytes moved in forward and in backward of one micro-batch that its trace does not count.

    Those of quantised weights that the trace holds unpacked, and what unpacking by operators adds to a traced kernel.
    Backward needs each weight for the gradient of its layer's input, and once more where it runs forward again.
    """
    bits, chain = stored_bits(training), operator_chain(compiled, training, software_year)
    if bits is None:
        return chain.forward_bytes, chain.backward_bytes
    each = bits / 8.0 + _SCALE_BYTES + _WRITTEN_BYTES
    by_operators = software_year is not None and software_year < DEQUANTISING_KERNELS_YEAR
    if quantization_of(training) == "gptq" and by_operators:
        each = _UNPACKED_BY_OPERATORS_BYTES
    once = compiled.frozen_linear_count * each
    again = 2.0 if training.activation_checkpointing == "full" else 1.0
    backward = 0.0 if training.mode == "inference" else once * again
    return once + chain.forward_bytes, backward + chain.backward_bytes


class OperatorChain(NamedTuple):
    """What unpacking by PyTorch's operators adds to one micro-batch in which a kernel was traced."""

    forward_bytes: float = 0.0
    backward_bytes: float = 0.0
    forward_dispatches: float = 0.0
    backward_dispatches: float = 0.0


def operator_chain(compiled: CompiledTable, training: Training, software_year: int | None) -> OperatorChain:
    """Weights in groups (GPTQ) before their libraries had a kernel; nothing since.

    Their results were kept for backward as any product's weights are: it unpacked only what it ran forward again.
    """
    if software_year is None or software_year >= DEQUANTISING_KERNELS_YEAR:
        return OperatorChain()
    found = compiled.unpacked
    again = 0.5 if training.activation_checkpointing == "full" else 0.0
    kernel_bytes = _PACKED_BYTES + _SCALE_BYTES + _WRITTEN_BYTES
    chain_bytes = found.backward_weights * again * _UNPACKED_BY_OPERATORS_BYTES
    more_calls = _OPERATORS_DISPATCHES - 1.0
    return OperatorChain(
        forward_bytes=found.forward_weights * (_UNPACKED_BY_OPERATORS_BYTES - kernel_bytes),
        backward_bytes=chain_bytes - found.backward_weights * kernel_bytes,
        forward_dispatches=found.forward_calls * more_calls,
        backward_dispatches=found.backward_calls * (again * _OPERATORS_DISPATCHES - 1.0),
    )
