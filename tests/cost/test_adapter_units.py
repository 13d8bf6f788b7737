"""Adapters that full sharding gathers one by one: which do, and what the device waits for them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.cost.layout import Layout
from advisor.cost.scaling.adapter_units import adapter_units_s, gathers_adapters_apart
from advisor.cost.scaling.scaling_figures import scaling_figures
from advisor.optable.adapter_units import AdapterPair, adapter_pairs
from advisor.optable.op_table import OpTable
from tests.cost.small_tables import matmul, table, training

TOKENS, RANK = 512.0, 16
SHARDS = Layout(data_parallel="fsdp", count=2)


def adapted() -> OpTable:
    """A wide and a narrow layer with adapters, and one without."""
    each = (0.0, TOKENS)
    layers = [matmul(each, 4096, 4096), matmul(each, 1024, 4096), matmul(each, 11008, 4096)]
    adapters = [matmul(each, RANK, 4096), matmul(each, 4096, RANK), matmul(each, 1024, RANK)]
    return table(*layers, *adapters)


def waited_s(batch_size: float, **changes: Any) -> float:
    how = training(trainable="lora", lora_rank=RANK, **changes)
    return adapter_units_s(adapted(), how, batch_size=batch_size, flop_per_s=1e14)


def test_each_pair_of_matrices_stands_beside_the_product_of_its_layer() -> None:
    wide, narrow = 2.0 * TOKENS * 4096 * 4096, 2.0 * TOKENS * 1024 * 4096
    assert adapter_pairs(adapted(), RANK) == (AdapterPair(1, (0.0, wide)), AdapterPair(1, (0.0, narrow)))
    assert adapter_pairs(adapted(), RANK + 1) == ()


def test_the_host_works_around_both_matrices_in_every_pass_where_no_product_hides_it() -> None:
    unit = scaling_figures().assumed.sharded_unit_s
    assert waited_s(1e-9) == pytest.approx(2 * 2 * unit * 2)
    assert waited_s(1e-9, activation_checkpointing="full") == pytest.approx(3 * 2 * unit * 2)


def test_a_layers_own_product_hides_what_the_host_does_around_its_adapters_and_no_more() -> None:
    unit = scaling_figures().assumed.sharded_unit_s
    hiding = 2 * unit * 1e14 / (2.0 * TOKENS * 4096 * 4096)
    assert waited_s(hiding) == pytest.approx(2 * 2 * unit * (1 - 1024 / 4096))
    assert waited_s(4 * hiding) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("changes", "layout", "apart"),
    [
        ({"trainable": "lora"}, SHARDS, True),
        ({"trainable": "lora", "quantization": "nf4"}, SHARDS, True),
        ({"trainable": "lora", "fused_layers": True}, SHARDS, True),
        ({"trainable": "lora", "quantization": "nf4", "fused_layers": True}, SHARDS, False),
        ({"trainable": "all"}, SHARDS, False),
        ({"trainable": "lora"}, Layout(data_parallel="fsdp", count=1), False),
        ({"trainable": "lora"}, Layout(data_parallel="ddp", count=2), False),
        ({"trainable": "lora"}, Layout(data_parallel="zero2", count=2), False),
    ],
)
def test_adapters_are_gathered_apart_under_full_sharding_but_for_kernels_that_read_them_unasked(
    changes: dict[str, Any], layout: Layout, *, apart: bool
) -> None:
    assert gathers_adapters_apart(training(**changes), layout) is apart
