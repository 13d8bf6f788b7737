import functools

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.catalogue.precisions import Precision, TracePrecision
from advisor.catalogue.strategies import Strategy
from advisor.cost.memory.capacity import WHOLE_CONTEXT_BYTES, context_bytes, usable_bytes
from advisor.cost.memory.largest_batch import largest_batch
from advisor.cost.memory.need import (
    CONVOLUTION_HEADROOM,
    MemoryNeed,
    MemoryQuestion,
    host_bytes,
    memory_question,
    published_bytes,
)
from advisor.cost.memory.replay import stream_of
from advisor.cost.memory.run_software import software_of_year
from advisor.cost.memory.sharding import layout_of
from advisor.cost.memory.states import optimizer_memory
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training
from tests.accuracy.tables import load_table
from tests.cost.small_tables import need_of

GIB = 2**30


def bert(precision: TracePrecision = "fp32") -> OpTable:
    return load_table("bert_base_squad", 384, precision, "training")


def training(**changes: object) -> Training:
    return msgspec.structs.replace(Training(precision="fp32", batch_size=8), **changes)


def need(batch_size: int = 8, strategy: Strategy = "single", count: int = 1, **changes: object) -> MemoryNeed:
    return need_of(
        bert(), training(**changes), "fp32", batch_size, compute_capability="8.0", strategy=strategy, count=count
    )


@functools.cache
def asked() -> MemoryQuestion:
    question = memory_question(bert(), training(), "fp32", compute_capability="8.0")
    assert question is not None
    return question


def part(found: MemoryNeed, kind: str) -> float:
    return next(part.size_bytes for part in found.parts if part.kind == kind)


@pytest.mark.parametrize("strategy", ["single", "dp", "ddp", "zero2", "fsdp", "fsdp_offload", "tp", "pp"])
def test_the_parts_add_up_to_the_need(strategy: Strategy) -> None:
    found = need(strategy=strategy, count=4)
    assert sum(part.size_bytes for part in found.parts) == pytest.approx(found.need_bytes)
    assert all(part.size_bytes >= 0 for part in found.parts)


def test_adam_holds_two_copies_of_the_parameters_and_momentum_one() -> None:
    weights = bert().parameter_bytes
    assert part(need(), "optimizer") == pytest.approx(2 * weights, rel=0.001)
    assert part(need(optimizer="sgd_momentum"), "optimizer") == pytest.approx(weights, rel=0.001)
    assert part(need(optimizer="sgd"), "optimizer") == 0


def test_eight_bit_states_are_a_quarter_of_the_full_ones() -> None:
    assert part(need(optimizer_bits=8), "optimizer") == pytest.approx(part(need(), "optimizer") / 4, rel=0.05)


def test_factored_states_are_a_hundredth_of_adams() -> None:
    assert part(need(optimizer="adafactor"), "optimizer") < 0.01 * part(need(), "optimizer")


def test_half_weights_keep_a_master_copy_and_two_moments_of_four_bytes_an_element() -> None:
    table = bert("half")
    states = optimizer_memory(table, training(precision="fp16"), "fp16").states
    assert sum(states) == pytest.approx(12 * table.trainable_parameter_count)


def test_a_fused_optimizer_needs_no_temporary_copy() -> None:
    assert optimizer_memory(bert(), training(fused_optimizer=True), "fp32").temporaries == ()
    foreach = sum(optimizer_memory(bert(), training(), "fp32").temporaries)
    assert foreach == pytest.approx(bert().trainable_parameter_bytes)


def test_the_optimizers_step_is_the_peak_of_a_tiny_batch() -> None:
    found = need(batch_size=1, optimizer="adamw")
    assert found.allocated_bytes >= 5 * bert().parameter_bytes


@pytest.mark.parametrize("batch_size", [1, 3, 8, 50, 200])
def test_the_need_covers_what_is_allocated_and_fragmentation_stays_below_a_third(batch_size: int) -> None:
    found = need(batch_size=batch_size)
    assert part(found, "fragmentation") >= 0
    assert found.need_bytes <= 1.33 * found.allocated_bytes + context_bytes("8.0")


def test_need_grows_with_the_batch() -> None:
    values = [need(batch_size=batch).need_bytes for batch in (1, 4, 16, 64, 256)]
    assert values == sorted(values)


def test_accumulation_keeps_gradients_through_forward() -> None:
    more = need(batch_size=64, gradient_accumulation_steps=4)
    assert part(more, "gradients") == pytest.approx(bert().gradient_bytes, rel=0.01)


@settings(max_examples=5, deadline=None)
@given(st.floats(1, 90), st.floats(0, 40))
def test_more_memory_never_lowers_the_largest_batch(capacity_gib: float, extra_gib: float) -> None:
    assert largest_batch(asked(), (capacity_gib + extra_gib) * GIB) >= largest_batch(asked(), capacity_gib * GIB)


def test_the_largest_batch_fits_and_the_next_does_not() -> None:
    usable = usable_bytes(24 * GIB)
    found = largest_batch(asked(), usable)
    assert need(batch_size=found).need_bytes <= usable < need(batch_size=found + 1).need_bytes


