"""What weights in groups of few bits cost a step where their library had no kernel to unpack them."""

from __future__ import annotations

from typing import NamedTuple

from advisor.catalogue.software import DEQUANTISING_KERNELS_YEAR, is_before
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.unpacked_weights import WRITTEN_BYTES
from advisor.workload.workload import Training

_SCALE_BYTES = 0.02
"""A 16-bit scale to 128 weights."""
_UNPACKED_BY_OPERATORS_BYTES = 16.5
"""GPTQ before it had a kernel, one PyTorch operator after the other: shift to int32 (0.5 read, 4 written), to int8
(4, 1), mask (1, 1), less the zero point (1, 1), times the scale (1, 2)."""
_OPERATORS_DISPATCHES = 14.0
"""Those five, and the views, ranges and casts between them."""
_PACKED_BYTES = 0.5


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
    if not is_before(software_year, DEQUANTISING_KERNELS_YEAR):
        return OperatorChain()
    unpacked = compiled.unpacked
    again = 0.5 if training.activation_checkpointing == "full" else 0.0
    kernel_bytes = _PACKED_BYTES + _SCALE_BYTES + WRITTEN_BYTES
    chain_bytes = unpacked.backward_weights * again * _UNPACKED_BY_OPERATORS_BYTES
    more_calls = _OPERATORS_DISPATCHES - 1.0
    return OperatorChain(
        forward_bytes=unpacked.forward_weights * (_UNPACKED_BY_OPERATORS_BYTES - kernel_bytes),
        backward_bytes=chain_bytes - unpacked.backward_weights * kernel_bytes,
        forward_dispatches=unpacked.forward_calls * more_calls,
        backward_dispatches=unpacked.backward_calls * (again * _OPERATORS_DISPATCHES - 1.0),
    )
