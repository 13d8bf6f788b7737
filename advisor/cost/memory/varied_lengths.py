"""What samples of different lengths make of the caching allocator's segments.

Tensors hold most at the longest samples, whatever came before. Segments do not: a step on samples that are longer than
all before finds no cached block large enough for what grows with them (logits above all) and asks the driver for more,
while what the shorter ones left stays cached, until the card is full and free segments are given back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from advisor.cost.memory.caching_allocator import MIDDLE_LIMIT_BYTES, SEGMENT_ROUNDING_BYTES, CachingAllocator
from advisor.cost.memory.fragmentation import reserved_bytes
from advisor.cost.memory.need import MemoryQuestion, room_of
from advisor.cost.memory.remembered import remembered
from advisor.cost.memory.replay import StepSetup, Stream
from advisor.cost.memory.replayed_steps import steps_of


def longest_so_far(micro_batch_count: int, batch_size: int) -> tuple[float, ...]:
    """Lengths of the micro-batches that are longer than all before them, as shares of the longest sample's.

    Of n lengths in random order ln n + 0.58 are, on average, and where lengths are spread evenly each of these halves
    what is left to the longest of all. Every sample is padded to the longest of its micro-batch.
    """
    count = max(1, round(math.log(micro_batch_count) + np.euler_gamma))
    return (*((1 - 0.5**number) ** (1 / batch_size) for number in range(1, count)), 1.0)


def surplus_of_lengths(
    question: MemoryQuestion, batch_size: int, micro_batch_count: int, capacity_bytes: float | None
) -> float:
    """Bytes of segments beyond those of steps that are all as long as the longest, where lengths are spread evenly.

    A shorter sample is counted as so much less of a batch. `capacity_bytes`: as in `published_bytes`.
    """
    stream, setup, room = question.stream, question.setup, room_of(question, capacity_bytes)
    sizes = _apart(stream, [batch_size * share for share in longest_so_far(micro_batch_count, batch_size)])
    held = remembered(
        stream.fingerprint, ("lengths", tuple(setup), sizes, room), lambda: _segments(stream, setup, sizes, room)
    )
    return max(0.0, held - reserved_bytes(stream, setup, batch_size, room))


def _apart(stream: Stream, sizes: Sequence[float]) -> tuple[float, ...]:
    """The sizes without those whose largest tensor has a segment of its own that is as large as the next one's."""
    most = float(stream.size1[stream.resident_count :].max(initial=0.0))
    segments = (
        size if most * size < MIDDLE_LIMIT_BYTES else -(-int(most * size) // SEGMENT_ROUNDING_BYTES) for size in sizes
    )
    return tuple(dict(zip(segments, sizes, strict=True)).values())


def _segments(stream: Stream, setup: StepSetup, sizes: Sequence[float], room: float) -> float:
    """Peak of the segments over steps of these sizes; up to where the card is too small for the next."""
    allocator = CachingAllocator(room)
    for number, size in enumerate(sizes):
        steps = steps_of(stream, setup, size)
        step = steps.later if number else steps.first
        blocks: list[int] = []
        if allocator.play(step.events, blocks) is not None:
            break
        allocator.play([~kept for kept in step.kept], blocks)
    return float(allocator.peak_reserved_bytes)
