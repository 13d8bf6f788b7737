from __future__ import annotations

from msgspec.structs import replace

from advisor.optable.accumulation import accumulation_of
from advisor.optable.op_table import CompiledPass, Op, OpTable
from tests.cost.small_tables import op, table

WEIGHT_BYTES, BATCH_BYTES = 3e6, 1e6


def fused(constant: float, slope: float, count: int = 1) -> Op:
    return replace(op("fused", (constant, slope)), count=count)


def compiled(*names: str) -> OpTable:
    """A model whose operators are called so, with weights' casts and batch-sized work among its fused kernels."""
    made = table(*(replace(op("elementwise", (WEIGHT_BYTES, 0.0)), name=name) for name in names))
    ops = (fused(WEIGHT_BYTES, 0.0, count=2), fused(WEIGHT_BYTES, BATCH_BYTES))
    return replace(made, compiled=CompiledPass(ops=ops, dispatch_count={"forward": 3}))


def test_plain_gradients_are_read_twice_and_written_once_for_each_further_micro_batch() -> None:
    assert accumulation_of(compiled("add")) == (3.0, 0.0)
    assert accumulation_of(compiled("fp8_cast", "fp8_amax")) == (3.0, 0.0)


def test_transformer_engine_casts_weights_once_a_step_and_adds_in_its_products() -> None:
    found = accumulation_of(compiled("fp8_cast_transpose"))
    assert found == (1.0, 2 * WEIGHT_BYTES)


def test_without_what_is_fused_nothing_is_known_to_be_spared() -> None:
    assert accumulation_of(replace(compiled("fp8_cast_transpose"), compiled=None)) == (3.0, 0.0)
