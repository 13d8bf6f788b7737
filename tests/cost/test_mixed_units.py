from __future__ import annotations

from typing import Any

import msgspec
import pytest

from advisor.catalogue.precisions import ComputedPrecision
from advisor.cost.layout import Layout
from advisor.cost.memory.mixed_units import mixes_units, with_units_mixed
from advisor.cost.memory.need import memory_question
from advisor.cost.memory.run_software import RunSoftware, software_of_year
from advisor.cost.memory.sharding import shares_of
from advisor.optable.op_table import ALLOCATE, FREE, MemoryTimeline, OpTable
from tests.cost.small_tables import table, training

SHARDED = Layout(data_parallel="fsdp", count=2)
BLOCK = 1000.0
BLOCKS = 4
TIMELINE = MemoryTimeline(
    kind=(ALLOCATE, FREE),
    storage=(0, 0),
    size0_bytes=(0.0, 0.0),
    size1_bytes=(512.0, 512.0),
    resident_event_count=0,
    backward_start=1,
)
ADAPTERS: dict[str, Any] = {"trainable": "lora", "adapter_bits": 16}


def _adapted() -> OpTable:
    """Four blocks beside an embedding as large as one of them, a hundredth of all trained."""
    return msgspec.structs.replace(
        table(),
        parameter_count=2500,
        trainable_parameter_count=25,
        parameter_bytes=5 * BLOCK,
        block_parameter_bytes=(BLOCK,) * BLOCKS,
        trainable_tensor_bytes=(BLOCK / 100,) * BLOCKS,
        memory=TIMELINE,
    )


@pytest.mark.parametrize(
    ("given", "precision", "sharding", "mixed"),
    [
        (ADAPTERS, "bf16_true", "fsdp", True),
        (ADAPTERS, "bf16_true", "hsdp", True),
        (ADAPTERS, "bf16_true", "zero2", False),
        (ADAPTERS, "bf16_amp", "fsdp", False),
        (ADAPTERS | {"adapter_bits": None}, "bf16_true", "fsdp", False),
        (ADAPTERS | {"quantization": "nf4", "weights_bits": 4}, "bf16_true", "fsdp", False),
        ({}, "bf16_true", "fsdp", False),
    ],
)
def test_only_tensors_of_one_type_share_a_unit(
    given: dict[str, Any], precision: ComputedPrecision, sharding: str, mixed: bool
) -> None:
    layout = msgspec.convert({"data_parallel": sharding, "count": 2}, Layout)
    assert mixes_units(training(**given), precision, layout) is mixed


def test_one_micro_batch_makes_the_gradient_of_one_whole_unit_at_a_time() -> None:
    plain = shares_of(SHARDED, _adapted(), "bf16_true")
    mixed = with_units_mixed(plain, _adapted(), accumulated=False)
    assert sum(plain.unit_gradient_bytes) == pytest.approx(2 * BLOCK / 100)
    assert mixed.unit_gradient_bytes == (BLOCK,)
    assert sum(mixed.gathered_bytes) - sum(plain.gathered_bytes) == pytest.approx(BLOCK - 2 * BLOCK / 100)


def test_accumulated_gradients_are_those_of_all_blocks_and_are_there_while_a_loss_is_computed() -> None:
    plain = shares_of(SHARDED, _adapted(), "bf16_true")
    mixed = with_units_mixed(plain, _adapted(), accumulated=True)
    assert mixed.unit_gradient_bytes == ()
    assert sum(mixed.gathered_bytes) - sum(plain.gathered_bytes) == pytest.approx(BLOCKS * BLOCK - 2 * BLOCK / 100)


def test_adapters_that_are_units_have_each_other_gathered_ahead_and_not_the_next_block() -> None:
    how = msgspec.structs.replace(training(**ADAPTERS), precision="bf16_true")
    whole = {}
    for name, software in (("today", RunSoftware()), ("apart", RunSoftware(adapters_apart=True))):
        for layout in (SHARDED, msgspec.structs.replace(SHARDED, data_parallel="zero2")):
            asked = memory_question(
                _adapted(), how, "bf16_true", compute_capability="8.0", layout=layout, software=software
            )
            assert asked is not None
            whole[name, layout.data_parallel] = sum(asked.shares.gathered_bytes)
    assert whole["today", "fsdp"] - whole["apart", "fsdp"] == pytest.approx(BLOCK)
    assert whole["today", "zero2"] == whole["apart", "zero2"]


@pytest.mark.parametrize(
    ("year", "by_module", "mixed", "apart"),
    [
        (2023, True, True, False),
        (2024, True, False, True),
        (2025, True, False, True),
        (2025, False, False, False),
        (2026, True, False, False),
        (None, True, False, False),
    ],
)
def test_adapters_share_units_until_2024_and_are_units_until_trainers_shard_tensors(
    year: int | None, *, by_module: bool, mixed: bool, apart: bool
) -> None:
    software = software_of_year(year, units_by_module=by_module)
    assert (software.units_mixed, software.adapters_apart) == (mixed, apart)


def test_only_a_question_of_trainers_of_earlier_years_has_such_gradients() -> None:
    how = msgspec.structs.replace(training(**ADAPTERS), precision="bf16_true", gradient_accumulation_steps=8)
    today, then = (
        memory_question(
            _adapted(),
            how,
            "bf16_true",
            compute_capability="8.0",
            layout=SHARDED,
            software=RunSoftware(units_mixed=mixed),
        )
        for mixed in (False, True)
    )
    assert today is not None
    assert then is not None
    assert then.shares == with_units_mixed(today.shares, _adapted(), accumulated=True)
