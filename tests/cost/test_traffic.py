from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from advisor.cost.scaling.traffic import (
    BUCKET_BYTES,
    FIRST_BUCKET_BYTES,
    fill_buckets,
    row_parallel_bytes,
    traffic_of,
)
from advisor.optable.accumulation import Accumulation
from advisor.optable.op_table import CompiledPass
from tests.accuracy.tables import load_table
from tests.cost.scaling_cases import traffic
from tests.cost.small_tables import op, table

if TYPE_CHECKING:
    from advisor.catalogue.precisions import Precision
    from advisor.optable.op_table import OpTable

MIB = 1024.0 * 1024.0


def _bert() -> OpTable:
    return load_table("bert_base_squad", 384, "fp32", "training")


def test_the_first_bucket_closes_at_one_mebibyte_the_others_at_twenty_five() -> None:
    buckets = fill_buckets([0.5 * MIB] * 200, [index / 200 for index in range(1, 201)])
    assert buckets.size_bytes[0] == FIRST_BUCKET_BYTES
    assert set(buckets.size_bytes[1:-1]) == {BUCKET_BYTES}
    assert buckets.total_bytes == 100 * MIB


def test_a_bucket_is_ready_with_its_last_gradient_and_never_before_an_earlier_bucket() -> None:
    buckets = fill_buckets([1 * MIB, 25 * MIB, 1 * MIB], [0.3, 0.2, 1.0])
    assert buckets.ready_fraction.tolist() == [0.3, 0.3, 1.0]


def test_an_embedding_larger_than_the_cap_fills_its_own_bucket_at_the_end() -> None:
    buckets = fill_buckets([2 * MIB, 90 * MIB], [0.5, 1.0])
    assert buckets.size_bytes.tolist() == [2 * MIB, 90 * MIB]


def test_a_model_without_gradients_sends_nothing() -> None:
    assert fill_buckets([], []).total_bytes == 0.0


@given(st.lists(st.floats(1.0, 1e9), min_size=1, max_size=300), st.integers(1, 40))
def test_no_byte_is_lost_however_long_the_timeline(sizes: list[float], repeats: int) -> None:
    tensors = sizes * repeats
    ready = list(np.linspace(0.0, 1.0, len(tensors)))
    buckets = fill_buckets(tensors, ready)
    assert buckets.total_bytes == pytest.approx(sum(tensors))
    assert len(buckets.size_bytes) <= 48
    assert np.all(np.diff(buckets.ready_fraction) >= 0)
    assert buckets.ready_fraction[-1] == ready[-1]


def test_gradients_are_half_wide_only_where_the_weights_are() -> None:
    table = _bert()
    by_precision = {name: traffic_of(table, name).gradient_bytes for name in ("fp32", "tf32", "fp16_amp", "bf16")}
    assert by_precision["fp32"] == by_precision["tf32"] == by_precision["fp16_amp"]
    assert by_precision["bf16"] == by_precision["fp32"] / 2
    assert by_precision["fp32"] == pytest.approx(table.trainable_parameter_count * 4.0)


def test_a_table_without_a_timeline_fills_buckets_evenly() -> None:
    blind = msgspec.structs.replace(_bert(), gradients_ready=(), layers=(), ops=())
    found = traffic_of(blind, "fp32")
    assert found.gradient_bytes == pytest.approx(blind.trainable_parameter_count * 4.0)
    assert found.boundary_bytes == blind.input_bytes
    assert found.layer_count == 12, "its blocks"


def test_tensor_parallelism_reduces_two_outputs_a_block() -> None:
    found = traffic_of(_bert(), "fp32")
    two_a_block = 2 * 12 * 384 * 768 * 4.0
    assert row_parallel_bytes(found, np.array([1.0]))[0] == pytest.approx(two_a_block, rel=0.35)
    without = traffic(linear_output_bytes=(0.0, 0.0))
    assert row_parallel_bytes(without, np.array([1.0]))[0] > 0


@pytest.mark.parametrize(
    ("stored_bytes", "precision", "gathered"),
    [
        (4.0, "bf16", 2.0),
        (4.0, "fp32", 4.0),
        (2.0, "bf16_true", 2.0),
        (0.52, "bf16_true", 0.52),
        (0.52, "bf16_amp", 0.52),
    ],
)
def test_packed_weights_are_gathered_as_they_are_stored_and_others_in_the_type_that_computes(
    stored_bytes: float, precision: Precision, gathered: float
) -> None:
    model = msgspec.structs.replace(table(), parameter_count=1_000_000, parameter_bytes=1e6 * stored_bytes)
    assert traffic_of(model, precision).parameter_bytes == 1e6 * gathered


def test_linear_layers_alone_cast_weights_in_every_micro_batch_and_add_gradients_up_afterwards() -> None:
    plain = table(replace(op("elementwise", (3e6, 0.0)), name="fp8_cast_transpose"))
    cast_once = (replace(op("fused", (3e6, 0.0)), count=2),)
    model = replace(plain, compiled=CompiledPass(ops=cast_once, dispatch_count={"forward": 1}))
    assert traffic_of(model, "fp16").accumulation.spared_bytes == 6e6
    assert traffic_of(model, "fp16", whole_layers=False).accumulation == Accumulation()
