"""Blocks' inputs and their gradients that live until backward ends, as sharded adapters of earlier years kept them.

The first generation of `FullyShardedDataParallel` hooks a gradient on the input of every unit whose weights are frozen,
and keeps the hook until backward ends. Where a block is recomputed by reentrant checkpointing, that input is a leaf
which holds its gradient: neither dies with its block. Seen in torch 2.13 by resident memory: two tensors of the hidden
size a block with reentrant checkpoints, none without, none where the weights are trained.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from advisor.cost.layout import Layout
from advisor.optable.op_table import ALLOCATE, FREE, MemoryTimeline, OpTable
from advisor.workload.workload import Training

INPUTS_FREED_FROM_YEAR = 2026
"""Since transformers 5 its trainer shards by the second generation and checkpoints without reentrance unless told."""


def keeps_inputs(table: OpTable, training: Training, layout: Layout) -> bool:
    """Whether a trainer of earlier years would keep them: frozen weights, sharded, checkpointed block by block."""
    sharded = layout.data_parallel in {"fsdp", "hsdp"}
    frozen = 0 < table.trainable_parameter_count < table.parameter_count
    return sharded and frozen and training.activation_checkpointing == "full"


def with_inputs_kept(timeline: MemoryTimeline, block_count: int) -> MemoryTimeline:
    """The timeline with the inputs of `block_count` blocks and their gradients alive until backward ends.

    A gradient is counted anew once the next block has used it. Inputs are what forward keeps of one size for every
    block; without such a size the timeline is as it was.
    """
    freed = _inputs_freed(timeline, block_count)
    if not freed:
        return timeline
    kind, storage = list(timeline.kind), list(timeline.storage)
    size0, size1 = list(timeline.size0_bytes), list(timeline.size1_bytes)
    unused = max(storage) + 1
    for number, event in enumerate(freed):
        storage[event] = unused + number
        if number:
            kind[event] = ALLOCATE
        else:
            size0[event] = size1[event] = 0.0
    return msgspec.structs.replace(
        timeline, kind=tuple(kind), storage=tuple(storage), size0_bytes=tuple(size0), size1_bytes=tuple(size1)
    )


def _inputs_freed(timeline: MemoryTimeline, block_count: int) -> list[int]:
    """Where backward frees the inputs of the blocks, last block first; empty where none are to be found."""
    sizes = list(zip(timeline.size0_bytes, timeline.size1_bytes, strict=True))
    events = list(zip(timeline.kind, timeline.storage, sizes, strict=True))
    forward = events[timeline.resident_event_count : timeline.backward_start]
    kept = {storage for kind, storage, size in forward if kind == ALLOCATE and size[1]}
    kept -= {storage for kind, storage, _ in forward if kind == FREE}
    freed = [
        (number, size)
        for number, (kind, storage, size) in enumerate(events)
        if number >= timeline.backward_start and kind == FREE and storage in kept
    ]
    for size, count in Counter(size for _, size in freed).most_common(1):
        if 1 < block_count <= count:
            return [number for number, own in freed if own == size][-block_count:]
    return []
