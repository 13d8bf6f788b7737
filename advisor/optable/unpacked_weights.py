"""How often a pass unpacks weights that are stored in groups of few bits, and how many of them."""

from __future__ import annotations

from typing import NamedTuple

from advisor.optable.op_table import OpTable, Phase

_KERNEL = "dequantise_groups"
WRITTEN_BYTES = 2.0
"""What unpacking writes of a weight: a 16-bit number."""


class UnpackedWeights(NamedTuple):
    """What one micro-batch unpacks by the kernel that today's libraries bring."""

    forward_calls: float = 0.0
    forward_weights: float = 0.0
    backward_calls: float = 0.0
    backward_weights: float = 0.0


def unpacked_weights_of(table: OpTable) -> UnpackedWeights:
    """Counted by the kernel's name; what runs again in backward counts there."""
    return UnpackedWeights(*_counted(table, "forward"), *_counted(table, "backward"))


def _counted(table: OpTable, phase: Phase) -> tuple[float, float]:
    ops = [op for op in table.ops if op.name == _KERNEL and op.phase == phase]
    written_bytes = sum(op.count * op.written_bytes[0] for op in ops)
    return float(sum(op.count for op in ops)), written_bytes / WRITTEN_BYTES
