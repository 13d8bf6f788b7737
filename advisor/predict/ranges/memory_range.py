"""How far a memory need may be off: 80 % ranges from largest batches that ran and failed, and from published peaks."""

from __future__ import annotations

import msgspec

from advisor.core.units import Estimate
from advisor.cost.memory.need import MemoryKind, MemoryNeed, MemoryQuestion, answered, published_bytes

WITH_CONVOLUTIONS = (0.98, 1.02)
"""Beside convolutions, nineteen of twenty real needs of a largest-batch ladder lie between these."""
ON_ONE_CARD, SHARED = (0.97, 1.13), (0.95, 1.17)
"""The middle four fifths of published peaks of language models over ours, of a card that trains alone and of one that
holds a share: the widest of every row and every source weighing the same, of all sources and without each in turn. A
test computes them from the rows."""
COMPILED = (0.97, 1.25)
"""On one card the compiler decides anew what forward keeps. Of four compiled training steps that we measured, those of
GPT-2 and of a Llama reserved 1 and 4 % more than told, of ResNet-50 and of a ViT 17 and 24 %."""


def need_range(need: MemoryNeed) -> Estimate:
    """The need in bytes with its range: down to no head-room for convolutions, up to workspaces at their largest."""
    value = need.need_bytes
    alone = COMPILED if need.compiled else WITH_CONVOLUTIONS if need.headroom_bytes else ON_ONE_CARD
    low, high = SHARED if need.shared else alone
    return Estimate(
        value=value,
        low=(value - need.headroom_bytes) * low,
        high=value * high + max(need.headroom_bytes, need.workspace_rise_bytes),
        basis="specified",
    )


def published_range(
    question: MemoryQuestion, batch_size: int, kind: MemoryKind, capacity_bytes: float | None
) -> Estimate:
    """The peak as a source counts it (`published_bytes`), with the range of the need it belongs to."""
    plain = need_range(answered(question, batch_size, replayed=False))
    return plain.scaled(published_bytes(question, batch_size, kind, capacity_bytes) / plain.value)


def of_first_stage(first: Estimate, fullest: Estimate) -> Estimate:
    """A pipeline's peak as it is published: that of its first stage, with a range that holds its fullest stage's too.

    Drivers list the first card first and trainers print what their first rank holds, and both run the first stage.
    Published pipelines show it: by what they tell of one batch, twice of it would have fitted where they went out of
    memory, by the last stage's logits.
    """
    low, high = min(first.low, fullest.value), max(first.high, fullest.value)
    return msgspec.structs.replace(first, low=low, high=high)


def between_lengths(peak: Estimate, surplus_bytes: float) -> Estimate:
    """The peak of a run whose samples may all be as long as the longest, or differ, which adds `surplus_bytes`.

    The geometric middle of both, with a range that holds both.
    """
    differing = 1.0 + surplus_bytes / peak.value
    return msgspec.structs.replace(peak, value=peak.value * differing**0.5, high=peak.high * differing)
