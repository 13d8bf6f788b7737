"""How far a memory need may be off: an 80 % range from a ladder of largest batches that ran and failed."""

from __future__ import annotations

from advisor.core.units import Estimate
from advisor.cost.memory.need import MemoryKind, MemoryNeed, MemoryQuestion, answered, published_bytes

_LOW_FRACTION, _HIGH_FRACTION = 0.98, 1.02
"""Beside convolutions, nineteen of twenty real needs of a largest-batch ladder lie between these."""


def need_range(need: MemoryNeed) -> Estimate:
    """The need in bytes with its range: down to no head-room for convolutions, up to workspaces at their largest."""
    value = need.need_bytes
    return Estimate(
        value=value,
        low=(value - need.headroom_bytes) * _LOW_FRACTION,
        high=value * _HIGH_FRACTION + max(need.headroom_bytes, need.workspace_rise_bytes),
        basis="specified",
    )


def published_range(
    question: MemoryQuestion, batch_size: int, kind: MemoryKind, capacity_bytes: float | None
) -> Estimate:
    """The peak as a source counts it (`published_bytes`), with the range of the need it belongs to."""
    plain = need_range(answered(question, batch_size, replayed=False))
    return plain.scaled(published_bytes(question, batch_size, kind, capacity_bytes) / plain.value)
