"""What the micro-batches of an optimizer step after its first one add to a pass, and what they spare of it."""

from __future__ import annotations

from typing import NamedTuple

from advisor.optable.op_table import OpTable

_ADDED_PASSES = 3.0
"""Adding a gradient reads both and writes one."""
_PASSES_IN_PRODUCTS = 1.0
"""A product that adds to what is there reads it once more than it would anyway."""
_TRANSFORMER_ENGINE = "fp8_cast_transpose"


class Accumulation(NamedTuple):
    """What each micro-batch after the first changes."""

    gradient_passes: float = _ADDED_PASSES
    """Times that the gradients' bytes are moved to add them up."""
    spared_bytes: float = 0.0
    """What only the first moves."""


def accumulation_of(table: OpTable) -> Accumulation:
    """Transformer Engine casts weights in the first micro-batch alone, and its products add to the FP32 gradients.

    What it fuses and no batch size changes is those casts, and the gradients' conversions, which fall away. Everybody
    else does all of a pass again and adds up afterwards.
    """
    if table.compiled is None or all(op.name != _TRANSFORMER_ENGINE for op in table.ops):
        return Accumulation()
    fixed = [op for op in table.compiled.ops if op.kind == "fused" and op.read_bytes[1] == op.written_bytes[1] == 0.0]
    spared = sum(op.count * (op.read_bytes[0] + op.written_bytes[0]) for op in fixed)
    return Accumulation(_PASSES_IN_PRODUCTS, spared)