def test_a_card_that_cannot_hold_one_sample_has_largest_batch_zero() -> None:
    assert largest_batch(asked(), 1.0 * GIB) == 0


def test_a_table_without_a_timeline_has_no_answer() -> None:
    table = msgspec.structs.replace(bert(), memory=None)
    assert memory_question(table, training(), "fp32", compute_capability=None) is None
    assert host_bytes(table, training(), "fp32", 8) is None


def test_sharding_leaves_less_on_each_device_the_more_there_are() -> None:
    values = [need(batch_size=2, strategy="fsdp", count=count).need_bytes for count in (2, 4, 8)]
    assert values == sorted(values, reverse=True)
    assert need(2, "fsdp_offload", 2).need_bytes < need(2, "fsdp", 2).need_bytes < need(2, "ddp", 2).need_bytes
    assert part(need(2, "zero2", 4), "optimizer") == pytest.approx(part(need(2), "optimizer") / 4, rel=0.01)


def test_ddp_adds_its_buckets_to_the_single_step() -> None:
    extra = need(strategy="ddp", count=2).allocated_bytes - need().allocated_bytes
    assert extra == pytest.approx(bert().gradient_bytes, rel=0.02)


@pytest.mark.parametrize(("capability", "newer"), [("7.0", "9.0"), ("8.6", "10.0")])
def test_the_context_of_newer_cards_is_larger(capability: str, newer: str) -> None:
    assert context_bytes(capability) < context_bytes(newer)


def test_all_that_a_driver_shows_holds_every_kernel_of_the_libraries_in_runs_of_earlier_years() -> None:
    shown = []
    for year in (2022, 2023):
        asked = memory_question(bert(), training(), "fp32", compute_capability="7.0", software=software_of_year(year))
        assert asked is not None
        shown.append(published_bytes(asked, 8, "device", None) - published_bytes(asked, 8, "reserved", None))
    assert shown == pytest.approx([WHOLE_CONTEXT_BYTES, context_bytes("7.0")])


def test_hopper_reserves_more_for_matrix_products() -> None:
    found = [need_of(bert(), training(), "fp32", 8, compute_capability=c) for c in ("8.0", "9.0")]
    assert part(found[1], "workspace") > 3 * part(found[0], "workspace")


@pytest.mark.parametrize(("precision", "trace_precision"), [("fp16", "half"), ("tf32", "fp32")])
def test_every_precision_has_an_answer(precision: Precision, trace_precision: TracePrecision) -> None:
    found = need_of(bert(trace_precision), training(precision=precision), precision, 16, compute_capability="8.0")
    assert 0 < found.allocated_bytes < found.need_bytes


def test_an_rtx_3090_leaves_its_allocator_what_its_out_of_memory_messages_show() -> None:
    seen = 22.05 * GIB + 45.69 * 2**20
    assert usable_bytes(24 * GIB) - context_bytes("8.6") == pytest.approx(seen, rel=0.001)


@pytest.mark.parametrize("channels_last", [False, True])
def test_convolutions_get_the_same_headroom_in_both_layouts(channels_last: bool) -> None:
    table = load_table("resnet50_v1_5", 224, "fp16_amp", "training")
    setting = training(precision="fp16_amp", optimizer="sgd_momentum", channels_last=channels_last)
    found = need_of(table, setting, "fp16_amp", 64, compute_capability="8.6")
    assert table.memory is not None
    headroom = CONVOLUTION_HEADROOM * stream_of(table.memory).largest_convolution(64)
    assert part(found, "workspace") > headroom > 0
    assert found.headroom_bytes == headroom


def test_a_model_without_convolutions_gets_no_headroom() -> None:
    memory = bert().memory
    assert memory is not None
    assert stream_of(memory).largest_convolution(64) == 0


def test_gradients_are_kept_from_the_second_micro_batch_on() -> None:
    table = bert()
    alone, two = (
        memory_question(table, training(gradient_accumulation_steps=steps), "fp32", compute_capability="8.0")
        for steps in (1, 2)
    )
    assert alone is not None
    assert two is not None
    assert not alone.setup.gradients_kept
    assert two.setup.gradients_kept


def test_a_model_without_matrix_products_needs_no_workspace_for_them() -> None:
    table = bert()
    bare = msgspec.structs.replace(table, ops=tuple(op for op in table.ops if op.kind != "matmul"))
    with_products, without = (
        memory_question(one, training(), "fp32", compute_capability="8.0") for one in (table, bare)
    )
    assert with_products is not None
    assert without is not None
    assert with_products.workspace_bytes > 0 == without.workspace_bytes


def test_a_group_of_tensor_parallelism_adds_up_the_gradients_of_its_cards_batches() -> None:
    how = training(optimizer="sgd")
    split = layout_of("tp", 2)
    of_group = memory_question(bert(), how, "fp32", compute_capability="8.0", strategy="tp", count=2)
    one, two = (
        memory_question(
            bert(),
            msgspec.structs.replace(how, gradient_accumulation_steps=rounds),
            "fp32",
            compute_capability="8.0",
            layout=split,
        )
        for rounds in (1, 2)
    )
    assert of_group is not None
    assert one is not None
    assert two is not None
    assert of_group.setup == two.setup != one.setup
