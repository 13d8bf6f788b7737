"""Logits beside a copy of themselves, as the loss of transformers kept them before 2025.

It shifted the logits by one place into a tensor of its own. A plain loss peaks where that tensor is gone; one whose
gradient takes the place of its logits (`fused_layers`) takes that of the copy, and the way back to the logits makes
another as large. Since 2025 the labels are shifted instead.
"""

from __future__ import annotations

import msgspec

from advisor.optable.op_table import ALLOCATE, Affine, MemoryTimeline
from advisor.workload.workload import Training

LABELS_SHIFTED_FROM_YEAR = 2025
"""transformers 4.48 of January 2025 shifts the labels."""


def copies_logits(training: Training) -> bool:
    """Whether the copy of earlier years is there at the peak: with a fused loss of whole logits."""
    return training.fused_layers and not training.chunked_loss and training.mode != "inference"


def with_logits_copied(timeline: MemoryTimeline, logits: Affine) -> MemoryTimeline:
    """The timeline with twice the logits; as it was where forward makes nothing of their size."""
    made = [
        storage
        for number, (kind, storage) in enumerate(zip(timeline.kind, timeline.storage, strict=True))
        if timeline.resident_event_count <= number < timeline.backward_start
        and kind == ALLOCATE
        and (timeline.size0_bytes[number], timeline.size1_bytes[number]) == logits
    ]
    if not made or logits == (0.0, 0.0):
        return timeline
    times = [2.0 if storage == made[-1] else 1.0 for storage in timeline.storage]
    return msgspec.structs.replace(
        timeline,
        size0_bytes=tuple(size * by for size, by in zip(timeline.size0_bytes, times, strict=True)),
        size1_bytes=tuple(size * by for size, by in zip(timeline.size1_bytes, times, strict=True)),
    )
