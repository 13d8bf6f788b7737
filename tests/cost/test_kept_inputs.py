from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.strategies import Strategy
from advisor.cost.layout import Layout
from advisor.cost.memory.kept_inputs import keeps_inputs, with_inputs_kept
from advisor.cost.memory.need import memory_question
from advisor.cost.memory.replay import StepSetup, live_peak, stream_of
from advisor.cost.memory.run_software import RunSoftware
from advisor.cost.memory.sharding import layout_of
from advisor.optable.op_table import ALLOCATE, FREE, MemoryTimeline
from tests.cost.small_tables import table, training

INPUT, INSIDE = 100 * 512.0, 1000 * 512.0
BLOCKS = 5


def _timeline() -> MemoryTimeline:
    """Five checkpointed blocks of one row: each keeps its input, and takes its inside while backward is there."""
    events: list[tuple[int, int, float]] = [(ALLOCATE, block, INPUT) for block in range(BLOCKS)]
    gradient = 100
    events.append((ALLOCATE, gradient, INPUT))
    for block in reversed(range(BLOCKS)):
        events += [(ALLOCATE, 200 + block, INSIDE), (ALLOCATE, gradient - 1, INPUT)]
        events += [(FREE, 200 + block, INSIDE), (FREE, gradient, INPUT), (FREE, block, INPUT)]
        gradient -= 1
    kinds, storages, sizes = zip(*events, strict=True)
    return MemoryTimeline(
        kind=kinds,
        storage=storages,
        size0_bytes=(0.0,) * len(events),
        size1_bytes=sizes,
        resident_event_count=0,
        backward_start=BLOCKS,
    )


def _peak(timeline: MemoryTimeline) -> float:
    return live_peak(stream_of(timeline), StepSetup(), 1).total


def test_kept_inputs_and_gradients_add_up_to_the_first_block() -> None:
    """Freed: five inputs and two gradients beside the last block's inside; kept: three gradients more at the first."""
    assert _peak(_timeline()) == INSIDE + 7 * INPUT
    assert _peak(with_inputs_kept(_timeline(), BLOCKS)) == INSIDE + (7 + BLOCKS - 2) * INPUT


def test_more_blocks_than_inputs_of_one_size_leave_the_timeline_as_it_was() -> None:
    assert with_inputs_kept(_timeline(), BLOCKS + 1) == _timeline()
    assert with_inputs_kept(_timeline(), 0) == _timeline()
    assert with_inputs_kept(_timeline(), 1) == _timeline()


def test_a_gradient_that_stays_has_a_storage_of_its_own() -> None:
    before, after = _timeline(), with_inputs_kept(_timeline(), BLOCKS)
    changed = [new for old, new in zip(before.storage, after.storage, strict=True) if new != old]
    assert len(set(changed)) == BLOCKS
    assert not set(changed) & set(before.storage)


@pytest.mark.parametrize(
    ("trained", "checkpointing", "sharding", "kept"),
    [
        (10, "full", "fsdp", True),
        (10, "full", "hsdp", True),
        (10, "full", "zero2", False),
        (10, "selective", "fsdp", False),
        (1000, "full", "fsdp", False),
    ],
)
def test_only_sharded_frozen_weights_with_whole_blocks_recomputed_keep_their_inputs(
    trained: int, checkpointing: str, sharding: str, kept: bool
) -> None:
    asked = msgspec.structs.replace(table(), parameter_count=1000, trainable_parameter_count=trained)
    layout = msgspec.convert({"data_parallel": sharding, "count": 2}, Layout)
    assert keeps_inputs(asked, training(activation_checkpointing=checkpointing), layout) is kept


@pytest.mark.parametrize(
    ("strategy", "kept"), [("fsdp_offload", True), ("single", False), ("ddp", False), ("dp", False)]
)
def test_without_a_layout_only_shards_in_the_hosts_memory_keep_their_inputs(strategy: Strategy, kept: bool) -> None:
    asked = msgspec.structs.replace(table(), parameter_count=1000, trainable_parameter_count=10)
    how = training(activation_checkpointing="full")
    assert keeps_inputs(asked, how, layout_of(strategy, 2)) is kept


def test_only_a_question_of_trainers_of_earlier_years_counts_the_inputs_that_they_keep() -> None:
    asked = msgspec.structs.replace(
        table(),
        parameter_count=1000,
        trainable_parameter_count=10,
        block_parameter_bytes=(100.0,) * BLOCKS,
        memory=_timeline(),
    )
    how, layout = training(activation_checkpointing="full"), Layout(data_parallel="fsdp", count=2)
    today, then = (
        memory_question(
            asked, how, "fp32", compute_capability="8.0", layout=layout, software=RunSoftware(inputs_kept=kept)
        )
        for kept in (False, True)
    )
    assert today is not None
    assert then is not None
    added = live_peak(then.stream, StepSetup(), 1).total - live_peak(today.stream, StepSetup(), 1).total
    assert added == (BLOCKS - 2) * INPUT
